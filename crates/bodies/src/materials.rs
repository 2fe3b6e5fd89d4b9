//! Materials and the contact law of each pair of them.

use std::sync::Arc;

use percuss_contact::Restitution;
use percuss_contact::law::{PolygonSection, StaticDynamic};

/// Friction law between two materials.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Friction {
    /// No friction: the Signorini condition 0 ≤ Ū_n ⊥ S_n ≥ 0 alone.
    #[default]
    None,
    /// Coulomb's law with one coefficient (circular section of the cone).
    Coulomb(f64),
    /// Plane: one coefficient for each sense of sliding. The tangent is the normal turned anticlockwise by a
    /// right angle, so that the sense does not depend on the order of the bodies.
    Asymmetric {
        /// Bound of S_t / S_n towards +t.
        plus: f64,
        /// Bound of −S_t / S_n, towards −t.
        minus: f64,
    },
    /// Space: orthotropic friction with an elliptic section of the cone. Its first axis is the projection of a
    /// direction fixed in the body of the first material.
    Elliptic {
        /// Coefficient along the direction.
        mu1: f64,
        /// Coefficient across it.
        mu2: f64,
        /// The direction, in body axes.
        along: [f64; 3],
    },
    /// Space: friction cone with any convex polygon as section, its first axis as above.
    Polygon {
        /// The section of the cone.
        section: Arc<PolygonSection>,
        /// Its first axis, in body axes.
        along: [f64; 3],
    },
    /// Static and dynamic coefficients (M88 §17).
    StaticDynamic(StaticDynamic),
}

/// Contact law of a pair of materials.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairLaw {
    /// Friction law.
    pub friction: Friction,
    /// Rolling friction: bound of the rolling moment over S_n, a length.
    pub rolling: f64,
    /// Spinning (torsional) friction: bound of the moment about the normal over S_n, a length (space).
    pub spinning: f64,
    /// Coefficients of restitution, normal and tangential.
    pub restitution: Restitution,
}

/// Table of contact laws by pair of materials.
#[derive(Debug, Clone, PartialEq)]
pub struct Materials {
    count: usize,
    /// Row-major count × count; entry (a, b) and (b, a) are the same law.
    table: Vec<PairLaw>,
    /// For entry (a, b): whether a is the first material of the pair as given to `set`.
    first: Vec<bool>,
}

impl Materials {
    /// A table for `count` materials with the law `default` between any two of them.
    pub fn new(count: usize, default: &PairLaw) -> Self {
        Self {
            count,
            table: vec![default.clone(); count * count],
            first: (0..count * count).map(|k| k / count <= k % count).collect(),
        }
    }

    /// Sets the law between two materials; directions of anisotropic friction are fixed in bodies of `first`.
    pub fn set(&mut self, first: usize, second: usize, law: PairLaw) {
        self.table[second * self.count + first] = law.clone();
        self.table[first * self.count + second] = law;
        self.first[second * self.count + first] = false;
        self.first[first * self.count + second] = true;
    }

    /// Number of materials.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The law between bodies of materials a and b, and whether a is the material in whose bodies the directions
    /// of anisotropic friction are fixed.
    #[inline]
    pub fn law(&self, a: u16, b: u16) -> (&PairLaw, bool) {
        let k = a as usize * self.count + b as usize;
        (&self.table[k], self.first[k])
    }
}
