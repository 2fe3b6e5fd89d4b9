//! Ground motion from an accelerogram: integration with baseline correction.
//!
//! ```text
//! a(t) piecewise linear between the rows,   v = ∫ a,   x = ∫ v,   v = x = 0 at the first row
//! drift removed:  v ← v − p,  p(s) = c₁ s + c₂ s²  with  ∫ (v − p)² ds smallest,  s = t − t₀
//! ```
//!
//! p is a velocity; its derivative c₁ + 2 c₂ s is subtracted from the acceleration, which stays
//! piecewise linear, and its integral from the displacement (baseline correction). v is quadratic and x cubic on
//! every interval; both are exact, and x is twice differentiable wherever a is continuous. Everything is
//! linear in the record.
//!
//! Before the first row the ground is at rest at its origin. The velocity left at the last row (small after
//! baseline correction) is removed by a triangular acceleration pulse over a twentieth of
//! the record's duration; from there on the ground is at rest. So the velocity has no jump anywhere
//! and the record itself is not changed.

mod accelerogram;

pub use accelerogram::{Accelerogram, AccelerogramError};

/// Baseline correction: treatment of a drift of the velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Drift {
    /// The least-squares polynomial of degree 2 through 0 at the start is removed.
    #[default]
    Remove,
    /// No correction.
    Keep,
}

/// Duration of the final pulse over that of the record.
const STOP: f64 = 0.05;

/// Displacement, velocity and acceleration of the ground at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ground {
    /// Displacement.
    pub x: f64,
    /// Velocity.
    pub v: f64,
    /// Acceleration; at a jump the one after it.
    pub a: f64,
}

/// Ground motion: a piecewise cubic displacement.
#[derive(Debug, Clone, PartialEq)]
pub struct GroundMotion {
    pieces: Vec<Piece>,
    /// Time and displacement from which on the ground is at rest.
    end: (f64, f64),
    coefficients: [f64; 2],
}

/// One interval of the motion, from time t on: x + v s + a s²/2 + j s³/6.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    t: f64,
    start: Ground,
    jerk: f64,
}

impl Piece {
    fn at(&self, t: f64) -> Ground {
        let s = t - self.t;
        let Ground { x, v, a } = self.start;
        Ground {
            x: x + s * (v + s * (a / 2.0 + s * self.jerk / 6.0)),
            v: v + s * (a + s * self.jerk / 2.0),
            a: a + s * self.jerk,
        }
    }
}

impl GroundMotion {
    /// Integrates an accelerogram twice.
    pub fn new(record: &Accelerogram, drift: Drift) -> Self {
        let rows = record.rows();
        let mut pieces = integrate(rows.iter().copied());
        let mut coefficients = [0.0; 2];
        let t0 = pieces.first().map_or(0.0, |piece| piece.t);
        // Baseline correction: fit the drift of the velocity, subtract its derivative, integrate again.
        if drift == Drift::Remove {
            coefficients = fit(&pieces, rows);
            let [c1, c2] = coefficients;
            pieces = integrate(rows.iter().map(|[t, a]| [*t, a - c1 - 2.0 * c2 * (t - t0)]));
        }
        let end = stop(&mut pieces, rows, t0);
        Self {
            pieces,
            end,
            coefficients,
        }
    }

    /// The ground at a time: at rest before and after the motion. Costs a binary search.
    pub fn at(&self, t: f64) -> Ground {
        if t >= self.end.0 {
            return Ground {
                x: self.end.1,
                ..Ground::default()
            };
        }
        match self.pieces.partition_point(|piece| piece.t <= t) {
            0 => Ground::default(),
            after => self.pieces[after - 1].at(t),
        }
    }

    /// When the ground begins to move and when it is at rest again.
    pub fn times(&self) -> [f64; 2] {
        [self.pieces.first().map_or(0.0, |piece| piece.t), self.end.0]
    }

    /// Coefficients of the drift that was removed: c₁ and c₂.
    pub fn drift(&self) -> [f64; 2] {
        self.coefficients
    }
}

/// The intervals between rows of time and acceleration, integrated from rest.
fn integrate(rows: impl Iterator<Item = [f64; 2]>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for [t, a] in rows {
        let mut start = Ground {
            a,
            ..Ground::default()
        };
        // Linear acceleration up to this row gives the jerk and the state reached.
        if let Some(last) = pieces.last_mut() {
            last.jerk = (a - last.start.a) / (t - last.t);
            let reached = last.at(t);
            start = Ground { a, ..reached };
        }
        pieces.push(Piece {
            t,
            start,
            jerk: 0.0,
        });
    }
    pieces
}

/// c₁ and c₂ of the drift: ∫ (v − c₁ s − c₂ s²)² ds smallest. v s and v s² have degree 3 and 4 on an
/// interval: three-point Gauss quadrature integrates them exactly. s is scaled by the duration T, so that the
/// normal equations are those of s and s² on [0, 1]: [1/3 1/4; 1/4 1/5].
fn fit(pieces: &[Piece], rows: &[[f64; 2]]) -> [f64; 2] {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return [0.0; 2];
    };
    // Nodes and weights of three-point Gauss quadrature.
    let duration = last[0] - first[0];
    let far = (3.0_f64 / 5.0).sqrt();
    let points = [(-far, 5.0 / 18.0), (0.0, 8.0 / 18.0), (far, 5.0 / 18.0)];
    let (mut b1, mut b2) = (0.0, 0.0);
    // Right-hand sides ∫ v s and ∫ v s² by Gauss quadrature.
    for (piece, pair) in pieces.iter().zip(rows.windows(2)) {
        let (from, to) = (pair[0][0], pair[1][0]);
        let width = to - from;
        for (at, weight) in points {
            let t = from + 0.5 * (1.0 + at) * width;
            let s = (t - first[0]) / duration;
            let part = weight * width / duration * piece.at(t).v;
            b1 += part * s;
            b2 += part * s * s;
        }
    }
    // Inverse of the matrix: 240·[1/5 −1/4; −1/4 1/3].
    let c1 = 48.0 * b1 - 60.0 * b2;
    let c2 = 80.0 * b2 - 60.0 * b1;
    [c1 / duration, c2 / (duration * duration)]
}

/// Brings the ground to rest after the last row; returns time and displacement.
fn stop(pieces: &mut Vec<Piece>, rows: &[[f64; 2]], t0: f64) -> (f64, f64) {
    let Some(last) = pieces.pop() else {
        return (0.0, 0.0);
    };
    let v = last.start.v;
    let half = 0.5 * STOP * (rows.last().map_or(t0, |row| row[0]) - t0);
    if v == 0.0 {
        return (last.t, last.start.x);
    }
    // −v = area of the triangular pulse = half · peak.
    let jerk = -v / (half * half);
    let first = Piece {
        t: last.t,
        start: Ground {
            a: 0.0,
            ..last.start
        },
        jerk,
    };
    let second = Piece {
        t: last.t + half,
        start: first.at(last.t + half),
        jerk: -jerk,
    };
    let end = second.t + half;
    let x = second.at(end).x;
    pieces.extend([first, second]);
    (end, x)
}
