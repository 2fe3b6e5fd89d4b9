//! Painlevé's paradox: whether a sliding contact may jump without a collision, and by which impulses (P15 §3, M88 §14).
//!
//! ```text
//! γ = min over w ∈ D of Ŵ_nn + Ŵ_nt·w,   Ŵ the contact's block after eliminating the other closed constraints
//! ```
//!
//! γ > 0: sliding goes on uniquely. γ ≤ 0: the impulses that leave u_n = 0 are r = s(1, w), s > 0, with w on the chord
//! { w ∈ D : Ŵ_nn + Ŵ_nt·w = 0 }, a point where γ = 0. For a contact that slides with u_t, u_n = 0, the jumps are
//!
//! ```text
//! least energy (P15 7)    the minimiser of ½ r·Ŵr + u·r over the cone of the chord: ũ
//! Coulomb (M88 12.2)      stick, u_t⁺ = 0, or an end w of the chord with u_t⁺ = −λν, ν normal to D at w, λ ≥ 0
//! ```
//!
//! With one tangential direction the chord is a point and both are ũ. A sliding impulse has u_n = 0 before and after, so
//! that it is at an end of the chord: Ŵ_nn + Ŵ_nt·w = 0 with w on the boundary of D.

use super::Law;
use super::small::norm;

/// A component below this share of its terms is zero.
const ZERO: f64 = 1e-12;

/// Steps of the search for the multiplier of a rolling law, each of which leaves two thirds of the interval.
const SEARCH_STEPS: usize = 200;

/// A jump of one contact: its impulse, and whether every shorter impulse along it is one, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JumpImpulse {
    /// Normal and up to two tangential components.
    pub impulse: [f64; 3],
    /// γ = 0, and the contact slides on in the same direction after every part of the impulse.
    pub segment: bool,
}

/// Ends of the chord { w ∈ D : Ŵ_nn + Ŵ_nt·w = 0 }, equal where it is a point.
type Chord = [[f64; 2]; 2];

impl Law {
    /// γ from the row (Ŵ_nn, Ŵ_nt) of a contact, or of a joint with one bilateral row and friction.
    #[must_use]
    pub fn gamma(&self, row: &[f64]) -> f64 {
        row[0] - self.section_support(row)
    }

    /// γ where a contact that slides with `u` may jump; Ŵ_nn > 0 where γ ≤ 0 belongs to another direction of
    /// sliding, so that continued sliding is the only outcome.
    #[must_use]
    pub fn gamma_of_sliding(&self, row: &[f64], u: &[f64]) -> f64 {
        let gamma = self.gamma(row);
        match gamma > 0.0 || self.may_jump(row, u) {
            true => gamma,
            false => row[0],
        }
    }

    /// Number of bilateral rows whose reaction a friction follows; 0 for laws of contacts and joints without friction.
    #[must_use]
    pub fn reactions_with_friction(&self) -> usize {
        match self {
            Self::BilateralFriction { normal_rows, .. } => *normal_rows,
            _ => 0,
        }
    }

