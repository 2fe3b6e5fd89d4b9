//! Makes the runs of an audit: from a scene to samples, certificate and findings.

use percuss_bodies::{Dim, Plane, Space, State};
use percuss_mechanism::System;
use percuss_record::{Certificate, NullObserver};
use percuss_run::finding::Finding;
use percuss_run::{
    AnyWorld, BodiesOutcome, EarlyStop, MechanismOutcome, RunProgress, StopReason, Threads,
    run_bodies, run_mechanism,
};
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies, OverlapRule};
use percuss_scene::{Scene, SceneError};

use super::AuditError;
use super::common::Common;
use super::metric::Metric;
use super::perturb::{NUDGE, identity, perturb_bodies, perturb_mechanism};
use super::samples::{self, Sampler, Samples};
use super::variant::{Role, Variant};
use super::work::Teller;

/// The result of one run.
#[derive(Debug)]
pub(super) struct AuditRun {
    pub samples: Samples,
    pub certificate: Certificate,
    pub stopped: Option<EarlyStop>,
    /// Whether the stop condition of the scene ended it.
    pub halted: bool,
    /// The last instant it reached.
    pub end: f64,
    pub findings: Vec<Finding>,
}

impl AuditRun {
    /// Why a run cannot serve as a variant: another integrator that does not apply, a perturbed
    /// initial state that is refused.
    pub fn unfit(&self, variant: &Variant) -> Option<String> {
        // Only an early stop can make a variant unfit.
        let stop = self.stopped.as_ref()?;
        let optional = match variant.role {
            Role::Integrator => true,
            Role::Perturbed => !stop.started,
            _ => false,
        };
        optional.then(|| format!("{}: {stop}", variant.what))
    }
}

/// Makes all runs of an audit.
#[derive(Debug)]
pub(super) struct AuditRunner<'a> {
    pub scene: &'a Scene,
    pub common: Common,
    /// Steps of the reference whose ends are the common instants.
    instants: Vec<usize>,
    /// The common instants.
    pub times: Vec<f64>,
    /// The state after the preparations.
    prepared: Option<PreparedState>,
    /// Whether every preparation is certified.
    pub prepared_ok: bool,
}

/// The state at the start of the run.
#[derive(Debug)]
enum PreparedState {
    Plane(State<Plane>),
    Space(State<Space>),
}

impl<'a> AuditRunner<'a> {
    /// Builds the scene and chooses the common instants.
    ///
    /// # Errors
    /// The scene has an error.
    pub fn new(scene: &'a Scene) -> Result<Self, SceneError> {
        let common = Common::of(scene)?;
        let mut maker = Self {
            scene,
            common,
            instants: Vec::new(),
            times: Vec::new(),
            prepared: None,
            prepared_ok: true,
        };
        // Common instants by steps of the reference; the fewer, the more bodies there are.
        let (start, until) = maker.common.span();
        let left = percuss_scene::file::END_TOLERANCE;
        let steps = ((until - start) / maker.common.step() - left)
            .ceil()
            .max(1.0) as usize;
        // Bodies need memory for each sample.
        let count = match &maker.common {
            Common::Mechanism(_) => 1,
            Common::Bodies { movable, .. } => movable.len(),
        };
        maker.instants = samples::instants(steps, count);
        // Steps that the method chooses: equidistant instants, which are interpolated.
        if maker.common.chooses_steps() || maker.common.varies_steps() {
            let parts = *maker.instants.last().unwrap_or(&1) as f64;
            let at = |k: &usize| start + (until - start) * (*k as f64 / parts);
            maker.times = maker.instants.iter().map(at).collect();
        }
        Ok(maker)
    }

    /// Runs the preparations and the reference, and takes the common instants from it.
    ///
    /// # Errors
    /// It cannot start, cannot go on, or was stopped on request.
    pub fn reference(
        &mut self,
        threads: Threads,
        progress: &mut dyn FnMut(&str, f64) -> bool,
    ) -> Result<AuditRun, AuditError> {
        self.prepare(threads, progress)?;
        let mut tell = |share: f64| progress("the run itself", share);
        let made = match &self.common {
            Common::Mechanism(built) => {
                let built = (**built).clone();
                let mut system = built.system.clone();
                let outcome = run_mechanism(built, &mut NullObserver, &mut |tick| tell(tick.share));
                // The ends of steps of the reference are the instants of all runs.
                if self.times.is_empty() {
                    let times = outcome.trajectory.times();
                    let known = self.instants.iter().map_while(|k| times.get(*k));
                    self.times = known.copied().collect();
                }
                let samples = samples::of_trajectory(&outcome.trajectory, &mut system, &self.times);
                self.conclude(self.scene, samples, outcome, &mut tell)
            }
            Common::Bodies { .. } => {
                let (made, times) =
                    self.bodies(self.scene, Role::Reference, None, threads, &mut tell)?;
                self.times = times;
                Ok(made)
            }
        }?;
        // Without a reference there is nothing to compare with.
        match &made.stopped {
            None => Ok(made),
            Some(stop) if stop.reason == StopReason::Requested => Err(AuditError::Stopped),
            Some(stop) => Err(AuditError::NoReference(format!(
                "{}: {stop}; there is nothing to compare with (`--until` ends the audit before that)",
                self.scene.origin()
            ))),
        }
    }

