//! Quantities with their rates: value and time derivative along the present motion.
//!
//! The plane is the plane z = 0 of space: one implementation serves both.

use std::ops::{Add, Mul, Neg, Sub};

use glam::{DMat3, DVec3};

/// A number and its rate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Jet {
    pub value: f64,
    pub rate: f64,
}

/// A vector and its rate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct VectorJet {
    pub value: DVec3,
    pub rate: DVec3,
}

impl Jet {
    pub fn constant(value: f64) -> Self {
        Self { value, rate: 0.0 }
    }

    /// Square root; the rate is 0 where the value is.
    pub fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        let rate = if value > 0.0 {
            0.5 * self.rate / value
        } else {
            0.0
        };
        Self { value, rate }
    }

    /// The smaller one; where they agree to rounding of `size`, the one that falls faster.
    pub fn min(self, other: Self, size: f64) -> Self {
        let tied = (self.value - other.value).abs() <= 1e-14 * size;
        let first = if tied {
            self.rate <= other.rate
        } else {
            self.value < other.value
        };
        if first { self } else { other }
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            rate: self.rate + other.rate,
        }
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            rate: -self.rate,
        }
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            rate: self.rate * other.value + self.value * other.rate,
        }
    }
}

impl Mul<f64> for Jet {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            rate: self.rate * factor,
        }
    }
}

impl VectorJet {
    pub fn constant(value: DVec3) -> Self {
        Self {
            value,
            rate: DVec3::ZERO,
        }
    }

    pub fn dot(self, other: Self) -> Jet {
        Jet {
            value: self.value.dot(other.value),
            rate: self.rate.dot(other.value) + self.value.dot(other.rate),
        }
    }

    pub fn cross(self, other: Self) -> Self {
        Self {
            value: self.value.cross(other.value),
            rate: self.rate.cross(other.value) + self.value.cross(other.rate),
        }
    }

    pub fn norm(self) -> Jet {
        self.dot(self).sqrt()
    }

    /// Times a number.
    pub fn scaled(self, factor: Jet) -> Self {
        Self {
            value: self.value * factor.value,
            rate: self.rate * factor.value + self.value * factor.rate,
        }
    }

    /// Its unit vector; `None` where its length is not above `least`.
    pub fn unit(self, least: f64) -> Option<Self> {
        let length = self.value.length();
        if !(length > least) {
            return None;
        }
        let value = self.value / length;
        let rate = (self.rate - value * value.dot(self.rate)) / length;
        Some(Self { value, rate })
    }

    /// Tangent of the plane, the vector turned by a right angle about z.
    pub fn perpendicular(self) -> Self {
        let turned = |v: DVec3| DVec3::new(-v.y, v.x, 0.0);
        Self {
            value: turned(self.value),
            rate: turned(self.rate),
        }
    }

    /// Two tangents that make a right-handed frame with this unit vector: the frame of
    /// `percuss_geometry::Dim::contact_frame`, with its rate.
    pub fn tangents(self) -> [Self; 2] {
        let [x, y, z] = [0, 1, 2].map(|k| Jet {
            value: self.value[k],
            rate: self.rate[k],
        });
        let sign = 1.0_f64.copysign(z.value);
        // a = −1/(sign + z), b = x y a.
        let low = sign + z.value;
        let a = Jet {
            value: -1.0 / low,
            rate: z.rate / (low * low),
        };
        let b = x * y * a;
        let one = Jet::constant(1.0);
        let of = |parts: [Jet; 3]| Self {
            value: DVec3::from(parts.map(|p| p.value)),
            rate: DVec3::from(parts.map(|p| p.rate)),
        };
        [
            of([one + x * x * a * sign, b * sign, -x * sign]),
            of([b, one * sign + y * y * a, -y]),
        ]
    }
}

impl Add for VectorJet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            rate: self.rate + other.rate,
        }
    }
}

impl Sub for VectorJet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for VectorJet {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            rate: -self.rate,
        }
    }
}

impl Mul<f64> for VectorJet {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            rate: self.rate * factor,
        }
    }
}

/// A body where it is: centre of mass, rotation, velocity and spin in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placed {
    pub position: VectorJet,
    pub rotation: DMat3,
    pub spin: DVec3,
    /// Angle in the plane, not reduced; 0 in space.
    pub angle: f64,
}

impl Placed {
    /// The world at rest.
    pub const WORLD: Self = Self {
        position: VectorJet {
            value: DVec3::ZERO,
            rate: DVec3::ZERO,
        },
        rotation: DMat3::IDENTITY,
        spin: DVec3::ZERO,
        angle: 0.0,
    };

    /// A point fixed in the body.
    pub fn point(&self, own: DVec3) -> VectorJet {
        self.position + self.direction(own)
    }

    /// A direction fixed in the body.
    pub fn direction(&self, own: DVec3) -> VectorJet {
        let value = self.rotation * own;
        VectorJet {
            value,
            rate: self.spin.cross(value),
        }
    }

    /// Velocity of the material point of the body that is now at `at`, with the rate of that velocity as `at` moves, the
    /// velocity of the centre and the spin being constant.
    pub fn velocity_at(&self, at: VectorJet) -> VectorJet {
        let lever = at - self.position;
        VectorJet {
            value: self.position.rate + self.spin.cross(lever.value),
            rate: self.spin.cross(lever.rate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit vector that turns, at time t.
    fn turning(t: f64) -> DVec3 {
        DVec3::new((0.3 + t).cos(), (0.3 + t).sin(), 0.4 - 0.7 * t).normalize()
    }

    #[test]
    fn rates_of_tangents_are_their_derivatives() {
        for t in [0.0, 0.5, 1.3] {
            let d = 1e-6;
            let slope = (turning(t + d) - turning(t - d)) / (2.0 * d);
            let here = VectorJet {
                value: turning(t),
                rate: slope,
            };
            let ahead = VectorJet::constant(turning(t + d)).tangents();
            let behind = VectorJet::constant(turning(t - d)).tangents();
            for (k, tangent) in here.tangents().iter().enumerate() {
                let rate = (ahead[k].value - behind[k].value) / (2.0 * d);
                // Central differences of 1e-6: errors of 1e-12, rounding of 1e-10.
                assert!((rate - tangent.rate).length() < 1e-8);
                assert!(tangent.value.dot(here.value).abs() < 1e-15);
            }
        }
    }
}
