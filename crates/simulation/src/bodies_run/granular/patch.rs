//! Granular measures of one group or region at the end of a step.

use percuss_bodies::measure::{ContactForce, ContactNetwork, Tensor};
use percuss_bodies::{Vector, World};
use percuss_scene::bodies_scene::names::grain::GranularQuantity;
use percuss_scene::bodies_scene::names::quantity::Side;

use super::super::sets::BodySet;
use super::chain_lengths;
use super::flow::{self, Flow};
use crate::bodies_run::observed_dim::ObservedDim;

/// Which families of measures are requested.
#[derive(Debug, Clone, Copy, Default)]
pub struct Needs {
    fraction: bool,
    held: bool,
    stress: bool,
    touch: bool,
    chains: bool,
    flow: bool,
    heap: bool,
}

impl Needs {
    /// Requests the family that a measure belongs to.
    pub fn add(&mut self, what: GranularQuantity) {
        match what {
            GranularQuantity::Fraction => self.fraction = true,
            GranularQuantity::Coordination
            | GranularQuantity::CoreCoordination
            | GranularQuantity::Rattlers => self.held = true,
            GranularQuantity::Stress(..)
            | GranularQuantity::Pressure
            | GranularQuantity::StressRatio
            | GranularQuantity::StressAngle
            | GranularQuantity::StressAxis(_) => self.stress = true,
            GranularQuantity::Fabric(..)
            | GranularQuantity::Anisotropy
            | GranularQuantity::NormalForce
            | GranularQuantity::Mobilised => {
                self.touch = true;
            }
            GranularQuantity::Chains
            | GranularQuantity::ChainLength
            | GranularQuantity::LongestChain => self.chains = true,
            GranularQuantity::InertialNumber => (self.stress, self.flow) = (true, true),
            GranularQuantity::KineticStress(..)
            | GranularQuantity::ShearRate
            | GranularQuantity::Size
            | GranularQuantity::Density => self.flow = true,
            GranularQuantity::Heap | GranularQuantity::HeapExtent(_) => self.heap = true,
        }
    }

    /// Whether the contact forces are needed.
    pub fn links(&self) -> bool {
        self.held || self.stress || self.touch || self.chains || self.heap
    }
}

/// The measures of a set, computed by [`SetMeasures::update`].
#[derive(Debug, Default)]
pub struct SetMeasures {
    pub needs: Needs,
    /// By body: whether it may be in the set.
    candidate: Vec<bool>,
    /// The box of the region; infinite for a group.
    low: [f64; 3],
    high: [f64; 3],
    /// Number of components of a vector.
    axes: usize,
    fraction: f64,
    coordination: f64,
    core: f64,
    rattlers: usize,
    stress: Tensor,
    fabric: Tensor,
    normal_force: f64,
    mobilised: f64,
    chains: Vec<usize>,
    flow: Flow,
    heap: usize,
    heap_sides: [f64; 4],
}

impl SetMeasures {
    /// The measures of a set of `total` bodies, nothing requested yet.
    pub fn new(set: &BodySet, total: usize) -> Self {
        // Bodies that may be in the set.
        let mut candidate = vec![false; total];
        for body in set.candidates() {
            if let Some(entry) = candidate.get_mut(*body as usize) {
                *entry = true;
            }
        }
        Self {
            candidate,
            ..Self::default()
        }
    }

    fn has(&self, body: u32) -> bool {
        self.candidate.get(body as usize).copied().unwrap_or(false)
    }

