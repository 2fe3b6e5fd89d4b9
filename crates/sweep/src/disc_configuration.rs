//! Configurations of discs (or balls) that do not overlap: a prox-regular set, not convex.
//!
//! ```text
//! Q(t) = { q : D_ij(q) = |q_j − q_i| − r_i − r_j ≥ 0,   D_io(q) = dist(q_i, obstacle) − r_i ≥ 0 }
//! ```
//!
//! A step projects onto the linearisation at the present configuration q̄, { q : D(q̄) + ∇D(q̄)·(q − q̄) ≥ 0 }. Each D
//! is convex, so it lies above its tangent: the linearised set is inside Q, and no overlap can arise whatever the step.
//! Only candidate pairs within a margin become rows; the result is checked against all pairs, and the margin is widened
//! where one is violated.
//!
//! Prox-regularity radius: at q̄ with closed contacts of unit gradients e_i, curvatures κ_i = |∇²D_i|/|∇D_i| and d =
//! dist(0, conv e_i), every q ∈ Q and normal n satisfy ⟨n, q − q̄⟩ ≤ |n||q − q̄|²/2η with η = d / max κ_i: nearest
//! points are unique within η. It is computed at every step; d = 0 (a jam whose gradients contradict each other) gives
//! 0.

use crate::error::{Result, SweepingError, check_finite, check_len};
use crate::lane_sums::{dot, norm, sub};
use crate::metric::Metric;
use crate::moving_set::{MovingSet, ProjectionReport};
use crate::polyhedron::{ConstraintRows, ProjectionFailure, Projector, projection_error};

/// An obstacle that discs must not overlap.
#[derive(Debug, Clone, PartialEq)]
pub enum Obstacle {
    /// { x : ⟨normal, x⟩ ≤ offset }, `normal` of unit length pointing into the free space.
    HalfSpace {
        /// Unit normal.
        normal: Vec<f64>,
        /// Position along it.
        offset: f64,
    },
    /// The segment between two points.
    Segment {
        /// One end.
        from: Vec<f64>,
        /// The other.
        to: Vec<f64>,
    },
}

/// One linearised inequality at the linearisation point.
#[derive(Debug, Clone)]
struct LinearisedGap {
    /// The disc, and the other one of a pair.
    one: usize,
    other: Option<usize>,
    /// Unit vector from `one` to the other disc or the obstacle.
    direction: Vec<f64>,
    /// Gap at the linearisation point.
    gap: f64,
    /// |∇²D|/|∇D|.
    curvature: f64,
}

/// The moving obstacles as a function of time.
type Obstacles = Box<dyn Fn(f64) -> Vec<Obstacle> + Send>;

/// Discs of given radii among obstacles that may move.
pub struct DiscConfiguration {
    space: usize,
    radii: Vec<f64>,
    obstacles: Obstacles,
    metric: Metric,
    time: f64,
    linearisation_point: Vec<f64>,
    present: Vec<Obstacle>,
    /// Warm start: active contacts of the last projection, by discs and obstacle.
    warm_start: Vec<(usize, Option<usize>, usize)>,
    /// The last projection and its rows.
    last: Option<(Projector, Vec<LinearisedGap>)>,
}

impl DiscConfiguration {
    /// Discs of the plane (`space` = 2) or balls (3), without obstacles.
    pub fn new(space: usize, radii: &[f64]) -> Result<Self> {
        if space == 0 || radii.is_empty() {
            return Err(SweepingError::Invalid {
                what: "number of discs or of space dimensions",
                value: 0.0,
                expected: "at least 1",
            });
        }
        if let Some(&value) = radii.iter().find(|r| !(r.is_finite() && **r > 0.0)) {
            return Err(SweepingError::Invalid {
                what: "radius of a disc",
                value,
                expected: "a positive number",
            });
        }
        Ok(Self {
            space,
            radii: radii.to_vec(),
            obstacles: Box::new(|_| Vec::new()),
            metric: Metric::Euclidean,
            time: f64::NAN,
            linearisation_point: vec![f64::NAN; space * radii.len()],
            present: Vec::new(),
            warm_start: Vec::new(),
            last: None,
        })
    }

