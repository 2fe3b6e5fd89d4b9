//! Soft impacts without friction are proximal points in the kinetic metric (M88 Proposition 9.1), against an enumeration of
//! the contacts that act; and where no contact approaches nothing changes (Remark 9.2).

use crate::common::Model;
use percuss_contact::Law;
use percuss_mechanism::{ConstraintKind, ImpactLaw, StateRef, impact};

/// Velocities of the test systems.
const N: usize = 3;

/// Numbers in [-1, 1), the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        bits as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Solves a dense system by elimination with pivoting; `None` where it is singular.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))?;
        if a[pivot][k].abs() < 1e-10 {
            return None;
        }
        a.swap(k, pivot);
        b.swap(k, pivot);
        let row = a[k].clone();
        for i in (0..n).filter(|i| *i != k) {
            let share = a[i][k] / row[k];
            let both = a[i].iter_mut().zip(&row);
            both.for_each(|(x, y)| *x -= share * y);
            b[i] -= share * b[k];
        }
    }
    Some((0..n).map(|k| b[k] / a[k][k]).collect())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// prox(v, V) in the metric of `mass`, V = { u : g·u ≥ 0 for all rows g }: over all sets of contacts that act, the one with
/// impulses ≥ 0 that leaves no approach.
fn proximal_point(mass: &[Vec<f64>], rows: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    for set in 0..1_usize << rows.len() {
        let acting: Vec<&Vec<f64>> = (0..rows.len())
            .filter(|k| set >> k & 1 == 1)
            .map(|k| &rows[k])
            .collect();
        // v⁺ = v + A⁻¹ Σ gᵀ λ with g·v⁺ = 0 for those that act.
        let back: Vec<Vec<f64>> = acting
            .iter()
            .map(|g| solve(mass.to_vec(), g.to_vec()).expect("positive definite"))
            .collect();
        let block = acting
            .iter()
            .map(|g| back.iter().map(|w| dot(g, w)).collect())
            .collect();
        let Some(impulses) = solve(block, acting.iter().map(|g| -dot(g, v)).collect()) else {
            continue;
        };
        let mut after = v.to_vec();
        for (s, w) in impulses.iter().zip(&back) {
            (0..N).for_each(|i| after[i] += s * w[i]);
        }
        let admissible = rows.iter().all(|g| dot(g, &after) >= -1e-12);
        if admissible && impulses.iter().all(|s| *s >= 0.0) {
            return after;
        }
    }
    panic!("a closed convex cone has a proximal point");
}

/// A system with this mass matrix and these closed contacts.
fn system(mass: &[Vec<f64>], rows: &[Vec<f64>]) -> Model {
    let (entries, normals) = (mass.concat(), rows.to_vec());
    let mut model = Model::new(N, |_, _, _, k| k.fill(0.0))
        .dynamics(move |_, _, _, a, k| {
            a.copy_from_slice(&entries);
            k.fill(0.0);
        })
        .gaps(|_, _, gaps| gaps.fill(0.0))
        .rows(move |c, _, _, jacobian, _| jacobian.copy_from_slice(&normals[c]))
        .law(|_, _, _, _| Law::Frictionless);
    for k in 0..rows.len() {
        model = model.constraint(&format!("contact {k}"), ConstraintKind::Contact, 1);
    }
    model
}

#[test]
fn a_soft_impact_ends_at_the_proximal_point_in_the_kinetic_metric() {
    let mut numbers = Numbers(88);
    let (mut moved, mut kept) = (0, 0);
    for trial in 0..300 {
        let contacts = 1 + trial % 3;
        // A = B Bᵀ + ¼.
        let b: Vec<Vec<f64>> = (0..N)
            .map(|_| (0..N).map(|_| numbers.next()).collect())
            .collect();
        let entry = |i: usize, j: usize| dot(&b[i], &b[j]) + if i == j { 0.25 } else { 0.0 };
        let mass: Vec<Vec<f64>> = (0..N)
            .map(|i| (0..N).map(|j| entry(i, j)).collect())
            .collect();
        let rows: Vec<Vec<f64>> = (0..contacts)
            .map(|_| (0..N).map(|_| numbers.next()).collect())
            .collect();
        let v: Vec<f64> = (0..N).map(|_| numbers.next()).collect();
        let expected = proximal_point(&mass, &rows, &v);
        let at = StateRef {
            t: 0.0,
            q: &[0.0; N],
            v: &v,
        };
        let closed: Vec<usize> = (0..contacts).collect();
        let mut model = system(&mass, &rows);
        let struck = impact::resolve(ImpactLaw::Moreau, &mut model, at, &closed, 1e-12)
            .unwrap_or_else(|error| panic!("{trial}: {error}"));
        for i in 0..N {
            // The residual of the solve is 1e-12 of the velocities; blocks of these matrices amplify it by less than 1e4.
            let off = (struck.velocity[i] - expected[i]).abs();
            assert!(off < 1e-8, "{trial}: {:?} {expected:?}", struck.velocity);
        }
        // Remark 9.2: without an approach no velocity jumps, whatever contacts there are.
        if rows.iter().all(|g| dot(g, &v) >= 0.0) {
            assert_eq!(struck.velocity, v, "{trial}");
            kept += 1;
        } else {
            assert!(struck.energy_after < struck.energy_before, "{trial}");
            moved += 1;
        }
    }
    assert!(moved > 100 && kept > 30, "{moved} {kept}");
}