    /// γ of a joint with two bilateral rows and friction, from its block Ŵ, row by row:
    ///
    /// ```text
    /// γ = (1 − μ ‖Ŵ_NN⁻¹ Ŵ_Nt‖) ½ tr Ŵ_NN
    /// ```
    ///
    /// Friction s μ d, |d| = 1, changes the reaction by s c, c = −μ Ŵ_NN⁻¹ Ŵ_Nt d, and s = |R| has one solution for every
    /// load where |c| < 1, that is γ > 0. With one bilateral row the formula is that of [`Law::gamma`].
    #[must_use]
    pub fn gamma_of_pair(&self, block: &[f64]) -> f64 {
        let Self::BilateralFriction { normal_rows: 2, mu } = self else {
            return f64::INFINITY;
        };
        let d = if block.len() == 9 { 3 } else { 4 };
        let at = |i: usize, j: usize| block[i * d + j];
        let det = at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0);
        // Columns of Ŵ_NN⁻¹ Ŵ_Nt, and its largest singular value.
        let column = |j: usize| {
            [
                (at(1, 1) * at(0, j) - at(0, 1) * at(1, j)) / det,
                (at(0, 0) * at(1, j) - at(1, 0) * at(0, j)) / det,
            ]
        };
        let first = column(2);
        let second = if d == 4 { column(3) } else { [0.0; 2] };
        let (a, b, c) = (dot(first, first), dot(second, second), dot(first, second));
        let largest = 0.5 * (a + b) + (0.25 * (a - b) * (a - b) + c * c).sqrt();
        let gamma = (1.0 - mu * largest.sqrt()) * 0.5 * (at(0, 0) + at(1, 1));
        if gamma.is_nan() { f64::INFINITY } else { gamma }
    }

    /// The impulse of least kinetic energy among those that leave u_n = 0 (P15 7), of a contact that slides with the
    /// tangential velocity `u`; `block` is Ŵ, row by row. Empty where ũ = u⁻, `None` for laws of more than three rows or
    /// of rolling resistance.
    #[must_use]
    pub fn least_energy_jump(&self, block: &[f64], u: &[f64]) -> Option<Vec<JumpImpulse>> {
        let jump = ContactJump::new(self, block, u)?;
        Some(jump.map_or_else(Vec::new, |jump| jump.least_energy()))
    }

    /// The impulses by which Coulomb's law lets a contact jump that slides with the tangential velocity `u` and u_n = 0,
    /// the zero impulse apart; `block` is Ŵ, row by row. `None` for laws of more than three rows or of rolling
    /// resistance.
    #[must_use]
    pub fn coulomb_jumps(&self, block: &[f64], u: &[f64]) -> Option<Vec<JumpImpulse>> {
        let jump = ContactJump::new(self, block, u)?;
        Some(jump.map_or_else(Vec::new, |jump| match u.len() {
            // One direction: Coulomb's law is the least energy.
            1 => jump.least_energy(),
            _ => jump.coulomb(self),
        }))
    }

    /// Support max over D of −Ŵ_nt·w. A joint with friction has no unilateral normal row and hence no De Saxcé
    /// shift; its section is the disc of its coefficient.
    fn section_support(&self, row: &[f64]) -> f64 {
        match self {
            Self::BilateralFriction { normal_rows: 1, mu } => mu * norm(&row[1..]),
            _ => self.shift(row),
        }
    }

    /// Whether an impulse (1, w), w ∈ D, that leaves u_n unchanged dissipates energy while sliding at `u`:
    /// Ŵ_nn + Ŵ_nt·w = 0 and u·w < 0.
    fn may_jump(&self, row: &[f64], u: &[f64]) -> bool {
        match self.chord(row) {
            Some(ends) => ends
                .iter()
                .any(|w| w.iter().zip(u).map(|(w, u)| w * u).sum::<f64>() < 0.0),
            None => self.least_power(row, u) < 0.0,
        }
    }

    /// The chord of a contact with γ ≤ 0, up to rounding; the second components are 0 in the plane. `None` for the
    /// sections of rolling laws in space.
    fn chord(&self, row: &[f64]) -> Option<Chord> {
        if let [normal, coupling] = row {
            return Some([[-normal / coupling, 0.0]; 2]);
        }
        let &[normal, a, b] = row else { return None };
        match self {
            Self::CoulombPolygon(section) => {
                Some(polygon_chord(section.vertices(), [normal, a, b]))
            }
            Self::RollingPlane { mu, mu_roll } => {
                let (x, y) = (*mu, *mu_roll);
                let corners = [[x, y], [-x, y], [-x, -y], [x, -y]];
                Some(polygon_chord(&corners, [normal, a, b]))
            }
            _ => {
                // An ellipse is a disc after scaling.
                let axes = self.axes()?;
                let p = [axes[0] * a, axes[1] * b];
                let square = dot(p, p);
                let half = (1.0 - normal * normal / square).max(0.0).sqrt();
                Some([1.0, -1.0].map(|sign| {
                    let across = sign * half / square.sqrt();
                    [
                        axes[0] * (-normal * p[0] / square - across * p[1]),
                        axes[1] * (-normal * p[1] / square + across * p[0]),
                    ]
                }))
            }
        }
    }

    /// Half axes of a section that is a disc or an ellipse.
    fn axes(&self) -> Option<[f64; 2]> {
        match self {
            Self::CoulombElliptic { mu1, mu2 } => Some([*mu1, *mu2]),
            Self::BilateralFriction { mu, .. } => Some([*mu; 2]),
            _ => self.disc_radius().map(|mu| [mu; 2]),
        }
    }

    /// Smallest u·w over the chord, by duality: max over τ of τ Ŵ_nn − max over D of −(u + τ Ŵ_nt)·w, a concave function.
    fn least_power(&self, row: &[f64], u: &[f64]) -> f64 {
        let mut shifted = [0.0; super::MAX_ROWS];
        let mut value = |tau: f64| {
            for (i, shifted) in shifted[1..row.len()].iter_mut().enumerate() {
                *shifted = u[i] + tau * row[i + 1];
            }
            tau * row[0] - self.shift(&shifted[..row.len()])
        };
        // The maximum is where u and τ Ŵ_nt are of one size, or without bound.
        let far = 1e6 * norm(u) / norm(&row[1..]);
        let (mut low, mut high) = (-far, far);
        for _ in 0..SEARCH_STEPS {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            match value(a) < value(b) {
                true => low = a,
                false => high = b,
            }
        }
        value(0.5 * (low + high))
    }
}

