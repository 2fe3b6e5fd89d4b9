//! Colour maps that are perceptually uniform, and fill colours for bodies without a value.

/// A colour, 8 bits each of red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl std::fmt::Display for Rgb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl Rgb {
    /// Red, green, blue.
    pub fn parts(self) -> [u8; 3] {
        [self.0, self.1, self.2]
    }

    /// Linear interpolation to another colour by a fraction `share`.
    pub(super) fn mix(self, other: Self, share: f64) -> Self {
        let one = |a: u8, b: u8| {
            let (a, b) = (f64::from(a), f64::from(b));
            (a + (b - a) * share.clamp(0.0, 1.0)).round() as u8
        };
        Self(
            one(self.0, other.0),
            one(self.1, other.1),
            one(self.2, other.2),
        )
    }

    /// Darkened by a fraction.
    pub(super) fn darker(self, share: f64) -> Self {
        self.mix(Self(0, 0, 0), share)
    }

    /// A colour for thin lines on this one: darker, or lighter where this one is dark itself.
    pub(super) fn line(self) -> Self {
        let light = 0.2126 * f64::from(self.0) + 0.7152 * f64::from(self.1);
        match light + 0.0722 * f64::from(self.2) < 85.0 {
            true => self.lighter(0.45),
            false => self.darker(0.55),
        }
    }

    /// Lightened by a fraction.
    pub(super) fn lighter(self, share: f64) -> Self {
        self.mix(Self(255, 255, 255), share)
    }
}

/// Colours from their hexadecimal numbers, red first.
const fn colours<const N: usize>(numbers: [u32; N]) -> [Rgb; N] {
    let mut all = [Rgb(0, 0, 0); N];
    let mut k = 0;
    while k < N {
        let [_, red, green, blue] = numbers[k].to_be_bytes();
        all[k] = Rgb(red, green, blue);
        k += 1;
    }
    all
}

/// Fill of bodies without a value.
pub(super) const PLAIN: Rgb = Rgb(176, 196, 216);

/// Fill of fixed and kinematic bodies.
pub(super) const FIXED: Rgb = Rgb(208, 208, 206);

/// Fill of half-planes and other solid boundaries.
pub(super) const GROUND: Rgb = Rgb(240, 239, 236);

/// Colour of force lines.
pub(super) const FORCE: Rgb = Rgb(178, 48, 56);

/// Fills by material, in order: light, so that thin outlines and glyphs remain visible on them.
const MATERIALS: [Rgb; 8] = colours([
    0xb0c4d8, 0xeec896, 0xaaccaa, 0xeeb0be, 0xc8bee0, 0xbee0e2, 0xd6ce96, 0xcdbeaf,
]);

/// Colour of the n-th material in use.
pub(super) fn of_material(number: usize) -> Rgb {
    MATERIALS[number % MATERIALS.len()]
}

/// Viridis, sampled at ten equidistant values: perceptually uniform, also in grey.
const VIRIDIS: [Rgb; 10] = colours([
    0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c,
    0xfde725,
]);

/// Diverging map from blue over near white to red, with equal luminance at both ends: for values of both signs.
const SIGNED: [Rgb; 9] = colours([
    0x054c85, 0x3776a8, 0x76a4c9, 0xb6cfe2, 0xf1f0ee, 0xecc6b2, 0xdb9274, 0xbc5842, 0x8b1d20,
]);

/// Number of levels of a colour map: more cannot be told apart, and the SVG stays small.
const LEVELS: f64 = 64.0;

/// A colour map over an interval of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColourMap {
    pub low: f64,
    pub high: f64,
    /// Whether the map is diverging, with 0 at its centre.
    pub signed: bool,
}

impl ColourMap {
    /// A map that covers all `values`: from 0 or from the smallest value up, or from −m to m.
    pub fn over(values: impl Iterator<Item = f64>, from_zero: bool, signed: bool) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|v| v.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if !(low <= high) {
            (low, high) = (0.0, 1.0);
        }
        if signed {
            let most = low.abs().max(high.abs());
            (low, high) = (-most, most);
        } else if from_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        // All values are equal: any nonempty interval will do.
        if !(high - low > 1e-12 * high.abs().max(low.abs())) {
            let room = if high == 0.0 { 1.0 } else { 0.5 * high.abs() };
            high += room;
            if signed || (!from_zero && low != 0.0) {
                low -= room;
            }
        }
        Self { low, high, signed }
    }

    /// The colour of a value, rounded to one of the levels.
    pub fn colour(&self, value: f64) -> Rgb {
        let place = (value - self.low) / (self.high - self.low);
        if place.is_nan() {
            return PLAIN;
        }
        self.at((place.clamp(0.0, 1.0) * LEVELS).round() / LEVELS)
    }

    /// The colour at a fraction between 0 and 1.
    pub(super) fn at(&self, place: f64) -> Rgb {
        let stops: &[Rgb] = if self.signed { &SIGNED } else { &VIRIDIS };
        let last = stops.len() - 1;
        let at = place.clamp(0.0, 1.0) * last as f64;
        let k = (at.floor() as usize).min(last - 1);
        stops[k].mix(stops[k + 1], at - k as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_begin_and_end_with_their_colours_and_are_monotone_in_lightness() {
        let ramp = ColourMap::over([2.0, 5.0].into_iter(), true, false);
        assert_eq!((ramp.low, ramp.high), (0.0, 5.0));
        assert_eq!(ramp.colour(0.0), VIRIDIS[0]);
        assert_eq!(ramp.colour(5.0), VIRIDIS[9]);
        assert_eq!(ramp.colour(99.0), VIRIDIS[9]);
        // Rec. 709 luminance increases monotonically.
        let light =
            |c: Rgb| 0.2126 * f64::from(c.0) + 0.7152 * f64::from(c.1) + 0.0722 * f64::from(c.2);
        let along: Vec<f64> = (0..=20)
            .map(|k| light(ramp.at(f64::from(k) / 20.0)))
            .collect();
        assert!(along.windows(2).all(|w| w[0] < w[1]), "{along:?}");
    }

    #[test]
    fn values_of_both_signs_have_zero_in_the_middle() {
        let ramp = ColourMap::over([-1.0, 3.0].into_iter(), false, true);
        assert_eq!((ramp.low, ramp.high), (-3.0, 3.0));
        assert_eq!(ramp.colour(0.0), SIGNED[4]);
    }

    #[test]
    fn what_is_all_alike_or_nothing_has_a_scale() {
        for values in [
            vec![],
            vec![0.0],
            vec![-2.0],
            vec![7.0, 7.0],
            vec![f64::NAN],
        ] {
            for (zero, signed) in [(true, false), (false, false), (false, true)] {
                let ramp = ColourMap::over(values.iter().copied(), zero, signed);
                assert!(ramp.high > ramp.low, "{values:?}");
            }
        }
        assert_eq!(
            ColourMap::over([1.0].into_iter(), true, false).colour(f64::NAN),
            PLAIN
        );
    }
}
