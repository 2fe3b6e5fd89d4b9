//! Contact status of a recorded contact, open, sticking or sliding: the face of its cone of impulses.
//!
//! A solved step obeys its laws to its tolerance, and no recorded number is exactly 0. A velocity counts
//! if it is above the threshold that the tolerance leaves and outweighs the impulse that contradicts it: u_n > 0
//! requires S_n = 0, sliding requires an impulse on the boundary of the cone. Velocity and impulse are compared by
//! κ = d / tr H, as in the residual.

use percuss_contact::law::Law;
use percuss_statics::Face;

/// Law, velocity and impulse of a recorded contact.
pub(super) struct RecordedContact<'a> {
    pub law: &'a Law,
    /// Weighted relative velocity Ū = U_F + ρ U_I by row.
    pub velocity: &'a [f64],
    /// Impulse S by row.
    pub impulse: &'a [f64],
    /// κ, the ratio of impulse to velocity.
    pub kappa: f64,
    /// Threshold: velocities below it are what the tolerance leaves.
    pub still: f64,
}

impl RecordedContact<'_> {
    /// The face of the cone of admissible impulses on which the contact lies.
    pub fn face(&self) -> Face {
        // Bilateral laws have no face but the whole space.
        if !self.law.normal() {
            return Face::Stick;
        }
        // Signorini: open if it separates faster than its impulse contradicts.
        let (u, s) = (self.velocity[0], self.impulse[0]);
        if u > self.still && self.kappa * u > s {
            return Face::Open;
        }
        // Sliding rows: the ratio of the impulse to S_n that the slip direction prescribes.
        let mut tied = vec![None; self.impulse.len()];
        match self.law {
            // Isotropic friction: a disc of radius μ.
            Law::Coulomb { mu } => self.disc(1, self.impulse.len() - 1, *mu, 1.0, &mut tied),
            Law::StaticDynamic { friction, .. } => {
                self.disc(
                    1,
                    self.impulse.len() - 1,
                    self.used(friction),
                    1.0,
                    &mut tied,
                );
            }
            // Plane: the bound opposite to the slip velocity.
            Law::CoulombAsymmetric { plus, minus } => {
                let u = self.velocity[1];
                let bound = if u > 0.0 { -minus } else { *plus };
                if self.slides(u.abs(), (bound * s - self.impulse[1]).abs()) {
                    tied[1] = Some(bound);
                }
            }
            Law::CoulombElliptic { mu1, mu2 } => self.ellipse([*mu1, *mu2], &mut tied),
            Law::CoulombPolygon(section) => self.polygon(section.vertices(), &mut tied),
            // Discs of sliding, rolling and spinning are independent.
            Law::Rolling {
                mu,
                mu_roll,
                mu_spin,
            } => {
                self.disc(1, 2, *mu, 1.0, &mut tied);
                self.disc(3, 2, *mu_roll, *mu_roll, &mut tied);
                if self.impulse.len() > 5 {
                    self.disc(5, 1, *mu_spin, *mu_spin, &mut tied);
                }
            }
            Law::RollingPlane { mu, mu_roll } => {
                self.disc(1, 1, *mu, 1.0, &mut tied);
                self.disc(2, 1, *mu_roll, *mu_roll, &mut tied);
            }
            _ => {}
        }
        // Sliding in at least one group of rows, else sticking.
        match tied.iter().any(Option::is_some) {
            true => Face::Slip(tied),
            false => Face::Stick,
        }
    }

    /// Whether a slip velocity counts against `away`, the distance of the impulse from its value at sliding.
    fn slides(&self, speed: f64, away: f64) -> bool {
        speed > self.still && self.kappa * speed > away
    }

    /// Rows of a disc section of radius `mu`; `lever` turns angular velocities into velocities of points.
    fn disc(&self, first: usize, count: usize, mu: f64, lever: f64, tied: &mut [Option<f64>]) {
        let u = &self.velocity[first..first + count];
        let s = &self.impulse[first..first + count];
        let speed = norm(u);
        if !(speed > 0.0) || mu == 0.0 {
            return;
        }
        // At sliding S_t = −μ S_n u_t/‖u_t‖.
        let goal: Vec<f64> = u.iter().map(|u| -mu * u / speed).collect();
        let away: Vec<f64> = s
            .iter()
            .zip(&goal)
            .map(|(s, d)| s - d * self.impulse[0])
            .collect();
        // Distance of the impulse from its value at sliding, as a force at the lever arm.
        let away = if lever > 0.0 {
            norm(&away) / lever
        } else {
            norm(&away)
        };
        if self.slides(speed * lever, away) {
            for (row, d) in goal.into_iter().enumerate() {
                tied[first + row] = Some(d);
            }
        }
    }

    /// Rows of an elliptic section: the point where −u_t is normal to the ellipse.
    fn ellipse(&self, mu: [f64; 2], tied: &mut [Option<f64>]) {
        let u = &self.velocity[1..3];
        let length = (mu[0] * u[0]).hypot(mu[1] * u[1]);
        if length > 0.0 {
            let goal: [f64; 2] = std::array::from_fn(|k| -mu[k] * mu[k] * u[k] / length);
            self.tie(goal, norm(u), tied);
        }
    }

    /// Rows of a polygonal section: the vertex farthest along −u_t; on an edge normal to u_t, the ratio of the run.
    fn polygon(&self, vertices: &[[f64; 2]], tied: &mut [Option<f64>]) {
        let u = &self.velocity[1..3];
        let against = |v: &[f64; 2]| -(v[0] * u[0] + v[1] * u[1]);
        let best = vertices
            .iter()
            .max_by(|a, b| against(a).total_cmp(&against(b)));
        let Some(best) = best else {
            return;
        };
        let s = self.impulse;
        // On an edge normal to u_t every point maximises the dissipation: keep that of the run.
        let ratio = [s[1] / s[0], s[2] / s[0]];
        let same = (against(best) - against(&ratio)).abs() <= 1e-6 * norm(u);
        let goal = if s[0] > 0.0 && same { ratio } else { *best };
        self.tie(goal, norm(u), tied);
    }

    fn tie(&self, goal: [f64; 2], speed: f64, tied: &mut [Option<f64>]) {
        let s = self.impulse;
        let away = (s[1] - goal[0] * s[0]).hypot(s[2] - goal[1] * s[0]);
        if self.slides(speed, away) {
            tied[1] = Some(goal[0]);
            tied[2] = Some(goal[1]);
        }
    }

    /// Which of the static and the dynamic coefficient a sliding contact used, by the ratio of its impulses.
    fn used(&self, friction: &percuss_contact::law::StaticDynamic) -> f64 {
        // The nearer of the two coefficients to the recorded ratio.
        let ratio = norm(&self.impulse[1..]) / self.impulse[0];
        let (low, high) = (friction.mu_dynamic, friction.mu_static);
        match ratio.is_finite() && (ratio - high).abs() < (ratio - low).abs() {
            true => high,
            false => low,
        }
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
