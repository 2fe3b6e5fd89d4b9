//! Rose diagram (polar histogram): density of directions in the plane, as sectors whose areas are the
//! fractions.

use std::f64::consts::TAU;

use super::svg_writer::{Anchor, SvgWriter};

/// Width and height of the page, and radius of the largest sector.
const SIZE: (f64, f64) = (860.0, 620.0);
const RADIUS: f64 = 240.0;

/// Centre of the rose.
const CENTRE: (f64, f64) = (300.0, 325.0);

/// Colours of the two distributions.
const COLOURS: [&str; 2] = ["#0072b2", "#d55e00"];

/// One distribution of directions.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectionDensity {
    /// Name in the legend.
    pub label: String,
    /// Density relative to the isotropic one; bins are centred on multiples of their width.
    pub density: Vec<f64>,
}

/// Two distributions of directions in one diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct RoseDiagram {
    /// Title.
    pub title: String,
    /// A line below the legend.
    pub note: String,
    /// Names of the axes to the right and up.
    pub axes: [String; 2],
    /// The first filled, the second as an outline.
    pub petals: [DirectionDensity; 2],
}

/// The outline of all sectors, y upwards: radius √density times `unit`.
fn outline(density: &[f64], unit: f64) -> Vec<(f64, f64)> {
    let width = TAU / density.len().max(1) as f64;
    // Arcs as chords of one degree: their area falls short by 5e-5.
    let parts = (width.to_degrees().ceil() as usize).max(1);
    let mut points = Vec::new();
    for (k, d) in density.iter().enumerate() {
        let radius = d.max(0.0).sqrt() * unit;
        for part in 0..=parts {
            let angle = (k as f64 - 0.5 + part as f64 / parts as f64) * width;
            points.push((radius * angle.cos(), radius * angle.sin()));
        }
    }
    points
}

/// Draws the diagram as SVG.
pub fn draw(rose: &RoseDiagram) -> String {
    // Scale: the largest density has the full radius.
    let densities = rose.petals.iter().flat_map(|p| &p.density);
    let most = densities.copied().fold(1.0, f64::max);
    let unit = RADIUS / most.sqrt();
    let mut paper = SvgWriter::new(SIZE.0, SIZE.1);
    let letters = rose.title.chars().count().max(1) as f64;
    let size = (2.0 * (SIZE.0 - 40.0) / letters).clamp(11.0, 20.0);
    paper.text((SIZE.0 / 2.0, 30.0), size, Anchor::Middle, &rose.title);
    grid(&mut paper, rose, most, unit);
    let place = |(x, y): (f64, f64)| (CENTRE.0 + x, CENTRE.1 - y);
    // The first distribution is filled.
    for (petals, colour) in rose.petals.iter().zip(COLOURS).take(1) {
        let fill = format!(
            " class=\"petals\" fill=\"{colour}\" fill-opacity=\"0.3\" stroke=\"{colour}\" \
             stroke-width=\"1\""
        );
        paper.polygon(outline(&petals.density, unit).into_iter().map(place), &fill);
    }
    // The second is an outline.
    for (petals, colour) in rose.petals.iter().zip(COLOURS).skip(1) {
        let line = format!(
            " class=\"petals\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-linejoin=\"round\""
        );
        paper.polygon(outline(&petals.density, unit).into_iter().map(place), &line);
    }
    legend(&mut paper, rose);
    paper.finish()
}

