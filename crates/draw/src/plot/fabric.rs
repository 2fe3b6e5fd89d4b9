//! Rose diagram of contact normals: `fabric`.
//!
//! A contact normal has no sign: each is counted in both directions. With n bins of width 2π/n and the fraction
//! s_k of the directions (or of the normal impulses) in bin k, the density relative to the isotropic one is d_k
//! = n s_k, and its sector is drawn with radius √d_k: areas are fractions, and every diagram has the area π of
//! the unit circle. Fabric anisotropy a and its direction θ_a are those of the second harmonic,
//!
//! ```text
//! a (cos 2θ_a, sin 2θ_a) = 2 Σ w (cos 2θ, sin 2θ) / Σ w,      E(θ) ≈ (1 + a cos 2(θ − θ_a)) / 2π
//! ```

use percuss_record::{PlotError, Record};

use super::options::PlotOptions;
use super::row_selection::{entry, select_rows};
use crate::picture::{DirectionDensity, RoseDiagram};

/// Name of the plot.
pub(super) const FABRIC: &str = "fabric";

/// Options supported in the plane, and in space.
const HEEDED: [&str; 3] = ["--at", "--where", "--plane"];

/// A direction in the plane of the diagram, with its weight.
type Direction = (f64, f64);

/// Rose diagram of the normals of contacts with a normal impulse, and of their impulses.
pub(super) fn rose(
    record: &Record,
    name: &str,
    wish: &PlotOptions,
) -> Result<RoseDiagram, PlotError> {
    let flat = entry(record, "contacts")?
        .iter()
        .all(|c| c.name != "normal_z");
    wish.require(name, if flat { &HEEDED[..2] } else { &HEEDED })?;
    let axes = plane(wish, flat)?;
    let mut wish = wish.clone();
    if wish.at.is_none() {
        wish.at = record.manifest().reached.or(Some(f64::MAX));
    }
    let [across, up] = axes.map(|axis| format!("normal_{axis}"));
    let columns = [across.as_str(), up.as_str(), "impulse_n", "t"];
    let picked = select_rows(record, "contacts", &columns, None, &wish)?;
    let [x, y, impulse, t] = picked.numbers.as_slice() else {
        return Err(PlotError::Nothing("there are no contacts".into()));
    };
    let mut directions: Vec<Direction> = Vec::new();
    for k in 0..x.len() {
        // A normal perpendicular to the plane has no direction in it.
        let across = !(x[k].hypot(y[k]) > 1e-9);
        if impulse[k] > 0.0 && !across {
            directions.push((y[k].atan2(x[k]), impulse[k]));
        }
    }
    if directions.is_empty() {
        let none = "no contact presses then: there are no directions to show".to_string();
        return Err(PlotError::Nothing(none));
    }
    // Multiples of four: a bin is centred on each axis, where many normals lie exactly.
    let bins = match directions.len() {
        0..100 => 12,
        100..500 => 20,
        _ => 36,
    };
    let plain: Vec<Direction> = directions.iter().map(|d| (d.0, 1.0)).collect();
    let petals = |label: &str, of: &[Direction]| {
        let (a, turn) = anisotropy(of);
        DirectionDensity {
            label: format!("{label}: a = {a:.3} at {:.0}°", turn.to_degrees()),
            density: densities(of, bins),
        }
    };
    let at = t.first().map_or(f64::NAN, |t| *t);
    Ok(RoseDiagram {
        title: format!("{}: contact normals", record.manifest().title),
        note: format!(
            "{} contacts that press, t = {} s",
            directions.len(),
            percuss_record::number::format_short(at)
        ),
        axes: axes.map(String::from),
        petals: [
            petals("normals", &plain),
            petals("normal impulses", &directions),
        ],
    })
}

/// The two axes of the diagram.
fn plane(wish: &PlotOptions, flat: bool) -> Result<[&'static str; 2], PlotError> {
    match (wish.plane.as_deref(), flat) {
        (None, true) => Ok(["x", "y"]),
        (Some("xy"), false) => Ok(["x", "y"]),
        // The default plane contains z, usually the vertical.
        (None | Some("xz"), false) => Ok(["x", "z"]),
        (Some("yz"), false) => Ok(["y", "z"]),
        (Some(other), _) => Err(PlotError::Unknown(format!(
            "--plane {other}: xy, xz or yz was expected"
        ))),
    }
}

/// Densities relative to the isotropic one, counterclockwise from the first axis.
fn densities(of: &[Direction], bins: usize) -> Vec<f64> {
    let mut sums = vec![0.0; bins];
    for (angle, weight) in of {
        for angle in [*angle, angle + std::f64::consts::PI] {
            // Bins are centred on the axes.
            let share = (angle / std::f64::consts::TAU + 0.5 / bins as f64).rem_euclid(1.0);
            sums[((share * bins as f64) as usize).min(bins - 1)] += weight;
        }
    }
    let total: f64 = sums.iter().sum();
    sums.iter().map(|s| s / total * bins as f64).collect()
}

/// Amplitude and direction, in [0, π), of the second harmonic.
fn anisotropy(of: &[Direction]) -> (f64, f64) {
    let mut sums = [0.0; 3];
    for (angle, weight) in of {
        let (sin, cos) = (2.0 * angle).sin_cos();
        for (sum, part) in sums.iter_mut().zip([cos, sin, 1.0]) {
            *sum += weight * part;
        }
    }
    let [cos, sin, all] = sums;
    let turn = 0.5 * sin.atan2(cos);
    (
        2.0 * cos.hypot(sin) / all,
        turn.rem_euclid(std::f64::consts::PI),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn a_known_distribution_has_its_anisotropy_and_its_densities() {
        // E(θ) = (1 + a cos 2(θ − θ_a))/2π as weights on equal angles.
        let (a, turn, n) = (0.4, 0.7, 100_000);
        let angle = |k: i32| f64::from(k) * PI / f64::from(n);
        let weighted: Vec<Direction> = (0..n)
            .map(|k| (angle(k), 1.0 + a * (2.0 * (angle(k) - turn)).cos()))
            .collect();
        let (found, at) = anisotropy(&weighted);
        // Sums of harmonics over equal angles are exact up to rounding.
        assert!((found - a).abs() < 1e-10 && (at - turn).abs() < 1e-10);
        for (bins, density) in [12, 20, 36].map(|bins| (bins, densities(&weighted, bins))) {
            let width = 2.0 * PI / bins as f64;
            for (k, d) in density.iter().enumerate() {
                // The mean of E over a bin, 2π times; single directions at edges make 1e-4.
                let middle = k as f64 * width;
                let mean = 1.0 + a * (2.0 * (middle - turn)).cos() * width.sin() / width;
                assert!((d - mean).abs() < 1e-3, "{bins} {k}: {d} {mean}");
            }
        }
    }

    #[test]
    fn a_direction_and_its_opposite_are_the_same() {
        let (one, other) = ([(0.3, 2.0), (1.0, 1.0)], [(0.3 - PI, 2.0), (1.0 + PI, 1.0)]);
        assert_eq!(densities(&one, 36), densities(&other, 36));
        let (a, b) = (anisotropy(&one), anisotropy(&other));
        assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12);
    }
}
