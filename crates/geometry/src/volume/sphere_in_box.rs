//! Volume of a sphere clipped by an axis-parallel box.
//!
//! ```text
//! one face cuts       π h² (3r − h)/3, the spherical cap of height h
//! otherwise           ∫ |disc(z) ∩ rectangle| dz
//! ```
//!
//! The areas of the sections are exact. As functions of z they are smooth except where the circle passes a side or a
//! corner of the rectangle. Between these break points the substitution z = m + ½w sin(½π s) removes the square-root
//! singularities at the ends, and Gauss–Legendre quadrature converges to rounding.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::DVec2;

use super::clipped_area::disc_area;

/// Nodes and weights of the Gauss–Legendre rule with 16 points, the positive half.
const GAUSS: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// Panels of the quadrature between two break points. Beyond a break point the section continues as another
/// function, whose singularities are near where intervals are of very different length. Four panels leave 1e-12.
const PANELS: usize = 4;

/// Volume of a sphere about 0 clipped by a box.
pub(super) fn ball(radius: f64, low: [f64; 3], high: [f64; 3]) -> f64 {
    let low = low.map(|x| x.max(-radius));
    let high = high.map(|x| x.min(radius));
    if (0..3).any(|k| !(low[k] < high[k])) {
        return 0.0;
    }
    // Distances of the faces that cut the sphere; none and one have closed forms.
    let whole = 4.0 / 3.0 * PI * radius.powi(3);
    let cuts: Vec<f64> = (0..3)
        .flat_map(|k| [-low[k], high[k]])
        .filter(|x| *x < radius)
        .collect();
    match cuts.as_slice() {
        [] => whole,
        [reach] => {
            let height = radius + reach;
            PI * height * height * (3.0 * radius - height) / 3.0
        }
        _ => sections(radius, low, high),
    }
}

/// Quadrature of the section areas along z.
fn sections(radius: f64, low: [f64; 3], high: [f64; 3]) -> f64 {
    let rectangle = [
        DVec2::new(low[0], low[1]),
        DVec2::new(high[0], low[1]),
        DVec2::new(high[0], high[1]),
        DVec2::new(low[0], high[1]),
    ];
    // Break points: where the circle of the section passes a side or a corner of the rectangle.
    let mut places = vec![low[2], high[2]];
    let sides = [low[0], high[0], low[1], high[1]].map(f64::abs);
    let corners = rectangle.map(DVec2::length);
    for distance in sides.into_iter().chain(corners) {
        let square = radius * radius - distance * distance;
        if square > 0.0 {
            places.extend([square.sqrt(), -square.sqrt()]);
        }
    }
    places.retain(|z| (low[2]..=high[2]).contains(z));
    places.sort_by(f64::total_cmp);
    let section = |z: f64| {
        let square = radius * radius - z * z;
        match square > 0.0 {
            true => disc_area(DVec2::ZERO, square.sqrt(), &rectangle),
            false => 0.0,
        }
    };
    // Composite quadrature over each interval, in the variable s.
    let pieces = places.windows(2).map(|ends| {
        let (middle, half) = (0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]));
        let at = |s: f64| {
            let (sin, cos) = (FRAC_PI_2 * s).sin_cos();
            section(middle + half * sin) * half * FRAC_PI_2 * cos
        };
        let width = 1.0 / PANELS as f64;
        let panels = (0..PANELS).map(|k| {
            let centre = (2 * k + 1) as f64 * width - 1.0;
            let both = |s: f64| at(centre + width * s) + at(centre - width * s);
            GAUSS
                .iter()
                .map(|(s, weight)| weight * both(*s))
                .sum::<f64>()
        });
        width * panels.sum::<f64>()
    });
    pieces.sum()
}
