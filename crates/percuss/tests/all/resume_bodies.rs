//! A run of bodies that goes on from a checkpoint makes the same bits as one that was not interrupted.

use percuss_record::{Observer, Restored, Snapshot, Step, WorldRef};
use percuss_run::{BodiesOutcome, ObservableRequest, Threads};
use percuss_scene::{Scene, SceneError};

use crate::resume_common::{CELL, HEAP, LINKAGE};

/// Keeps a snapshot after every so many steps, and a line about every step of the run.
struct SnapshotObserver {
    every: usize,
    since: usize,
    snapshots: Vec<Snapshot>,
    /// Number of the step and all that is known of its end, in full precision (`{:?}` of a number is
    /// read back as the same bits, and tells −0 from 0).
    lines: Vec<(usize, String)>,
    restored: Option<Restored>,
}

impl SnapshotObserver {
    fn new(every: usize, restored: Option<Restored>) -> Self {
        Self {
            every,
            since: 0,
            snapshots: Vec::new(),
            lines: Vec::new(),
            restored,
        }
    }
}

fn line<D: percuss_bodies::Dim>(world: &percuss_bodies::World<D>) -> String {
    let contacts: Vec<_> = (0..world.num_contacts())
        .map(|k| world.contact(k))
        .collect();
    format!("{:?} {:?} {contacts:?}", world.state(), world.report())
}

impl Observer for SnapshotObserver {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        let line = match step.world() {
            Some(WorldRef::Plane(world)) => line(world),
            Some(WorldRef::Space(world)) => line(world),
            None => panic!("bodies were expected"),
        };
        self.lines.push((step.number, line));
        Ok(())
    }

    fn checkpoint_due(&mut self) -> bool {
        self.since += 1;
        self.since.is_multiple_of(self.every)
    }

    fn write_checkpoint(&mut self, snapshot: Snapshot) -> Result<(), SceneError> {
        self.snapshots.push(snapshot);
        Ok(())
    }

    fn take_checkpoint(&mut self) -> Option<Restored> {
        self.restored.take()
    }
}

fn run(scene: &Scene, threads: usize, tape: &mut SnapshotObserver) -> BodiesOutcome {
    let collection = scene.build_bodies().unwrap_or_else(|e| panic!("{e}"));
    let wanted =
        percuss_run::observable_request(scene, &collection).unwrap_or_else(|e| panic!("{e}"));
    let wanted = ObservableRequest {
        distributions: true,
        ..wanted
    };
    let threads = Threads::new(threads);
    percuss_run::run_bodies(scene, collection, &wanted, threads, tape, &mut |_| true)
}

/// All that comes out of a run.
fn told(outcome: &BodiesOutcome) -> String {
    assert_eq!(outcome.stopped, None);
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {} {} {:?} {}",
        outcome.times,
        outcome.series,
        outcome.events,
        outcome.distributions,
        outcome.certificate,
        outcome.prepared,
        outcome.relaxed,
        outcome.most_contacts,
        outcome.redundant,
        outcome.halted
    )
}

/// Goes on from every one of its snapshots, with another number of threads; returns how many.
fn goes_on(scene: &Scene, every: usize) -> usize {
    let mut whole = SnapshotObserver::new(every, None);
    let outcome = told(&run(scene, 1, &mut whole));
    let count = whole.snapshots.len();
    for k in 0..count {
        let histories = whole.snapshots[..=k].iter().map(|s| s.history.clone());
        let mut rest = SnapshotObserver::new(
            every,
            Some(Restored {
                motion: whole.snapshots[k].motion.clone(),
                histories: histories.collect(),
            }),
        );
        let resumed = told(&run(scene, 1 + k % 2, &mut rest));
        let first = rest.lines.first().map_or(usize::MAX, |(step, _)| *step);
        let begin = whole.lines.iter().position(|(step, _)| *step == first);
        let begin = begin.expect("a step of the whole run");
        assert!(
            whole.lines[begin..] == rest.lines[..],
            "snapshot {k}: other steps"
        );
        assert!(outcome == resumed, "snapshot {k}: another outcome");
        // What is kept on the way is the same again: a run can be interrupted many times.
        assert!(
            whole.snapshots[k + 1..] == rest.snapshots[..],
            "snapshot {k}: other snapshots"
        );
    }
    count
}

fn parsed(text: &str) -> Scene {
    Scene::parse("sample", "sample.toml", text).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn discs_in_a_box_go_on_to_the_same_bits() {
    assert!(goes_on(&parsed(HEAP), 170) >= 5);
}

#[test]
fn a_cell_and_its_preparations_go_on_to_the_same_bits() {
    // Some of the snapshots are of the first preparation, some of the second, some of the run.
    assert!(goes_on(&parsed(CELL), 45) >= 12);
}

#[test]
fn joints_given_motions_and_rebounds_go_on_to_the_same_bits() {
    assert!(goes_on(&parsed(LINKAGE), 97) >= 8);
}

#[test]
fn bodies_in_space_with_every_solver_go_on_to_the_same_bits() {
    let text = HEAP
        .replace("dimension = 2", "dimension = 3")
        .replace("gravity = [0, -9.81]", "gravity = [0.5, 0, -9.81]")
        .replace("half_plane = [0, 1]", "half_space = [0, 0, 1]")
        .replace("half_plane = [1, 0]", "half_space = [1, 0, 0]")
        .replace("half_plane = [-1, 0]", "half_space = [-1, 0, 0]")
        .replace("position = [0.3, 0]", "position = [0.3, 0, 0]")
        .replace("low = [0.01, 0.01]", "low = [0.01, 0, 0.01]")
        .replace("high = [0.29, 0.5]", "high = [0.29, 0.06, 0.3]")
        // Not every solver has rolling resistance.
        .replace("rolling_friction = 1e-3", "")
        .replace("until = 1.0", "until = 0.2")
        .replace("0.8, 1)", "0.1, 0.2)");
    let scene = parsed(&text);
    for solver in percuss_solve::NAMES {
        let scene = scene
            .with_overrides(&[("solver", solver)])
            .unwrap_or_else(|e| panic!("{e}"));
        assert!(goes_on(&scene, 80) >= 2, "{solver}");
    }
}

#[test]
fn a_request_to_stop_leaves_a_moment_that_the_run_goes_on_from() {
    let scene = parsed(HEAP);
    let mut whole = SnapshotObserver::new(usize::MAX, None);
    let outcome = told(&run(&scene, 1, &mut whole));
    let mut part = SnapshotObserver::new(usize::MAX, None);
    let collection = scene.build_bodies().expect("a collection");
    let wanted = ObservableRequest {
        distributions: true,
        ..percuss_run::observable_request(&scene, &collection).expect("findings")
    };
    let mut steps = 0;
    let stopped = percuss_run::run_bodies(
        &scene,
        collection,
        &wanted,
        Threads::new(1),
        &mut part,
        &mut |_| {
            steps += 1;
            steps < 400
        },
    );
    let stop = stopped.stopped.expect("stopped");
    assert_eq!(stop.reason, percuss_run::StopReason::Requested);
    assert_eq!(part.snapshots.len(), 1);
    let snapshot = part.snapshots.remove(0);
    let restored = Restored {
        motion: snapshot.motion,
        histories: vec![snapshot.history],
    };
    let mut rest = SnapshotObserver::new(usize::MAX, Some(restored));
    assert!(outcome == told(&run(&scene, 1, &mut rest)));
    assert!(whole.lines[401..] == rest.lines[..]);
}
