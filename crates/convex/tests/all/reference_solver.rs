//! An interior-point conic library as reference solver: quadratic programmes with degenerate rows, and
//! projections onto cones, balls and intersections in full metrics.

use crate::common::*;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
use percuss_convex::qp::{LinearConstraints, prox};
use percuss_convex::{
    Ball, ConvexSet, HalfSpace, Intersection, Metric, PolyhedralCone, Polytope, RollingCone,
    SecondOrderCone, Set,
};

fn csc(rows: usize, cols: usize, dense: &[f64]) -> CscMatrix<f64> {
    let nested: Vec<Vec<f64>> = (0..rows)
        .map(|i| dense[i * cols..(i + 1) * cols].to_vec())
        .collect();
    CscMatrix::from(nested.iter())
}

/// min ½ xᵀ P x + qᵀ x with b − A x in the cones; `None` when the library does not report "solved".
fn clarabel(
    n: usize,
    p: &[f64],
    q: &[f64],
    a: &[f64],
    b: &[f64],
    cones: &[SupportedConeT<f64>],
) -> Option<Vec<f64>> {
    let mut upper = p.to_vec();
    for i in 0..n {
        for j in 0..i {
            upper[i * n + j] = 0.0;
        }
    }
    let settings: DefaultSettings<f64> = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .unwrap();
    let mut solver = DefaultSolver::new(
        &csc(n, n, &upper),
        q,
        &csc(b.len(), n, a),
        b,
        cones,
        settings,
    )
    .unwrap();
    solver.solve();
    (solver.solution.status == SolverStatus::Solved).then(|| solver.solution.x.clone())
}

fn target(metric: &Metric, z: &[f64]) -> Vec<f64> {
    let mut q = vec![0.0; z.len()];
    metric.apply_into(z, &mut q);
    times(&q, -1.0)
}

/// Strong convexity: points whose objectives agree to the reference solver's 1e-10 agree to about 1e-5,
/// times the square root of the metric's condition.
const POINT: f64 = 5e-5;

/// Our point must be as good as the reference up to the gap of the reference solver.
fn compare(what: &str, metric: &Metric, z: &[f64], ours: &[f64], theirs: &[f64]) {
    let value = |x: &[f64]| 0.5 * metric.norm(&sub(x, z)).powi(2);
    let (f, g) = (value(ours), value(theirs));
    let scale = 1.0 + norm(z);
    // The reference solver's gap and feasibility of 1e-10, times the multipliers of order ten.
    assert!(
        (f - g).abs() <= 1e-8 * (1.0 + value(&vec![0.0; z.len()])),
        "{what}: objective {f} against {g}"
    );
    assert!(
        norm(&sub(ours, theirs)) <= POINT * scale,
        "{what}: {ours:?} against {theirs:?}"
    );
}

#[test]
fn degenerate_quadratic_programmes_agree_with_the_referee() {
    let mut judged = 0;
    for case in 0..400u64 {
        let mut rng = Rng(case + 5000);
        let n = 2 + rng.below(5);
        let m = 2 + rng.below(2 * n);
        let inner = rng.vec(n);
        let mut rows = rng.vec(n * m);
        // Duplicated and nearly dependent rows (1e-10).
        for k in 1..m {
            if rng.below(3) == 0 {
                let s = rng.range(0.5, 2.0);
                let copy = times(&rows[(k - 1) * n..k * n], s);
                rows[k * n..(k + 1) * n].copy_from_slice(&copy);
                if rng.below(2) == 0 {
                    rows[k * n] += 1e-10;
                }
            }
        }
        let bounds: Vec<f64> = rows
            .chunks_exact(n)
            .map(|g| dot(g, &inner) + 0.2 * rng.unit())
            .collect();
        let metric = random_metric(n, &mut rng);
        let z = times(&rng.vec(n), 3.0);
        let ours = prox(&metric, LinearConstraints::inequalities(&rows, &bounds), &z).unwrap();
        let Some(theirs) = clarabel(
            n,
            metric.matrix(),
            &target(&metric, &z),
            &rows,
            &bounds,
            &[SupportedConeT::NonnegativeConeT(m)],
        ) else {
            continue;
        };
        judged += 1;
        compare("qp", &metric, &z, &ours.point, &theirs);
    }
    assert!(judged > 380, "the referee solved only {judged} of 400");
}