    /// Adds obstacles, which may move with time.
    pub fn with_obstacles(
        mut self,
        obstacles: impl Fn(f64) -> Vec<Obstacle> + Send + 'static,
    ) -> Self {
        self.obstacles = Box::new(obstacles);
        self
    }

    /// Number of discs.
    pub fn count(&self) -> usize {
        self.radii.len()
    }

    /// Dimension of the space of the discs.
    pub fn space(&self) -> usize {
        self.space
    }

    /// Radii of the discs.
    pub fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// The smallest gap of a configuration at time t; negative where discs overlap.
    pub fn least_gap(&self, t: f64, q: &[f64]) -> f64 {
        let obstacles = (self.obstacles)(t);
        let all = self.contacts(q, &obstacles, f64::INFINITY);
        all.iter().fold(f64::INFINITY, |m, c| m.min(c.0.gap))
    }

    fn centre<'a>(&self, q: &'a [f64], i: usize) -> &'a [f64] {
        &q[i * self.space..(i + 1) * self.space]
    }

    /// All contacts with a gap up to `reach`, each with the index of its obstacle. Tests all pairs.
    fn contacts(
        &self,
        q: &[f64],
        obstacles: &[Obstacle],
        reach: f64,
    ) -> Vec<(LinearisedGap, usize)> {
        let mut list = Vec::new();
        for i in 0..self.radii.len() {
            // Pairs of discs.
            for j in i + 1..self.radii.len() {
                let mut d = sub(self.centre(q, j), self.centre(q, i));
                let length = norm(&d);
                let gap = length - self.radii[i] - self.radii[j];
                if gap <= reach {
                    unit(&mut d, length);
                    list.push((
                        LinearisedGap {
                            one: i,
                            other: Some(j),
                            direction: d,
                            gap,
                            // |∇²D| = 2/|q_j − q_i|, |∇D| = √2.
                            curvature: std::f64::consts::SQRT_2 / length.max(f64::MIN_POSITIVE),
                        },
                        0,
                    ));
                }
            }
            // Obstacles.
            for (o, obstacle) in obstacles.iter().enumerate() {
                let contact = self.against(self.centre(q, i), i, obstacle);
                if contact.gap <= reach {
                    list.push((contact, o));
                }
            }
        }
        list
    }

    /// Gap and direction of one disc against one obstacle.
    fn against(&self, x: &[f64], i: usize, obstacle: &Obstacle) -> LinearisedGap {
        let (direction, distance, curvature) = match obstacle {
            Obstacle::HalfSpace { normal, offset } => {
                let direction = normal.iter().map(|v| -v).collect();
                (direction, dot(normal, x) - offset, 0.0)
            }
            // Nearest point of the segment.
            Obstacle::Segment { from, to } => {
                let along = sub(to, from);
                let square = dot(&along, &along).max(f64::MIN_POSITIVE);
                let s = (dot(&sub(x, from), &along) / square).clamp(0.0, 1.0);
                let foot: Vec<f64> = from.iter().zip(&along).map(|(a, v)| a + s * v).collect();
                let mut d = sub(&foot, x);
                let length = norm(&d);
                unit(&mut d, length);
                (d, length, 1.0 / length.max(f64::MIN_POSITIVE))
            }
        };
        LinearisedGap {
            one: i,
            other: None,
            direction,
            gap: distance - self.radii[i],
            curvature,
        }
    }

    /// The row of one contact: ⟨row, q⟩ ≤ bound keeps its linearised gap non-negative.
    fn row(&self, contact: &LinearisedGap) -> (Vec<(usize, f64)>, f64) {
        // gap + ⟨direction, …⟩: the disc forward, the other one backward.
        let mut row = Vec::with_capacity(2 * self.space);
        let mut bound = contact.gap;
        let sides = [(Some(contact.one), 1.0), (contact.other, -1.0)];
        for (disc, sign) in sides {
            let Some(disc) = disc else { continue };
            for (k, d) in contact.direction.iter().enumerate() {
                let at = disc * self.space + k;
                row.push((at, sign * d));
                bound += sign * d * self.linearisation_point[at];
            }
        }
        (row, bound)
    }

    /// Projects `z` onto the linearised set of the contacts in `list`, warm-started by their identity.
    fn solve(
        &mut self,
        t: f64,
        z: &[f64],
        list: &[(LinearisedGap, usize)],
    ) -> Result<ProjectionReport> {
        let n = z.len();
        // Rows of unit length in whitened coordinates.
        let (rows, bounds): (Vec<_>, Vec<_>) = list.iter().map(|c| self.row(&c.0)).unzip();
        let (white, lengths) = ConstraintRows::sparse(n, &rows)?.whitened(&self.metric)?;
        let mut projector = Projector::new(white, 0);
        for a in 0..list.len() {
            projector.bounds[a] = bounds[a] / lengths[a].max(f64::MIN_POSITIVE);
        }
        // Rows differ from step to step: the warm start is matched by name.
        let names: Vec<_> = list.iter().map(|(c, o)| (c.one, c.other, *o)).collect();
        let guess = self
            .warm_start
            .iter()
            .filter_map(|w| names.iter().position(|n| n == w));
        let guess: Vec<usize> = guess.collect();
        projector.warm_start(&guess);
        let mut white_z = z.to_vec();
        self.metric.whiten(&mut white_z);
        let landing = projector
            .solve(&white_z)
            .map_err(|f| projection_error(t, f))?;
        self.warm_start = projector.active.iter().map(|&a| names[a]).collect();
        let contacts = list.iter().map(|c| c.0.clone()).collect();
        self.last = Some((projector, contacts));
        Ok(landing)
    }
}

