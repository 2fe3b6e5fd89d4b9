//! The contact network of a step: forces between bodies, backbone and rattlers, virial.

use super::ForceChainContact;
use super::tensor::Tensor;
use crate::dynamics::Dynamics;
use crate::materials::Friction;
use crate::model::Freedom;
use crate::state::Contact;
use crate::world::World;
use percuss_geometry::{ClippedVolume, Vector};

/// A contact carries a force when its normal impulse is above this share of the mean: the residual of a solver at an
/// opening contact is far below, what supports a grain is far above.
const CARRIES: f64 = 1e-6;

/// A contact that carries a force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForce {
    /// Indices of the two bodies, the smaller one first.
    pub bodies: [u32; 2],
    /// Contact point, at the midpoint of the step.
    pub point: [f64; 3],
    /// Centres of the bodies at the midpoint of the step.
    pub centres: [[f64; 3]; 2],
    /// Unit normal from the first body to the second.
    pub normal: [f64; 3],
    /// Force on the second body, averaged over the step.
    pub force: [f64; 3],
    /// Normal component of the force.
    pub normal_force: f64,
    /// Friction mobilisation: friction over its bound, 0 to 1; NaN without friction.
    pub mobilised: f64,
}

/// The contacts that carry a force in the last step, and the backbone of bodies that they support.
#[derive(Debug, Clone, Default)]
pub struct ContactNetwork {
    links: Vec<ContactForce>,
    /// Coordination of each body: neighbours that it exchanges a force with.
    degree: Vec<u32>,
    /// Neighbours of each body within the backbone.
    inner: Vec<u32>,
    /// Whether a body belongs to the backbone, that is, is no rattler.
    backbone: Vec<bool>,
    /// Neighbours that a body needs for balance.
    least: Vec<u32>,
    boundary: Vec<bool>,
    /// Pairs of bodies that exchange a force, each once.
    pairs: Vec<[u32; 2]>,
}

impl ContactNetwork {
    /// Reads the contacts of the last step; there are none before the first one.
    pub fn update<D: Dynamics + ClippedVolume>(&mut self, world: &World<D>) {
        let bodies = &world.model().bodies;
        if self.boundary.len() != bodies.len() {
            let all = bodies.iter();
            self.boundary = all.map(|body| D::boundary_only(&body.shape)).collect();
        }
        self.links.clear();
        let h = world.report().h;
        let pushes = || (0..world.num_contacts()).map(|k| push(&world.contact(k)));
        // Mean normal impulse of the contacts that push.
        let (count, sum) = pushes()
            .filter(|s| *s > 0.0)
            .fold((0_usize, 0.0), |(n, sum), s| (n + 1, sum + s));
        if count > 0 && h > 0.0 {
            let least = CARRIES * sum / count as f64;
            for k in 0..world.num_contacts() {
                let contact = world.contact(k);
                if push(&contact) > least {
                    self.links.push(link(world, &contact, h));
                }
            }
        }
        self.count(world);
    }

    /// Counts neighbours, then removes rattlers repeatedly until the backbone is left.
    fn count<D: Dynamics>(&mut self, world: &World<D>) {
        let bodies = &world.model().bodies;
        self.pairs.clear();
        self.pairs.extend(self.links.iter().map(|link| link.bodies));
        self.pairs.dedup();
        // Coordination numbers: several contacts of a pair count once.
        self.degree.clear();
        self.degree.resize(bodies.len(), 0);
        for body in self.pairs.iter().flatten() {
            self.degree[*body as usize] += 1;
        }
        // Neighbours needed for balance: the dimension with gravity, one more without; two with friction.
        self.least.clear();
        let weight = world.model().gravity.norm() > 0.0;
        let smooth = (D::N + usize::from(!weight)) as u32;
        self.least.resize(bodies.len(), smooth);
        for link in self.links.iter().filter(|link| !link.mobilised.is_nan()) {
            for body in link.bodies {
                // With friction two contacts can balance each other.
                self.least[body as usize] = 2;
            }
        }
        self.backbone.clear();
        self.backbone.resize(bodies.len(), true);
        self.inner.clone_from(&self.degree);
        // Boundaries and partially fixed bodies need no such balance.
        let boundary = &self.boundary;
        let movable = |body: u32| {
            let k = body as usize;
            bodies[k].freedom == Freedom::Free && !boundary[k]
        };
        let mut loose: Vec<u32> = Vec::new();
        let held = |inner: u32, least: u32| inner >= least;
        // Rattlers of the first generation.
        for body in 0..bodies.len() as u32 {
            let k = body as usize;
            if movable(body) && !held(self.inner[k], self.least[k]) {
                self.backbone[k] = false;
                loose.push(body);
            }
        }
        // Removing a rattler takes a neighbour from each of its own, which may make them rattlers.
        let around = neighbours(&self.pairs, bodies.len());
        while let Some(body) = loose.pop() {
            for other in &around.1[around.0[body as usize]..around.0[body as usize + 1]] {
                let k = *other as usize;
                self.inner[k] = self.inner[k].saturating_sub(1);
                if movable(*other) && self.backbone[k] && !held(self.inner[k], self.least[k]) {
                    self.backbone[k] = false;
                    loose.push(*other);
                }
            }
        }
    }