/// Blocks (rows of A, b, cones) for { b − A x ∈ K } of the sets below.
struct Conic {
    a: Vec<f64>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Conic {
    fn new() -> Self {
        Self {
            a: vec![],
            b: vec![],
            cones: vec![],
        }
    }
    fn soc(&mut self, rows: &[&[f64]], b: &[f64]) {
        rows.iter()
            .for_each(|r| self.a.extend(r.iter().map(|v| -v)));
        self.b.extend_from_slice(b);
        self.cones.push(SupportedConeT::SecondOrderConeT(b.len()));
    }
    fn below(&mut self, row: &[f64], b: f64) {
        self.a.extend_from_slice(row);
        self.b.push(b);
        self.cones.push(SupportedConeT::NonnegativeConeT(1));
    }
}

/// A random curved set with its description for the reference solver.
fn curved(rng: &mut Rng) -> (&'static str, Set, Conic) {
    let mut c = Conic::new();
    match rng.below(4) {
        0 => {
            let mu = rng.range(0.1, 2.0);
            c.soc(
                &[&[mu, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]],
                &[0.0; 3],
            );
            (
                "circular",
                SecondOrderCone::circular(3, mu).unwrap().into(),
                c,
            )
        }
        1 => {
            let (m1, m2) = (rng.range(0.1, 2.0), rng.range(0.1, 2.0));
            c.soc(
                &[
                    &[1.0, 0.0, 0.0],
                    &[0.0, 1.0 / m1, 0.0],
                    &[0.0, 0.0, 1.0 / m2],
                ],
                &[0.0; 3],
            );
            (
                "elliptic",
                SecondOrderCone::elliptic(m1, m2).unwrap().into(),
                c,
            )
        }
        2 => {
            let (r1, r2) = (rng.range(0.1, 1.0), rng.range(0.1, 1.0));
            c.soc(&[&[r1, 0.0, 0.0], &[0.0, 1.0, 0.0]], &[0.0; 2]);
            c.soc(&[&[r2, 0.0, 0.0], &[0.0, 0.0, 1.0]], &[0.0; 2]);
            (
                "rolling",
                RollingCone::new(&[r1, r2], &[1, 1]).unwrap().into(),
                c,
            )
        }
        _ => capped_cone(rng),
    }
}

fn capped_cone(rng: &mut Rng) -> (&'static str, Set, Conic) {
    let mut c = Conic::new();
    let mu = rng.range(0.2, 1.5);
    let center = add(&rng.vec(3), &[1.0, 0.0, 0.0]);
    let inner = [0.7, 0.1 * mu, -0.1 * mu];
    let radius = norm(&sub(&center, &inner)) + 0.2 * rng.unit();
    let g = rng.vec(3);
    let bound = dot(&g, &inner) + 0.1 * rng.unit();
    c.soc(
        &[&[mu, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]],
        &[0.0; 3],
    );
    let b = [radius, -center[0], -center[1], -center[2]];
    c.soc(
        &[
            &[0.0; 3],
            &[1.0, 0.0, 0.0],
            &[0.0, 1.0, 0.0],
            &[0.0, 0.0, 1.0],
        ],
        &b,
    );
    c.below(&g, bound);
    let set = Intersection::new(vec![
        SecondOrderCone::circular(3, mu).unwrap().into(),
        Ball::new(&center, radius).unwrap().into(),
        HalfSpace::new(&g, bound).unwrap().into(),
    ]);
    ("ball and half-space and cone", set.unwrap().into(), c)
}

#[test]
fn curved_sets_in_full_metrics_agree_with_the_referee() {
    let mut judged = 0;
    for case in 0..600u64 {
        let mut rng = Rng(case + 900);
        let (name, set, c) = curved(&mut rng);
        let metric = if case % 3 == 0 {
            Metric::euclidean(3)
        } else {
            random_metric(3, &mut rng)
        };
        let z = times(&rng.vec(3), 2.0);
        let ours = set
            .project_in(&metric, &z)
            .unwrap_or_else(|e| panic!("{name} {case}: {e}"));
        let Some(theirs) = clarabel(
            3,
            metric.matrix(),
            &target(&metric, &z),
            &c.a,
            &c.b,
            &c.cones,
        ) else {
            continue;
        };
        judged += 1;
        compare(name, &metric, &z, &ours, &theirs);
    }
    assert!(judged > 570, "the referee solved only {judged} of 600");
}

/// Points of R³ with the quadratic form of Σ λ_i v_i: P = V A Vᵀ, q = −V A z.
struct Hull {
    v: Vec<f64>,
    count: usize,
    p: Vec<f64>,
    q: Vec<f64>,
}

impl Hull {
    fn new(rng: &mut Rng, metric: &Metric, z: &[f64]) -> Self {
        let count = 1 + rng.below(7);
        let mut v = rng.vec(3 * count);
        if count > 2 {
            let again = v[..3].to_vec();
            v[3..6].copy_from_slice(&again); // a repeated vertex
        }
        let inner = |a: &[f64], b: &[f64]| metric.inner(a, b);
        let each: Vec<&[f64]> = v.chunks_exact(3).collect();
        let pairs = each.iter().flat_map(|a| each.iter().map(|b| inner(a, b)));
        let p = pairs.collect();
        let q = each.iter().map(|a| -inner(a, z)).collect();
        Self { v, count, p, q }
    }