    /// Runs the preparations, once for all runs.
    fn prepare(
        &mut self,
        threads: Threads,
        progress: &mut dyn FnMut(&str, f64) -> bool,
    ) -> Result<(), AuditError> {
        if !matches!(self.common, Common::Bodies { prepared: true, .. }) {
            return Ok(());
        }
        // Progress names the preparation.
        let mut tell = |tick: &RunProgress<'_>| {
            let words = format!("preparing {}", tick.preparation.unwrap_or_default());
            progress(&words, 0.0)
        };
        let collection = self.scene.build_bodies()?;
        let led = AnyWorld::prepare(
            self.scene,
            collection,
            threads,
            &mut NullObserver,
            &mut tell,
        );
        // The prepared state is the initial state of every run.
        match led {
            Ok((live, score)) => {
                let prepared = &score.before.prepared;
                self.prepared_ok = prepared.iter().all(|each| each.certificate.ok);
                self.prepared = Some(match live {
                    AnyWorld::Plane(world) => PreparedState::Plane(world.into_state()),
                    AnyWorld::Space(world) => PreparedState::Space(world.into_state()),
                });
                Ok(())
            }
            Err(outcome) => Err(match outcome.stopped {
                Some(stop) if stop.reason == StopReason::Requested => AuditError::Stopped,
                Some(stop) => AuditError::NoReference(format!("{}: {stop}", self.scene.origin())),
                None => AuditError::NoReference("the preparations came to no end".into()),
            }),
        }
    }

    /// The metric of configurations, scaled by the reference.
    pub fn metric(&self, reference: &AuditRun) -> Metric {
        match &self.common {
            Common::Bodies {
                dimension, radii, ..
            } => Metric::of_bodies(*dimension, radii.clone()),
            Common::Mechanism(built) => {
                let mut system = built.system.clone();
                let chart = system.configuration_space().clone();
                let n = chart.num_velocities();
                let rest = vec![0.0; n];
                let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
                let samples = &reference.samples;
                // Mass matrices at the configurations of the reference.
                let at = |k: usize| {
                    let (t, q) = (self.times[k], samples.at(k));
                    let known = system.dynamics(t, q, &rest, &mut mass, &mut force);
                    // Forces may have no value at rest; the mass matrix is there all the same.
                    match known.is_ok() || mass.iter().any(|a| *a != 0.0) {
                        true => mass.clone(),
                        false => identity(n),
                    }
                };
                let masses = (0..samples.len()).map(at).collect();
                Metric::of_mechanism(chart, masses, samples)
            }
        }
    }

    /// Makes a variant.
    pub fn make(&self, variant: &Variant, metric: &Metric, teller: &Teller<'_>) -> AuditRun {
        let mut tell = |share: f64| teller.tell(share);
        let made = match &self.common {
            Common::Mechanism(_) => self.mechanism(variant, metric, &mut tell),
            Common::Bodies { .. } => {
                let scene = &variant.scene;
                let nudge = (variant.role == Role::Perturbed).then(|| NUDGE * metric.size().value);
                let one = Threads::new(1);
                let made = self.bodies(scene, variant.role, nudge, one, &mut tell);
                made.map(|(made, _)| made)
            }
        };
        // The scene was accepted for the reference, but a file may be missing now.
        made.unwrap_or_else(|error| AuditRun {
            samples: Samples::default(),
            certificate: Certificate::new(),
            stopped: Some(EarlyStop {
                t: self.common.span().0,
                started: false,
                reason: StopReason::Bodies(error.to_string()),
            }),
            halted: false,
            end: self.common.span().0,
            findings: Vec::new(),
        })
    }

    /// Makes a variant of a mechanism.
    fn mechanism(
        &self,
        variant: &Variant,
        metric: &Metric,
        tell: &mut dyn FnMut(f64) -> bool,
    ) -> Result<AuditRun, AuditError> {
        let mut built = variant.scene.build_mechanism()?;
        // Adaptive steps: bounds and tolerance are divided here, not in the scene.
        if let Some(adaptive) = &mut built.settings.adaptive {
            let divisor = f64::from(variant.role.divisor());
            adaptive.smallest /= divisor;
            adaptive.largest /= divisor;
            // The local error of a smooth step is of third order.
            adaptive.tolerance /= divisor.powi(3);
        }
        let mut signs = vec![1.0];
        if variant.role == Role::Perturbed {
            signs = vec![NUDGE, -NUDGE];
        }
        let mut last = None;
        // A perturbation that is refused is tried with the opposite sign.
        for sign in signs {
            let mut built = built.clone();
            if variant.role == Role::Perturbed {
                perturb_mechanism(&mut built, metric, sign);
            }
            let mut system = built.system.clone();
            let outcome = run_mechanism(built, &mut NullObserver, &mut |tick| tell(tick.share));
            let samples = samples::of_trajectory(&outcome.trajectory, &mut system, &self.times);
            let refused = outcome.stopped.as_ref().is_some_and(|stop| !stop.started);
            last = Some((samples, outcome));
            // A point on the boundary may have been moved out of the admissible set: the opposite
            // direction is inside.
            if !refused {
                break;
            }
        }
        match last {
            Some((samples, outcome)) => self.conclude(&variant.scene, samples, outcome, tell),
            None => Err(AuditError::Stopped),
        }
    }

    /// Evaluates the findings of a mechanism's run.
    fn conclude(
        &self,
        scene: &Scene,
        samples: Samples,
        outcome: MechanismOutcome,
        tell: &mut dyn FnMut(f64) -> bool,
    ) -> Result<AuditRun, AuditError> {
        let one = Threads::new(1);
        let findings = percuss_run::evaluate_findings(scene, &outcome, one, &mut |_, _| tell(1.0))?;
        Ok(AuditRun {
            samples,
            certificate: outcome.certificate,
            end: outcome.trajectory.end().unwrap_or(self.common.span().0),
            stopped: outcome.stopped,
            halted: false,
            findings,
        })
    }

    /// Makes a run of bodies and evaluates its findings; returns the times of the samples, too.
    fn bodies(
        &self,
        scene: &Scene,
        role: Role,
        nudge: Option<f64>,
        threads: Threads,
        tell: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(AuditRun, Vec<f64>), AuditError> {
        let mut collection = scene.build_bodies()?;
        let Common::Bodies { movable, .. } = &self.common else {
            return Err(AuditError::Stopped);
        };
        // What the findings need of the run.
        let wanted = percuss_run::observable_request(scene, &collection)?;
        // Start from the prepared state, perturbed where the variant is.
        match (&mut collection, &self.prepared) {
            (BuiltBodies::Plane(assembly), Some(PreparedState::Plane(state))) => {
                begin_at(assembly, state)
            }
            (BuiltBodies::Space(assembly), Some(PreparedState::Space(state))) => {
                begin_at(assembly, state)
            }
            _ => {}
        }
        if let Some(length) = nudge {
            match &mut collection {
                BuiltBodies::Plane(assembly) => perturb_bodies(assembly, length),
                BuiltBodies::Space(assembly) => perturb_bodies(assembly, length),
            }
        }
        // Configurations are sampled at the common instants while the run goes on.
        let mut sampler = Sampler {
            instants: &self.instants,
            ratio: role.divisor() as usize,
            movable,
            samples: Samples::default(),
            times: Vec::new(),
        };
        let hear = &mut |tick: &RunProgress<'_>| tell(tick.share);
        let outcome: BodiesOutcome =
            run_bodies(scene, collection, &wanted, threads, &mut sampler, hear);
        let go_on = &mut |_: &str, _: f64| tell(1.0);
        let findings = percuss_run::evaluate_bodies_findings(scene, &outcome, threads, go_on)?;
        let made = AuditRun {
            samples: sampler.samples,
            certificate: outcome.certificate,
            end: outcome.times.last().copied().unwrap_or(outcome.start),
            stopped: outcome.stopped,
            halted: outcome.halted,
            findings,
        };
        Ok((made, sampler.times))
    }
}

/// Starts from the state after the preparations.
fn begin_at<D: Dim>(assembly: &mut BodiesSetup<D>, state: &State<D>) {
    assembly.prepare.clear();
    assembly.state = state.clone();
    // Overlaps were resolved before the preparations.
    assembly.overlap = OverlapRule {
        allowed: Some(f64::INFINITY),
        relax: false,
    };
}
