//! Kinetic stress, shear rate and grain size of the bodies of a set, and the largest heap they
//! form.
//!
//! ```text
//! kinetic stress   1/V Σ m (v − v̄) ⊗ (v − v̄),   v̄ = Σ m v / Σ m
//! shear rate       √(2 D′:D′),  D′ the deviator of the symmetric part of L in  min_L Σ |v − v̄ − L (x − x̄)|²
//! ```

use std::f64::consts::PI;

use percuss_bodies::measure::{ContactNetwork, Tensor};
use percuss_bodies::{Vector, World};

use super::super::value::triple;
use crate::bodies_run::observed_dim::ObservedDim;

/// Kinematic measures of a set, with mean size and density of its bodies.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub kinetic: Tensor,
    pub shear: f64,
    /// Mean diameter of the disc or ball of the same volume.
    pub size: f64,
    pub density: f64,
}

impl Flow {
    /// Computes the measures over the movable bodies of a set.
    pub fn of<D: ObservedDim>(world: &World<D>, now: &[u32], volume: f64) -> Self {
        let (model, state) = (world.model(), world.state());
        let movable = |body: &&u32| model.bodies[**body as usize].freedom.movable();
        let members: Vec<usize> = now.iter().filter(movable).map(|b| *b as usize).collect();
        let place = |k: usize| triple(state.poses[k].position);
        let velocity = |k: usize| {
            triple(D::Vector::from_components(
                &state.velocities[k].as_ref()[..D::N],
            ))
        };
        // First pass: mass, solid volume, mean diameter, mean velocities and centroid.
        let (mut mass, mut filled, mut size) = (0.0, 0.0, 0.0);
        let (mut mean, mut middle, mut plain) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for &k in &members {
            let (m, v, x) = (model.bodies[k].mass.mass, velocity(k), place(k));
            let own = D::volume(&model.bodies[k].shape);
            mass += m;
            filled += own;
            size += match D::N {
                2 => 2.0 * (own / PI).sqrt(),
                _ => (6.0 * own / PI).cbrt(),
            };
            for axis in 0..3 {
                mean[axis] += m * v[axis];
                plain[axis] += v[axis];
                middle[axis] += x[axis];
            }
        }
        let count = members.len() as f64;
        let mean = mean.map(|x| x / mass);
        let (plain, middle) = (plain.map(|x| x / count), middle.map(|x| x / count));
        let less = |a: [f64; 3], b: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| a[k] - b[k]) };
        // Second pass: kinetic stress, and the two moments of the least-squares velocity gradient.
        let mut kinetic = Tensor::default();
        let (mut spread, mut product) = (Tensor::default(), Tensor::default());
        for &k in &members {
            let swing = less(velocity(k), &mean);
            kinetic.add(model.bodies[k].mass.mass, &swing, &swing);
            let away = less(place(k), &middle);
            spread.add(1.0, &away, &away);
            product.add(1.0, &less(velocity(k), &plain), &away);
        }
        Self {
            kinetic: kinetic.times(1.0 / volume),
            shear: shear(&product, &spread, D::N),
            size: size / count,
            density: mass / filled,
        }
    }
}

/// Shear rate √(2 D′:D′) of L = P S⁻¹; NaN where the bodies do not span the space.
fn shear(product: &Tensor, spread: &Tensor, dimension: usize) -> f64 {
    let (values, axes) = spread.principal(dimension);
    let largest = values[0];
    // Bodies on a line (in space: in a plane), to rounding, have no velocity gradient across it.
    if !(values[dimension - 1] > 1e-12 * largest) {
        return f64::NAN;
    }
    // L = P S⁻¹ from the eigenvectors of S.
    let mut gradient = [[0.0; 3]; 3];
    for (value, axis) in values.iter().zip(&axes).take(dimension) {
        for (i, row) in gradient.iter_mut().enumerate() {
            let along: f64 = (0..3).map(|k| product.0[i][k] * axis[k]).sum();
            for (entry, a) in row.iter_mut().zip(axis) {
                *entry += along * a / value;
            }
        }
    }
    // Deviator of the symmetric part.
    let mean = (0..dimension).map(|k| gradient[k][k]).sum::<f64>() / dimension as f64;
    let mut square = 0.0;
    for i in 0..dimension {
        for j in 0..dimension {
            let own = if i == j { mean } else { 0.0 };
            let d = 0.5 * (gradient[i][j] + gradient[j][i]) - own;
            square += 2.0 * d * d;
        }
    }
    square.sqrt()
}

/// The largest connected component (heap) of the bodies of a set, joined by contacts that carry
/// force: number of bodies, and extent (left, right, bottom, top). Fixed and kinematic bodies join
/// nothing.
pub(super) fn heap<D: ObservedDim>(
    world: &World<D>,
    has: impl Fn(u32) -> bool,
    network: &ContactNetwork,
) -> (usize, [f64; 4]) {
    let bodies = &world.model().bodies;
    // Union-find over the contacts of two movable bodies of the set.
    let mut head: Vec<u32> = (0..bodies.len() as u32).collect();
    let own = |body: u32| has(body) && bodies[body as usize].freedom.movable();
    for link in network.links() {
        let [a, b] = link.bodies;
        if own(a) && own(b) {
            let (a, b) = (root(&mut head, a), root(&mut head, b));
            // The smaller number becomes the root, so the result does not depend on the order of
            // contacts.
            head[a.max(b) as usize] = a.min(b);
        }
    }
    // Size of each component; of equal ones the first.
    let mut count = vec![0_usize; bodies.len()];
    for body in (0..bodies.len() as u32).filter(|b| own(*b)) {
        count[root(&mut head, body) as usize] += 1;
    }
    let most = count.iter().copied().max().unwrap_or(0);
    let leader = count.iter().position(|n| *n == most).unwrap_or(0) as u32;
    // Bounding box of the largest component.
    let mut sides = [f64::NAN; 4];
    if most > 0 {
        for body in (0..bodies.len() as u32).filter(|b| own(*b)) {
            if root(&mut head, body) == leader {
                let k = body as usize;
                let bounds = D::aabb(&bodies[k].shape, &world.state().poses[k]);
                let (low, high) = (bounds.low.components(), bounds.high.components());
                sides[0] = sides[0].min(low[0]);
                sides[1] = sides[1].max(high[0]);
                sides[2] = sides[2].min(low[D::UP]);
                sides[3] = sides[3].max(high[D::UP]);
            }
        }
    }
    (most, sides)
}

/// Root of the component of a body, with path halving.
fn root(head: &mut [u32], body: u32) -> u32 {
    let mut at = body;
    while head[at as usize] != at {
        head[at as usize] = head[head[at as usize] as usize];
        at = head[at as usize];
    }
    at
}
