//! The trait [`Vector`]: operations on vectors of the plane and of space that generic code uses.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Index, Mul, Neg, Sub, SubAssign};

use glam::{DVec2, DVec3};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A vector of the plane or of space.
pub trait Vector:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<f64, Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Index<usize, Output = f64>
    + Serialize
    + DeserializeOwned
    + 'static
{
    /// The components as a slice.
    fn components(&self) -> &[f64];
    /// From components; missing ones are 0.
    fn from_components(components: &[f64]) -> Self;
    /// A vector with all components equal.
    fn splat(value: f64) -> Self;
    /// Inner product.
    fn dot(self, other: Self) -> f64;
    /// Componentwise minimum.
    fn min(self, other: Self) -> Self;
    /// Componentwise maximum.
    fn max(self, other: Self) -> Self;
    /// Euclidean length.
    fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }
    /// Whether every component is finite.
    fn is_finite(self) -> bool {
        self.components().iter().all(|x| x.is_finite())
    }
}

macro_rules! vector {
    ($type:ty) => {
        impl Vector for $type {
            #[inline]
            fn components(&self) -> &[f64] {
                self.as_ref()
                // Unlike glam's `from_slice` this accepts a short slice.
            }
            #[inline]
            fn from_components(components: &[f64]) -> Self {
                let mut all = Self::ZERO;
                for (i, value) in components.iter().enumerate() {
                    all[i] = *value;
                }
                all
            }
            #[inline]
            fn splat(value: f64) -> Self {
                Self::splat(value)
            }
            #[inline]
            fn dot(self, other: Self) -> f64 {
                <$type>::dot(self, other)
            }
            #[inline]
            fn min(self, other: Self) -> Self {
                <$type>::min(self, other)
            }
            #[inline]
            fn max(self, other: Self) -> Self {
                <$type>::max(self, other)
            }
        }
    };
}

vector!(DVec2);
vector!(DVec3);