    fn point(&self, weights: &[f64]) -> Vec<f64> {
        let terms = self.v.chunks_exact(3).zip(weights);
        terms.fold(vec![0.0; 3], |x, (v, w)| add(&x, &times(v, *w)))
    }

    /// λ ≥ 0, and Σ λ = 1 when `closed`.
    fn referee(&self, closed: bool) -> Option<Vec<f64>> {
        let n = self.count;
        let (mut a, mut b, mut cones) = (vec![], vec![], vec![]);
        if closed {
            a.resize(n, 1.0);
            b.push(1.0);
            cones.push(SupportedConeT::ZeroConeT(1));
        }
        for i in 0..n {
            a.extend((0..n).map(|j| if i == j { -1.0 } else { 0.0 }));
            b.push(0.0);
        }
        cones.push(SupportedConeT::NonnegativeConeT(n));
        let weights = clarabel(n, &self.p, &self.q, &a, &b, &cones)?;
        Some(self.point(&weights))
    }
}

#[test]
fn hulls_and_generated_cones_agree_with_the_referee() {
    let mut judged = 0;
    for case in 0..200u64 {
        let mut rng = Rng(case + 70);
        let metric = random_metric(3, &mut rng);
        let z = times(&rng.vec(3), 2.0);
        let hull = Hull::new(&mut rng, &metric, &z);
        let judge = |what: &str, set: &dyn ConvexSet, theirs: &[f64]| {
            let ours = set.project_in(&metric, &z).unwrap();
            compare(what, &metric, &z, &ours, theirs);
        };
        if let Some(theirs) = hull.referee(false) {
            judged += 1;
            let cone = PolyhedralCone::from_generators(3, &hull.v).unwrap();
            judge("generators", &cone, &theirs);
        }
        if let Some(theirs) = hull.referee(true) {
            judged += 1;
            let set = Polytope::new(3, &hull.v).unwrap();
            judge("hull", &set, &theirs);
            // The lifted form through the conic solver: the other part does not cut.
            let far = HalfSpace::new(&[1.0, 0.0, 0.0], 1e3).unwrap();
            let both = Intersection::new(vec![set.into(), far.into()]).unwrap();
            judge("lifted hull", &both, &theirs);
        }
    }
    assert!(judged > 380, "the referee solved only {judged} of 400");
}