fn unit(d: &mut [f64], length: f64) {
    if length > 0.0 {
        d.iter_mut().for_each(|v| *v /= length);
    } else if let Some(first) = d.first_mut() {
        // Coincident centres have no direction: any separates them.
        *first = 1.0;
    }
}

impl MovingSet for DiscConfiguration {
    fn dim(&self) -> usize {
        self.space * self.radii.len()
    }

    fn set_metric(&mut self, metric: &Metric) -> Result<()> {
        metric.check(self.dim())?;
        self.metric = metric.clone();
        Ok(())
    }

    fn linearise_at(&mut self, t: f64, at: &[f64]) -> Result<()> {
        check_len("configuration", at.len(), self.dim())?;
        check_finite("configuration", at, t)?;
        self.present = (self.obstacles)(t);
        for obstacle in &self.present {
            let (a, b) = match obstacle {
                Obstacle::HalfSpace { normal, offset } => (normal, std::slice::from_ref(offset)),
                Obstacle::Segment { from, to } => (from, to.as_slice()),
            };
            check_len("obstacle", a.len(), self.space)?;
            check_finite("obstacle", a, t)?;
            check_finite("obstacle", b, t)?;
        }
        self.time = t;
        self.linearisation_point.copy_from_slice(at);
        Ok(())
    }

    fn project_into(&mut self, t: f64, z: &[f64], out: &mut [f64]) -> Result<ProjectionReport> {
        check_len("point to project", z.len(), self.dim())?;
        check_finite("point to project", z, t)?;
        if self.time != t || self.linearisation_point[0].is_nan() {
            self.linearise_at(t, z)?;
        }
        // Largest displacement of a disc, and largest radius.
        let step = sub(z, &self.linearisation_point);
        let longest = step.chunks_exact(self.space).map(norm).fold(0.0, f64::max);
        let widest = self.radii.iter().copied().fold(0.0, f64::max);
        let obstacles = self.present.clone();
        // Candidate margin: twice what two discs can approach each other before any correction.
        let mut reach = 4.0 * longest + 0.1 * widest;
        loop {
            let list = self.contacts(&self.linearisation_point, &obstacles, reach);
            let landing = self.solve(t, z, &list)?;
            if let Some((projector, _)) = &self.last {
                out.copy_from_slice(&projector.x);
            }
            self.metric.unwhiten(out);
            check_finite("nearest point", out, t)?;
            let overlap = -self.least_gap(t, out);
            // Rounding of positions; the overlap of a pair that was left out is larger.
            let clean = overlap <= 1e-10 * widest;
            if clean || reach.is_infinite() {
                return Ok(ProjectionReport {
                    violation: overlap.max(0.0),
                    ..landing
                });
            }
            // A pair was left out: widen the margin, finally to all pairs.
            reach = if reach < 100.0 * widest {
                4.0 * reach
            } else {
                f64::INFINITY
            };
        }
    }