    /// The contacts that carry a force, sorted by bodies.
    pub fn links(&self) -> &[ContactForce] {
        &self.links
    }

    /// Whether a body is a boundary, which has no centre of its own.
    pub fn is_boundary(&self, body: u32) -> bool {
        self.boundary.get(body as usize).copied().unwrap_or(true)
    }

    /// Coordination number of a body: neighbours that it exchanges a force with; several contacts with one count once.
    pub fn coordination(&self, body: u32) -> u32 {
        self.degree.get(body as usize).copied().unwrap_or(0)
    }

    /// Coordination number of a body within the backbone: neighbours that are no rattlers.
    pub fn backbone_coordination(&self, body: u32) -> u32 {
        self.inner.get(body as usize).copied().unwrap_or(0)
    }

    /// Whether a body that is free in all directions is a rattler. A body with fewer neighbours than can balance it is
    /// removed, then those that it supported, and so on. Balance takes two neighbours with friction; without it as
    /// many as the dimension where there is gravity, one more where there is none.
    pub fn is_rattler(&self, body: u32) -> bool {
        !self.backbone.get(body as usize).copied().unwrap_or(false)
    }

    /// Virial −Σ w f ⊗ l over the branch vectors of the bodies of a set: l from the centre to the contact, f on the
    /// body, w the share of l within a box. It is the Love–Weber stress times the volume.
    pub fn virial(&self, set: impl Fn(u32) -> bool, low: &[f64; 3], high: &[f64; 3]) -> Tensor {
        let mut sum = Tensor::default();
        for link in &self.links {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let body = link.bodies[side];
                if self.is_boundary(body) || !set(body) {
                    continue;
                }
                let centre = &link.centres[side];
                let branch: [f64; 3] = std::array::from_fn(|k| link.point[k] - centre[k]);
                let share = share(centre, &branch, low, high);
                if share > 0.0 {
                    sum.add(sign * share, &link.force, &branch);
                }
            }
        }
        sum
    }

    /// The contact as a member of a force chain.
    pub fn force_chain_contact(&self, link: &ContactForce) -> ForceChainContact {
        let passes = link.bodies.map(|body| !self.is_boundary(body));
        // A boundary has no centre: the chain ends at the contact point.
        let ends: [[f64; 3]; 2] = std::array::from_fn(|k| {
            if passes[k] {
                link.centres[k]
            } else {
                link.point
            }
        });
        let along: [f64; 3] = std::array::from_fn(|k| ends[1][k] - ends[0][k]);
        let length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
        ForceChainContact {
            bodies: link.bodies,
            along: match length > 0.0 {
                true => along.map(|x| x / length),
                false => link.normal,
            },
            force: link.normal_force,
            passes,
        }
    }
}

/// Adjacency of the bodies in compressed rows: offsets, then the neighbours of every body.
fn neighbours(pairs: &[[u32; 2]], bodies: usize) -> (Vec<usize>, Vec<u32>) {
    let mut first = vec![0; bodies + 1];
    for body in pairs.iter().flatten() {
        first[*body as usize + 1] += 1;
    }
    for k in 0..bodies {
        first[k + 1] += first[k];
    }
    let (mut fill, mut all) = (first.clone(), vec![0; 2 * pairs.len()]);
    for [a, b] in pairs {
        for (body, other) in [(a, b), (b, a)] {
            all[fill[*body as usize]] = *other;
            fill[*body as usize] += 1;
        }
    }
    (first, all)
}

