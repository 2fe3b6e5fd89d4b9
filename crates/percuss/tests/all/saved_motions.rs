//! A motion that was saved and restored goes on to the same bits: all built-in mechanisms, all schemes,
//! all impact laws, variable steps.

use std::collections::BTreeMap;

use percuss_mechanism::{
    AdaptiveStep, EventDriven, ImpactLaw, Integrator, MechanismError, MotionCheckpoint, Scheme,
    Settings, TimeStepper,
};
use percuss_scene::{BuiltMechanism, Scene, SceneKind, builtin};

/// Steps made at most before and after.
const STEPS: u64 = 60;

/// Numbers without a pattern (splitmix64).
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

fn motion(
    built: &BuiltMechanism,
    settings: &Settings,
) -> Result<Box<dyn Integrator>, MechanismError> {
    let (system, initial) = (built.system.clone(), built.initial.clone());
    Ok(match settings.scheme {
        Scheme::Event => Box::new(EventDriven::new(system, settings.clone(), initial)?),
        _ => {
            let mut stepper = TimeStepper::new(system, settings.clone(), initial)?;
            stepper.set_end_time(built.until);
            Box::new(stepper)
        }
    })
}

/// Everything a step shows. Rust writes the shortest digits that give a number back, and the sign of
/// a zero: equal texts are equal bits.
fn seen(motion: &dyn Integrator) -> String {
    format!(
        "{:?}\n{:?}\n{:?}\n{:?}",
        motion.state(),
        motion.step_report(),
        motion.constraint_reports(),
        motion.events()
    )
}

/// Whether the motion could be made to go on, and did so to the same bits.
fn goes_on(
    built: &BuiltMechanism,
    settings: &Settings,
    before: u64,
    after: u64,
    name: &str,
) -> bool {
    let (Ok(mut whole), Ok(mut again)) = (motion(built, settings), motion(built, settings)) else {
        return false;
    };
    let ended = |m: &dyn Integrator| m.state().t >= built.until;
    for _ in 0..before {
        if ended(&*whole) || whole.advance().is_err() {
            break;
        }
    }
    let bytes = postcard::to_stdvec(&whole.save().expect("kept")).expect("bytes");
    let saved: MotionCheckpoint = postcard::from_bytes(&bytes).expect("what was saved");
    again.restore(saved).expect("a motion like it");
    let mut made = 0;
    for step in 0..after {
        if ended(&*whole) {
            break;
        }
        let (a, b) = (whole.advance(), again.advance());
        assert_eq!(a, b, "{name}: step {step} after {before}");
        if a.is_err() {
            break;
        }
        made += 1;
        assert_eq!(
            seen(&*whole),
            seen(&*again),
            "{name}: step {step} after {before}"
        );
    }
    made > 0
}

fn variants(built: &BuiltMechanism) -> Vec<(&'static str, Settings)> {
    let mut all = Vec::new();
    let schemes = [
        ("midpoint", Scheme::Midpoint),
        ("theta", Scheme::Theta(0.7)),
        ("paoli", Scheme::Paoli),
        ("event", Scheme::Event),
    ];
    for (name, scheme) in schemes {
        all.push((name, scheme, ImpactLaw::Moreau, false));
    }
    for (name, law) in [
        ("canonical", ImpactLaw::Canonical),
        ("sequential", ImpactLaw::Sequential),
        ("poisson", ImpactLaw::Poisson),
    ] {
        all.push((name, Scheme::Midpoint, law, false));
        all.push((name, Scheme::Event, law, false));
    }
    all.push(("variable", Scheme::Midpoint, ImpactLaw::Moreau, true));
    all.push(("variable", Scheme::Theta(0.5), ImpactLaw::Moreau, true));
    let settings = |scheme, impact, variable: bool| Settings {
        scheme,
        impact,
        adaptive: variable.then_some(AdaptiveStep {
            tolerance: 1e-6,
            smallest: 1e-3 * built.settings.step,
            largest: 20.0 * built.settings.step,
        }),
        ..built.settings.clone()
    };
    let made = all
        .into_iter()
        .map(|(name, scheme, law, variable)| (name, settings(scheme, law, variable)));
    made.collect()
}

#[test]
fn a_restored_motion_goes_on_to_the_same_bits() {
    let mut dice = SplitMix(7);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in builtin::names() {
        let scene = Scene::load(name).expect("a built-in scene");
        if scene.kind() == SceneKind::Bodies {
            continue;
        }
        // One is there to be refused.
        let Ok(built) = scene.build_mechanism() else {
            continue;
        };
        for (kind, settings) in variants(&built) {
            // Steps of some scenes are short: impacts come late. Longer steps meet them sooner.
            let mut settings = settings;
            let longest = (built.until - built.initial.t) / 200.0;
            if dice.below(2) == 0 && settings.adaptive.is_none() {
                settings.step = settings.step.max(longest);
            }
            let (before, after) = (dice.below(STEPS), 1 + dice.below(STEPS));
            let label = format!("{name}, {kind}, {:?}", settings.scheme);
            if goes_on(&built, &settings, before, after, &label) {
                *counts.entry(kind).or_default() += 1;
            }
        }
    }
    // Some systems refuse some laws; most take most.
    for kind in [
        "midpoint",
        "theta",
        "paoli",
        "event",
        "canonical",
        "sequential",
        "poisson",
        "variable",
    ] {
        let count = counts.get(kind).copied().unwrap_or(0);
        assert!(count >= 8, "{kind}: only {count} motions: {counts:?}");
    }
}

#[test]
fn what_was_saved_of_another_motion_is_refused_and_changes_nothing() {
    let built = |name: &str| {
        let scene = Scene::load(name).expect("a built-in scene");
        scene.build_mechanism().expect("a mechanism")
    };
    let (ball, pendulum) = (built("ball-e05"), built("pendulum"));
    let with = |built: &BuiltMechanism, scheme| Settings {
        scheme,
        ..built.settings.clone()
    };
    let make =
        |built: &BuiltMechanism, scheme| motion(built, &with(built, scheme)).expect("a motion");
    let mut mine = make(&ball, Scheme::Midpoint);
    let before = seen(&*mine);
    for other in [
        make(&ball, Scheme::Event),
        make(&pendulum, Scheme::Midpoint),
    ] {
        assert_eq!(
            mine.restore(other.save().expect("kept")),
            Err(MechanismError::CheckpointMismatch)
        );
        assert_eq!(seen(&*mine), before);
    }
    let mut event = make(&ball, Scheme::Event);
    assert_eq!(
        event.restore(mine.save().expect("kept")),
        Err(MechanismError::CheckpointMismatch)
    );
}