    /// The contacts of the set: one of the bodies belongs to it, the contact point is in its box.
    pub fn links<'a>(
        &'a self,
        network: &'a ContactNetwork,
    ) -> impl Iterator<Item = &'a ContactForce> {
        let within = |link: &ContactForce| {
            let at = |k: usize| (self.low[k]..self.high[k]).contains(&link.point[k]);
            (0..self.axes).all(at)
        };
        let own = |link: &ContactForce| link.bodies.iter().any(|body| self.has(*body));
        network.links().iter().filter(move |l| own(l) && within(l))
    }

    /// Computes the requested measures at the end of a step.
    pub fn update<D: ObservedDim>(
        &mut self,
        world: &World<D>,
        set: &BodySet,
        network: &ContactNetwork,
    ) {
        (self.low, self.high) = set.frame();
        self.axes = D::N;
        // Volume of the box; sides at infinity end where the bodies end.
        let (low, high) = self.closed(world, set);
        let volume = volume(world, &low, &high);
        // Solid fraction, bodies clipped at the box.
        if self.needs.fraction {
            let (bodies, poses) = (&world.model().bodies, &world.state().poses);
            let parts = set.candidates().iter().map(|body| {
                let k = *body as usize;
                D::volume_in_box(&bodies[k].shape, &poses[k], &low, &high)
            });
            self.fraction = parts.sum::<f64>() / volume;
        }
        // Love–Weber stress: the virial over the volume.
        if self.needs.stress {
            let has = |body: u32| self.has(body);
            let virial = network.virial(has, &self.low, &self.high);
            self.stress = virial.times(1.0 / volume);
        }
        if self.needs.held {
            self.hold(world, set, network);
        }
        if self.needs.touch {
            self.touch(network);
        }
        if self.needs.chains {
            self.chains = chain_lengths(self, network);
        }
        if self.needs.flow {
            self.flow = Flow::of(world, &set.now, volume);
        }
        if self.needs.heap {
            // Members are in ascending order.
            let has = |body: u32| set.now.binary_search(&body).is_ok();
            let (count, sides) = flow::heap(world, has, network);
            (self.heap, self.heap_sides) = (count, sides);
        }
    }

    /// The box, with sides at infinity moved to where the bodies end.
    fn closed<D: ObservedDim>(&self, world: &World<D>, set: &BodySet) -> ([f64; 3], [f64; 3]) {
        // Sides at infinity end at the bounding boxes of the members.
        let (mut low, mut high) = (self.low, self.high);
        let open = (0..D::N).any(|k| !(low[k].is_finite() && high[k].is_finite()));
        if !open {
            return (low, high);
        }
        let (mut from, mut to) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for body in &set.now {
            let k = *body as usize;
            let shape = &world.model().bodies[k].shape;
            if !D::boundary_only(shape) {
                let bounds = D::aabb(shape, &world.state().poses[k]);
                for axis in 0..D::N {
                    from[axis] = from[axis].min(bounds.low.components()[axis]);
                    to[axis] = to[axis].max(bounds.high.components()[axis]);
                }
            }
        }
        for k in 0..D::N {
            if low[k] == f64::NEG_INFINITY {
                low[k] = from[k];
            }
            if high[k] == f64::INFINITY {
                high[k] = to[k];
            }
            // No bodies, no volume.
            if !(low[k] < high[k]) {
                (low[k], high[k]) = (f64::NAN, f64::NAN);
            }
        }
        (low, high)
    }

    /// Coordination numbers and rattlers of the movable bodies.
    fn hold<D: ObservedDim>(&mut self, world: &World<D>, set: &BodySet, network: &ContactNetwork) {
        let (mut bodies, mut all, mut core, mut inner) = (0_usize, 0, 0_usize, 0);
        for body in &set.now {
            if !world.model().bodies[*body as usize].freedom.movable() {
                continue;
            }
            bodies += 1;
            all += network.coordination(*body);
            if !network.is_rattler(*body) {
                core += 1;
                inner += network.backbone_coordination(*body);
            }
        }
        self.coordination = f64::from(all) / bodies as f64;
        self.core = f64::from(inner) / core as f64;
        self.rattlers = bodies - core;
    }

    /// Fabric tensor, mean normal force and mobilised friction of the contacts.
    fn touch(&mut self, network: &ContactNetwork) {
        let (mut fabric, mut count, mut force) = (Tensor::default(), 0_usize, 0.0);
        let (mut rough, mut mobilised) = (0_usize, 0.0);
        for link in self.links(network) {
            count += 1;
            fabric.add(1.0, &link.normal, &link.normal);
            force += link.normal_force;
            // Contacts without friction have no mobilised share.
            if !link.mobilised.is_nan() {
                rough += 1;
                mobilised += link.mobilised;
            }
        }
        self.fabric = fabric.times(1.0 / count as f64);
        self.normal_force = force / count as f64;
        self.mobilised = mobilised / rough as f64;
    }

    /// A measure; NaN where there is none.
    pub fn value(&self, what: GranularQuantity, dimension: usize) -> f64 {
        match what {
            GranularQuantity::Fraction => self.fraction,
            GranularQuantity::Coordination => self.coordination,
            GranularQuantity::CoreCoordination => self.core,
            GranularQuantity::Rattlers => self.rattlers as f64,
            GranularQuantity::Stress(i, j) => self.stress.0[i][j],
            GranularQuantity::KineticStress(i, j) => self.flow.kinetic.0[i][j],
            GranularQuantity::Pressure => self.stress.mean(dimension),
            GranularQuantity::StressRatio => self.stress.deviator_ratio(dimension),
            GranularQuantity::StressAngle => {
                let axis = self.stress.principal(dimension).1[0];
                axis[1].atan2(axis[0])
            }
            GranularQuantity::StressAxis(k) => self.stress.principal(dimension).1[0][k],
            // Contact measures.
            GranularQuantity::Fabric(i, j) => self.fabric.0[i][j],
            GranularQuantity::Anisotropy => self.fabric.anisotropy(dimension),
            GranularQuantity::NormalForce => self.normal_force,
            GranularQuantity::Mobilised => self.mobilised,
            GranularQuantity::Chains => self.chains.len() as f64,
            GranularQuantity::ChainLength => {
                self.chains.iter().sum::<usize>() as f64 / self.chains.len() as f64
            }
            GranularQuantity::LongestChain => self.chains.iter().max().map_or(0.0, |n| *n as f64),
            // Flow measures.
            GranularQuantity::ShearRate => self.flow.shear,
            GranularQuantity::InertialNumber => {
                let pressure = self.stress.mean(dimension);
                self.flow.shear * self.flow.size * (self.flow.density / pressure).sqrt()
            }
            GranularQuantity::Size => self.flow.size,
            GranularQuantity::Density => self.flow.density,
            GranularQuantity::Heap => self.heap as f64,
            GranularQuantity::HeapExtent(side) => {
                self.heap_sides[match side {
                    Side::Left => 0,
                    Side::Right => 1,
                    Side::Bottom => 2,
                    Side::Top => 3,
                }]
            }
        }
    }
}

/// Volume of a box; along a periodic axis the length is that of the cell.
fn volume<D: ObservedDim>(world: &World<D>, low: &[f64; 3], high: &[f64; 3]) -> f64 {
    let (Some(cell), Some(lattice)) = (&world.model().cell, &world.state().cell) else {
        return (0..D::N).map(|k| high[k] - low[k]).product();
    };
    if cell.periodic[..D::N].iter().all(|periodic| *periodic) {
        return lattice.volume();
    }
    let side = |k: usize| match cell.periodic[k] {
        true => lattice.vectors[k].components()[k],
        false => high[k] - low[k],
    };
    (0..D::N).map(side).product()
}