fn push<D: Dynamics>(contact: &Contact<'_, D>) -> f64 {
    contact.impulse.first().copied().unwrap_or(0.0)
}

fn triple<V: Vector>(vector: V) -> [f64; 3] {
    let slice = vector.components();
    std::array::from_fn(|k| slice.get(k).copied().unwrap_or(0.0))
}

// Force: the mean of the impulse over the step, from the contact frame to world axes.
fn link<D: Dynamics>(world: &World<D>, contact: &Contact<'_, D>, h: f64) -> ContactForce {
    let mut force = D::Vector::default();
    for (axis, s) in contact.frame.as_ref().iter().zip(contact.impulse) {
        force += *axis * (*s / h);
    }
    ContactForce {
        bodies: contact.bodies,
        point: triple((contact.point.point_a + contact.point.point_b) * 0.5),
        centres: contact.centres.map(triple),
        normal: triple(contact.point.normal),
        force: triple(force),
        normal_force: push(contact) / h,
        mobilised: mobilised(world, contact),
    }
}

/// Friction over its bound in the direction of the friction; NaN where the bound is 0.
fn mobilised<D: Dynamics>(world: &World<D>, contact: &Contact<'_, D>) -> f64 {
    let [a, b] = contact
        .bodies
        .map(|k| world.model().bodies[k as usize].material);
    let normal = push(contact);
    let t = |k: usize| {
        contact
            .impulse
            .get(k)
            .copied()
            .filter(|_| k < D::N)
            .unwrap_or(0.0)
    };
    let size = t(1).hypot(t(2));
    let over = |friction: f64, mu: f64| match mu > 0.0 {
        true => friction / (mu * normal),
        false => f64::NAN,
    };
    match &world.model().materials.law(a, b).0.friction {
        Friction::None => f64::NAN,
        Friction::Coulomb(mu) => over(size, *mu),
        Friction::Asymmetric { plus, minus } => match t(1) >= 0.0 {
            true => over(t(1), *plus),
            false => over(-t(1), *minus),
        },
        Friction::Elliptic { mu1, mu2, .. } => {
            let (x, y) = (over(t(1), *mu1), over(t(2), *mu2));
            (x * x + y * y).sqrt()
        }
        Friction::Polygon { section, .. } => {
            gauge(section.vertices(), [t(1) / normal, t(2) / normal])
        }
        Friction::StaticDynamic(law) => over(size, law.mu_static),
    }
}

/// Gauge function of a convex polygon about 0: the smallest factor that scales the polygon to the point; NaN where
/// there is none.
fn gauge(vertices: &[[f64; 2]], point: [f64; 2]) -> f64 {
    let next = vertices.iter().cycle().skip(1);
    let mut least = 0.0_f64;
    for (v, w) in vertices.iter().zip(next) {
        let normal = [w[1] - v[1], v[0] - w[0]];
        let reach = normal[0] * v[0] + normal[1] * v[1];
        let over = normal[0] * point[0] + normal[1] * point[1];
        if over > 0.0 {
            least = least.max(over / reach);
        }
    }
    if least.is_finite() { least } else { f64::NAN }
}

/// The share of a segment that lies in a box, by clipping its parameter interval (slab method).
fn share(from: &[f64; 3], along: &[f64; 3], low: &[f64; 3], high: &[f64; 3]) -> f64 {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        if low[k] == f64::NEG_INFINITY && high[k] == f64::INFINITY {
            continue;
        }
        let (below, above) = (low[k] - from[k], high[k] - from[k]);
        if along[k] == 0.0 {
            // Parallel to the face: a segment in the lower face belongs to the box, one in the upper face does not.
            if below > 0.0 || above <= 0.0 {
                return 0.0;
            }
            continue;
        }
        let (s, t) = (below / along[k], above / along[k]);
        enter = enter.max(s.min(t));
        leave = leave.min(s.max(t));
    }
    (leave - enter).max(0.0)
}