    fn normal_cone_distance(&mut self, _t: f64, p: &[f64], y: &[f64]) -> Result<f64> {
        let Some((projector, contacts)) = &self.last else {
            return Ok(0.0);
        };
        let mut rest = y.to_vec();
        let mut work = 0.0;
        // Subtract the multipliers' part of y; the rest is the distance from the cone, and complementarity is added.
        for (&a, &u) in projector.active.iter().zip(&projector.u) {
            let (row, bound) = self.row(&contacts[a]);
            let length = white_length(&self.metric, &row);
            let value: f64 = row.iter().map(|&(j, g)| g * p[j]).sum();
            row.iter().for_each(|&(j, g)| rest[j] -= u / length * g);
            work += u * (bound - value).abs() / length;
        }
        let mut raised = rest.clone();
        self.metric.raise(&mut raised);
        let off = dot(&rest, &raised).max(0.0).sqrt();
        Ok(off + work / norm(y).max(1e-6 * (1.0 + norm(p))))
    }

    /// 0 where no obstacle moves: the set stays as it is. Else unknown.
    fn excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        Ok(((self.obstacles)(from) == (self.obstacles)(to)).then_some(0.0))
    }

    fn prox_regularity_radius(&mut self) -> Result<Option<f64>> {
        let n = self.dim();
        let widest = self.radii.iter().copied().fold(0.0, f64::max);
        // Closed: within a millionth of a radius.
        let touching = self.contacts(&self.linearisation_point, &self.present, 1e-6 * widest);
        let curvature = touching.iter().map(|c| c.0.curvature).fold(0.0, f64::max);
        if curvature == 0.0 {
            return Ok(Some(f64::INFINITY));
        }
        // 1/d is the length of the shortest v with e_i·v ≥ 1.
        let rows: Vec<_> = touching.iter().map(|c| self.row(&c.0).0).collect();
        let (units, _) = ConstraintRows::sparse(n, &rows)?.whitened(&Metric::Euclidean)?;
        let mut projector = Projector::new(units, 0);
        projector.bounds.fill(-1.0);
        let all: Vec<usize> = (0..touching.len()).collect();
        projector.warm_start(&all);
        match projector.solve(&vec![0.0; n]) {
            Ok(_) => Ok(Some(1.0 / (norm(&projector.x) * curvature))),
            Err(ProjectionFailure::Empty { .. }) => Ok(Some(0.0)),
            Err(stalled) => Err(projection_error(self.time, stalled)),
        }
    }

    fn reset_warm_start(&mut self) {
        self.warm_start.clear();
        self.last = None;
    }
}

/// Length of a sparse row as a covector, in the metric A⁻¹.
fn white_length(metric: &Metric, row: &[(usize, f64)]) -> f64 {
    match metric {
        Metric::Euclidean => row.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt(),
        Metric::Diagonal(d) => row.iter().map(|e| e.1 * e.1 / d[e.0]).sum::<f64>().sqrt(),
        Metric::Full(m) => {
            let mut g = vec![0.0; m.dim()];
            row.iter().for_each(|&(j, v)| g[j] = v);
            let dense = g.clone();
            m.solve(&mut g);
            dot(&dense, &g).max(0.0).sqrt()
        }
    }
}