/// Chord of a polygon: where its edges cross the line n + p·w = 0; the lowest vertex where none does to rounding.
fn polygon_chord(vertices: &[[f64; 2]], [n, a, b]: [f64; 3]) -> Chord {
    let height = |v: [f64; 2]| n + a * v[0] + b * v[1];
    let (mut ends, mut count) = ([[0.0; 2]; 2], 0);
    for (k, &v) in vertices.iter().enumerate() {
        let w = vertices[(k + 1) % vertices.len()];
        let (from, to) = (height(v), height(w));
        if (from < 0.0) != (to < 0.0) && count < 2 {
            let share = from / (from - to);
            ends[count] = [0, 1].map(|i| v[i] + share * (w[i] - v[i]));
            count += 1;
        }
    }
    let lowest = vertices.iter().copied();
    let lowest = lowest.min_by(|v, w| height(*v).total_cmp(&height(*w)));
    match (count, lowest) {
        (2, _) => ends,
        (_, Some(v)) => [v; 2],
        _ => ends,
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// The jump problem of one contact with γ ≤ 0.
struct ContactJump {
    /// Ŵ; the third row and column are 0 in the plane.
    block: [[f64; 3]; 3],
    u: [f64; 2],
    chord: Chord,
    /// γ = 0 to rounding.
    zero: bool,
    /// Whether the chord is a point: γ = 0, or one tangential direction.
    point: bool,
}

impl ContactJump {
    /// `None` for laws without a chord in closed form; `Some(None)` where γ > 0.
    fn new(law: &Law, block: &[f64], u: &[f64]) -> Option<Option<Self>> {
        let (d, width) = (u.len() + 1, u.len());
        let rolling = matches!(law, Law::Rolling { .. } | Law::RollingPlane { .. });
        if !(1..=2).contains(&width) || rolling || !law.normal() {
            return None;
        }
        let mut full = [[0.0; 3]; 3];
        for (i, row) in full.iter_mut().enumerate().take(d) {
            row[..d].copy_from_slice(&block[i * d..(i + 1) * d]);
        }
        let (gamma, normal) = (law.gamma(&block[..d]), full[0][0]);
        if gamma > ZERO * normal {
            return Some(None);
        }
        let zero = gamma >= -ZERO * normal;
        let mut tangential = [0.0; 2];
        tangential[..width].copy_from_slice(u);
        Some(Some(Self {
            block: full,
            u: tangential,
            chord: law.chord(&block[..d])?,
            zero,
            point: zero || width == 1,
        }))
    }

    /// Change of the tangential velocity by the impulse (1, w).
    fn change(&self, w: [f64; 2]) -> [f64; 2] {
        [1, 2].map(|i: usize| self.block[i][0] + self.block[i][1] * w[0] + self.block[i][2] * w[1])
    }

    /// The impulse that makes the contact stick, u_t⁺ = 0, where it is in the cone of the chord.
    fn stick(&self) -> Option<[f64; 3]> {
        let [a, b] = self.chord;
        if self.point {
            // One ray: it stops only what slides along its own change.
            let c = self.change(a);
            let s = -dot(self.u, c) / dot(c, c);
            let left = [self.u[0] + s * c[0], self.u[1] + s * c[1]];
            let stops = s > 0.0 && norm(&left) <= ZERO * norm(&self.u);
            return stops.then(|| [s, s * a[0], s * a[1]]);
        }
        // s_a c_a + s_b c_b = −u.
        let (c, e) = (self.change(a), self.change(b));
        let whole = cross(c, e);
        let s = [-cross(self.u, e) / whole, -cross(c, self.u) / whole];
        let inside = s.iter().all(|s| *s >= 0.0 && s.is_finite());
        let both = [0, 1].map(|i| s[0] * a[i] + s[1] * b[i]);
        inside.then(|| [s[0] + s[1], both[0], both[1]])
    }

    /// The minimiser of ½ r·Ŵr + u·r over the cone of the chord; none where it is 0.
    fn least_energy(&self) -> Vec<JumpImpulse> {
        if !self.point
            && let Some(impulse) = self.stick()
        {
            let segment = false;
            return vec![JumpImpulse { impulse, segment }];
        }
        // On a ray: s = −u·w/(r·Ŵr), which loses (u·w)²/(2 r·Ŵr).
        let rays = self.chord.iter().filter_map(|&w| {
            let (power, size) = (dot(self.u, w), dot(w, self.change(w)));
            (power < 0.0 && size > 0.0).then(|| (power * power / size, -power / size, w))
        });
        let best = rays.max_by(|a, b| a.0.total_cmp(&b.0));
        let jump = best.map(|(_, s, w)| JumpImpulse {
            impulse: [s, s * w[0], s * w[1]],
            segment: self.zero,
        });
        jump.into_iter().collect()
    }

    /// Stick, and slips at the ends of the chord of a contact with two tangential directions.
    fn coulomb(&self, law: &Law) -> Vec<JumpImpulse> {
        let mut found = Vec::new();
        if let Some(impulse) = self.stick() {
            let segment = self.point;
            found.push(JumpImpulse { impulse, segment });
        }
        for &w in &self.chord[usize::from(self.point)..] {
            for normal in law.section_normals(w) {
                // u + s c = −λν.
                let c = self.change(w);
                let whole = cross(c, normal);
                let (s, lambda) = (-cross(self.u, normal) / whole, -cross(c, self.u) / whole);
                let slips = lambda > ZERO * norm(&self.u) / norm(&normal);
                if s > 0.0 && slips && s.is_finite() && lambda.is_finite() {
                    found.push(JumpImpulse {
                        impulse: [s, s * w[0], s * w[1]],
                        segment: false,
                    });
                }
            }
        }
        found
    }
}

impl Law {
    /// Outward normals of the section at a point of its boundary: one, or those of the two edges at a corner.
    fn section_normals(&self, w: [f64; 2]) -> Vec<[f64; 2]> {
        if let Self::CoulombPolygon(section) = self {
            let v = section.vertices();
            let size = v.iter().map(|v| norm(v)).fold(0.0, f64::max);
            let normals = (0..v.len()).filter_map(|k| {
                let (from, to) = (v[k], v[(k + 1) % v.len()]);
                let along = [to[0] - from[0], to[1] - from[1]];
                let apart = cross(along, [w[0] - from[0], w[1] - from[1]]) / norm(&along);
                (apart.abs() <= 1e-9 * size).then_some([along[1], -along[0]])
            });
            return normals.collect();
        }
        match self.axes() {
            Some([a, b]) if a > 0.0 && b > 0.0 => vec![[w[0] / (a * a), w[1] / (b * b)]],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::PolygonSection;

    /// Numbers in [−1, 1].
    fn random(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// Symmetric positive definite, with a coupling that makes γ negative for friction above a half.
    fn block(next: &mut impl FnMut() -> f64) -> [f64; 9] {
        let l: [f64; 9] = std::array::from_fn(|_| next());
        std::array::from_fn(|k| {
            let (i, j) = (k / 3, k % 3);
            let product: f64 = (0..3).map(|m| l[3 * i + m] * l[3 * j + m]).sum();
            product + if i == j { 0.05 } else { 0.0 }
        })
    }

    fn laws(next: &mut impl FnMut() -> f64) -> [Law; 3] {
        let (a, b) = (0.3 + 2.0 * next().abs(), 0.3 + 2.0 * next().abs());
        let corner = |k: usize| {
            let angle = a + std::f64::consts::TAU * k as f64 / 5.0;
            [a * angle.cos(), b * angle.sin()]
        };
        let corners: Vec<[f64; 2]> = (0..5).map(corner).collect();
        [
            Law::Coulomb { mu: a },
            Law::CoulombElliptic { mu1: a, mu2: b },
            PolygonSection::new(&corners).unwrap().into_law(),
        ]
    }

    /// u⁺ after the impulse r.
    fn after(h: &[f64; 9], u: [f64; 2], r: [f64; 3]) -> [f64; 3] {
        let free = [0.0, u[0], u[1]];
        std::array::from_fn(|i| free[i] + (0..3).map(|j| h[3 * i + j] * r[j]).sum::<f64>())
    }

    /// Kinetic energy of r but for a constant.
    fn energy(h: &[f64; 9], u: [f64; 2], r: [f64; 3]) -> f64 {
        let end = after(h, u, r);
        0.5 * (0..3)
            .map(|i| r[i] * (end[i] + [0.0, u[0], u[1]][i]))
            .sum::<f64>()
    }

    /// Impulses s(1, w) of the section on a fine grid of rays with Ŵ_nn + Ŵ_nt·w = 0, each with its best length.
    fn best_of_grid(law: &Law, h: &[f64; 9], u: [f64; 2]) -> f64 {
        let p = [h[1], h[2]];
        let square = dot(p, p);
        let foot = p.map(|x| -h[0] * x / square);
        let mut best = 0.0_f64;
        for k in -4000..=4000 {
            let s = f64::from(k) / 1000.0;
            let w = [foot[0] - s * p[1], foot[1] + s * p[0]];
            let mut nearest = [1.0, w[0], w[1]];
            law.project(&mut nearest);
            let inside = (nearest[1] - w[0]).hypot(nearest[2] - w[1]) < 1e-12;
            let power = dot(u, w);
            if inside && power < 0.0 {
                let one = [1.0, w[0], w[1]];
                let size = 2.0 * energy(h, [0.0; 2], one);
                best = best.min(-0.5 * power * power / size);
            }
        }
        best
    }

    /// ũ is the minimiser of P15 (7): it is in the cone, keeps u_n = 0, and no impulse of a fine grid loses more energy;
    /// it is u⁻ where none loses any.
    #[test]
    fn the_jump_of_least_energy_is_the_minimum_over_the_cone() {
        let mut next = random(3);
        let (mut sticks, mut slides, mut none) = (0, 0, 0);
        for _ in 0..400 {
            let h = block(&mut next);
            let u = [2.0 * next(), 2.0 * next()];
            for law in laws(&mut next) {
                if law.gamma(&h[..3]) > 0.0 {
                    assert!(law.least_energy_jump(&h, &u).unwrap().is_empty());
                    continue;
                }
                let found = law.least_energy_jump(&h, &u).unwrap();
                let grid = best_of_grid(&law, &h, u);
                let [jump] = found[..] else {
                    assert!(found.is_empty() && grid > -1e-12, "{grid} missed");
                    assert!(law.gamma_of_sliding(&h[..3], &u) > 0.0);
                    none += 1;
                    continue;
                };
                let (r, end) = (jump.impulse, after(&h, u, jump.impulse));
                let size = r.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                assert!(end[0].abs() < 1e-12 * size, "u_n = {:e}", end[0]);
                let mut nearest = r;
                law.project(&mut nearest);
                let off = r.iter().zip(&nearest).map(|(a, b)| (a - b).abs());
                assert!(off.fold(0.0, f64::max) < 1e-9 * size, "outside: {r:?}");
                // Rounding of energies of this size; the grid misses the minimum by the square of its spacing.
                let least = energy(&h, u, r);
                assert!(least <= grid + 1e-12 * size * size, "{least} > {grid}");
                assert!(law.gamma_of_sliding(&h[..3], &u) <= 0.0);
                match end[1].hypot(end[2]) < 1e-9 {
                    true => sticks += 1,
                    false => slides += 1,
                }
            }
        }
        assert!(
            sticks > 30 && slides > 30 && none > 30,
            "{sticks} stick, {slides} slide on, {none} without a jump"
        );
    }

    /// The jumps of Coulomb's law satisfy it, and what the exact solver of a contact gives for a vanishing approach is
    /// u⁻ or one of them: none is missing where the solver goes.
    #[test]
    fn the_jumps_of_coulombs_law_are_where_vanishing_approaches_lead() {
        let mut next = random(5);
        let (mut stays, mut jumps, mut several) = (0, 0, 0);
        for _ in 0..1000 {
            let h = block(&mut next);
            let u = [2.0 * next(), 2.0 * next()];
            for law in laws(&mut next) {
                let found = law.coulomb_jumps(&h, &u).unwrap();
                if law.gamma(&h[..3]) > 0.0 {
                    assert!(found.is_empty());
                    continue;
                }
                several += i32::from(found.len() > 1);
                for jump in &found {
                    let (r, end) = (jump.impulse, after(&h, u, jump.impulse));
                    let size = r.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                    let mut f = [0.0; 3];
                    law.natural_residual(1.0, &r, &end, &mut f);
                    assert!(f.iter().all(|x| x.abs() < 1e-8 * size), "{f:?} at {r:?}");
                }
                let mut r = [0.0; 3];
                law.solve_local(&h, &[-1e-10, u[0], u[1]], &mut r);
                let end = after(&h, u, r);
                let near = |other: [f64; 3]| {
                    let apart = [0, 1].map(|i: usize| end[i + 1] - other[i + 1]);
                    // The approach over γ: blocks with a γ near 0 are further.
                    apart[0].hypot(apart[1]) < 1e-5
                };
                let stay = near([0.0, u[0], u[1]]);
                assert!(
                    stay || found.iter().any(|j| near(after(&h, u, j.impulse))),
                    "{law:?}: {end:?} from {u:?}, found {found:?}"
                );
                match stay {
                    true => stays += 1,
                    false => jumps += 1,
                }
            }
        }
        assert!(
            stays > 30 && jumps > 100 && several > 3,
            "{stays} stay, {jumps} jump, {several} have several"
        );
    }

    /// γ = 0: the chord is a point w, ũ − u⁻ = −(u·w)/(w·Ŵ_tt w + Ŵ_nt·w) along it, and the segment is said.
    #[test]
    fn at_gamma_zero_the_outcomes_are_a_segment() {
        let h = [1.75, -1.2, 0.0, -1.2, 3.0, 0.4, 0.0, 0.4, 4.0];
        let law = Law::Coulomb { mu: 1.75 / 1.2 };
        let (u, w) = ([-1.0, 0.5], [1.75 / 1.2, 0.0]);
        let jump = law.least_energy_jump(&h, &u).unwrap()[0];
        assert!(jump.segment);
        let s = w[0] / (w[0] * (-1.2 + 3.0 * w[0]));
        // A rounding ε of γ makes a chord of length √ε of the point.
        assert!((jump.impulse[0] - s).abs() < 1e-7, "{jump:?}, not {s}");
        assert!((jump.impulse[1] - s * w[0]).abs() < 1e-7 && jump.impulse[2].abs() < 1e-7);
        // In the plane the same holds of Coulomb's law.
        let plane = [1.75, -1.2, -1.2, 3.0];
        let jump = law.coulomb_jumps(&plane, &[-1.0]).unwrap()[0];
        assert!(jump.segment && (jump.impulse[0] - s).abs() < 1e-12);
    }

    /// The least power over the chord by duality is that of the ends in the plane of a disc.
    #[test]
    fn rolling_laws_jump_as_the_product_of_their_discs() {
        let mut next = random(9);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..300 {
            let row = [0.5, next(), next(), 0.0, 0.0];
            let u = [next(), next(), 0.0, 0.0];
            let disc = Law::Coulomb { mu: 1.2 };
            let rolling = Law::Rolling {
                mu: 1.2,
                mu_roll: 0.1,
                mu_spin: 0.0,
            };
            // Without a coupling of the rolling rows the chord is that of the disc.
            if disc.gamma(&row[..3]) <= -1e-3 {
                let wanted = disc.may_jump(&row[..3], &u[..2]);
                assert_eq!(rolling.may_jump(&row, &u), wanted, "{row:?}, {u:?}");
                match wanted {
                    true => yes += 1,
                    false => no += 1,
                }
            }
        }
        assert!(yes > 20 && no > 20, "{yes} and {no}");
    }
}