/// Circles of constant density and lines of constant direction.
fn grid(paper: &mut SvgWriter, rose: &RoseDiagram, most: f64, unit: f64) {
    paper.group("fill=\"none\" stroke=\"#000000\" stroke-opacity=\"0.18\" stroke-width=\"1\"");
    for k in 0..12 {
        let (sin, cos) = (TAU * f64::from(k) / 12.0).sin_cos();
        let end = (CENTRE.0 + RADIUS * cos, CENTRE.1 - RADIUS * sin);
        paper.line(CENTRE, end, "");
    }
    let step = crate::axis::nice_floor((most / 2.5).max(0.5));
    let levels = (1..).map(|k| f64::from(k) * step);
    let levels: Vec<f64> = levels.take_while(|d| *d <= most).collect();
    for level in &levels {
        paper.circle(CENTRE, level.sqrt() * unit, "");
    }
    paper.end();
    // The circle of the isotropic distribution.
    let dashed = " fill=\"none\" stroke=\"#444444\" stroke-dasharray=\"4 3\" stroke-width=\"1\"";
    paper.circle(CENTRE, unit, dashed);
    for k in 0..12 {
        let degrees = 30 * k;
        let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
        let reach = RADIUS + 20.0;
        let at = (CENTRE.0 + reach * cos, CENTRE.1 - reach * sin + 5.0);
        let text = match k {
            0 => rose.axes[0].clone(),
            3 => rose.axes[1].clone(),
            _ => format!("{degrees}°"),
        };
        paper.text(at, 14.0, Anchor::Middle, &text);
    }
    // Density labels between two direction lines, where sectors cover them least.
    let (sin, cos) = 75f64.to_radians().sin_cos();
    for level in &levels {
        let r = level.sqrt() * unit;
        let at = (CENTRE.0 + r * cos, CENTRE.1 - r * sin - 3.0);
        paper.text(
            at,
            12.0,
            Anchor::Middle,
            &percuss_record::number::format_short(*level),
        );
    }
}

fn legend(paper: &mut SvgWriter, rose: &RoseDiagram) {
    let left = CENTRE.0 + RADIUS + 50.0;
    let mut height = 90.0;
    for (k, (petals, colour)) in rose.petals.iter().zip(COLOURS).enumerate() {
        let style = match k {
            0 => format!(" fill=\"{colour}\" fill-opacity=\"0.3\" stroke=\"{colour}\""),
            _ => format!(" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\""),
        };
        paper.rect((left, height - 11.0), (22.0, 13.0), &style);
        // The figures on a second line: a long line would leave the page.
        let (name, figures) = petals.label.split_once(": ").unwrap_or((&petals.label, ""));
        paper.text((left + 30.0, height), 14.0, Anchor::Left, name);
        paper.text((left + 30.0, height + 19.0), 13.0, Anchor::Left, figures);
        height += 50.0;
    }
    let dashed = " stroke=\"#444444\" stroke-dasharray=\"4 3\" stroke-width=\"1\"";
    paper.line((left, height - 5.0), (left + 22.0, height - 5.0), dashed);
    paper.text(
        (left + 30.0, height),
        14.0,
        Anchor::Left,
        "no preferred direction",
    );
    height += 34.0;
    for line in [
        rose.note.as_str(),
        "areas are shares; circles: density",
        "over that of no preferred direction",
    ] {
        paper.text((left, height), 13.0, Anchor::Left, line);
        height += 19.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_of_a_rose_is_that_of_its_unit_circle_and_sectors_are_shares() {
        let area = |points: &[(f64, f64)]| {
            let next = points.iter().cycle().skip(1);
            let twice = points.iter().zip(next).map(|(a, b)| a.0 * b.1 - a.1 * b.0);
            0.5 * twice.sum::<f64>()
        };
        for n in [12, 18, 36] {
            let raw: Vec<f64> = (0..n).map(|k| f64::from((k * 7 + 3) % 11)).collect();
            let total: f64 = raw.iter().sum();
            let density: Vec<f64> = raw.iter().map(|d| d / total * f64::from(n)).collect();
            let whole = area(&outline(&density, 2.0));
            let circle = TAU / 2.0 * 4.0;
            // Arcs are chords of at most one degree: 1 − sin(x)/x = x²/6 = 5.1e-5.
            assert!((whole / circle - 1.0).abs() < 6e-5, "{n}: {whole} {circle}");
            for (k, d) in density.iter().enumerate() {
                let mut alone = vec![0.0; density.len()];
                alone[k] = *d;
                let share = area(&outline(&alone, 2.0)) / circle;
                assert!((share - d / f64::from(n)).abs() < 6e-5, "{n} {k}");
            }
        }
    }
}
