//! The built-in systems are drawn, and what touches in a drawing has the gap that the scene says.

use percuss_draw::drawing::{Drawing, Kind};
use percuss_mechanism::System;
use percuss_scene::{Scene, SymbolicSystem, builtin};

use crate::drawing_common::{drawn, item, points, recorded, series};

/// Scenes that are refused when they are run.
const REFUSED: [&str; 2] = ["bar-in-circle", "zeno-reversed"];

/// Contacts that are not two things in their drawing, and why.
const ALONE: [(&str, &str); 4] = [
    // Seen from above: the height over the table is not in the picture.
    ("conveyor", "table"),
    ("anisotropic-friction", "board"),
    // A grid of a surface: looked at below.
    ("particle-3d", "ground_contact"),
    // The rigid floor acts in the case without springs only; elsewhere it lies a metre below the picture.
    ("hammer", "ground"),
];

/// Contacts whose gap is a distance to first order only: the hub's height over the steepness of its path.
const FIRST_ORDER: [(&str, &str); 1] = [("wavy-road", "road")];

fn mechanisms() -> Vec<Scene> {
    let all = builtin::names().map(|name| Scene::load(name).expect("a built-in scene"));
    all.filter(|scene| scene.kind() == percuss_scene::SceneKind::Mechanism)
        .collect()
}

#[test]
fn every_built_in_mechanism_and_sweep_has_a_drawing() {
    let all = mechanisms();
    assert!(all.len() >= 50, "{}", all.len());
    for scene in all {
        assert!(
            percuss_draw::drawing::has_drawing(&scene),
            "{}",
            scene.name()
        );
        if let Ok(built) = scene.build_mechanism() {
            let mut system = built.system;
            let checked = percuss_draw::drawing::check_drawings(&scene, &mut system);
            assert!(checked.is_ok(), "{}: {checked:?}", scene.name());
        }
    }
}

/// What an item is in a state, for distances.
struct Figure {
    points: Vec<Vec<f64>>,
    /// Pieces of straight lines, by the numbers of their points.
    pieces: Vec<(usize, usize)>,
    /// Of discs; of obstacles the circle itself is the boundary.
    radius: f64,
    hollow: bool,
    /// A plane of space.
    flat: bool,
}

impl Figure {
    fn of(drawing: &Drawing, k: usize, frame: usize) -> Self {
        let thing = &drawing.header.items[k];
        let points = points(drawing, k, frame);
        let marks = matches!(thing.kind, Kind::Tip | Kind::Disc) || thing.radius.is_some();
        let last = points.len() - 1;
        let mut pieces: Vec<(usize, usize)> = match marks {
            true => Vec::new(),
            false => (0..last).map(|i| (i, i + 1)).collect(),
        };
        if thing.closed && !marks {
            pieces.push((last, 0));
        }
        Self {
            flat: thing.wall && drawing.header.dimension == 3,
            radius: thing.radius.unwrap_or(0.0),
            hollow: thing.kind == Kind::Obstacle && thing.radius.is_some(),
            points,
            pieces,
        }
    }

    /// Distance of a point from its lines, its plane or its marks.
    fn from(&self, p: &[f64]) -> f64 {
        let apart = |a: &[f64], b: &[f64]| {
            let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
            squares.sum::<f64>().sqrt()
        };
        if self.flat {
            return plane(&self.points, p);
        }
        if self.pieces.is_empty() {
            let to = |c: &Vec<f64>| match self.hollow {
                true => (apart(c, p) - self.radius).abs(),
                false => apart(c, p) - self.radius,
            };
            return self.points.iter().map(to).fold(f64::INFINITY, f64::min);
        }
        let to = |&(a, b): &(usize, usize)| {
            let (a, b) = (&self.points[a], &self.points[b]);
            let length: f64 = a.iter().zip(b).map(|(a, b)| (b - a) * (b - a)).sum();
            let along: f64 = (0..p.len()).map(|i| (p[i] - a[i]) * (b[i] - a[i])).sum();
            let s = (along / length).clamp(0.0, 1.0);
            let foot: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + s * (b - a)).collect();
            apart(&foot, p)
        };
        self.pieces.iter().map(to).fold(f64::INFINITY, f64::min)
    }

    /// Convex pieces are nearest at a vertex of one of them.
    fn distance(&self, other: &Self) -> f64 {
        let solid = |figure: &Self| if figure.hollow { 0.0 } else { figure.radius };
        let one = |a: &Self, b: &Self| {
            let all = a.points.iter().map(|p| b.from(p) - solid(a));
            all.fold(f64::INFINITY, f64::min)
        };
        match (self.hollow || self.flat, other.hollow || other.flat) {
            (false, true) => one(self, other),
            (true, false) => one(other, self),
            _ => one(self, other).min(one(other, self)),
        }
    }
}

/// Distance from the plane through three points.
fn plane(corners: &[Vec<f64>], p: &[f64]) -> f64 {
    let from = |k: usize, i: usize| corners[k][i] - corners[0][i];
    let cross = |i: usize, j: usize| from(1, i) * from(3, j) - from(1, j) * from(3, i);
    let normal = [cross(1, 2), cross(2, 0), cross(0, 1)];
    let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    let above: f64 = (0..3).map(|i| normal[i] * (p[i] - corners[0][i])).sum();
    (above / length).abs()
}

/// For every contact or joint its gap at a state, 0 for joints, none where there is none.
fn gaps(
    system: &mut SymbolicSystem,
    drawing: &Drawing,
    frame: usize,
) -> Vec<(String, Option<f64>)> {
    let count = system.configuration_space().num_positions();
    let names: Vec<String> = (0..count).map(|i| system.position_name(i)).collect();
    let q: Vec<f64> = names.iter().map(|n| series(drawing, n)[frame]).collect();
    let constraints = system.constraints().to_vec();
    let mut values = vec![0.0; constraints.iter().map(|c| c.num_gaps()).sum()];
    let t = drawing.times()[frame];
    system.gaps(t, &q, &mut values).expect("gaps");
    let mut first = 0;
    let each = constraints.iter().map(|c| {
        let gap = (c.num_gaps() > 0).then(|| values[first]);
        first += c.num_gaps();
        let gap = if c.is_contact() {
            gap
        } else {
            gap.map(|_| 0.0)
        };
        (c.name.clone(), gap)
    });
    each.collect()
}

/// Compares distances and gaps of a scene at many states; the contacts that were compared.
fn compare(scene: &Scene) -> Vec<String> {
    let (_folder, record) = recorded(scene);
    let drawing = drawn(&record, 150);
    let items = &drawing.header.items;
    let corners = &drawing.header.corners;
    let reach = corners
        .min
        .iter()
        .chain(&corners.max)
        .fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut compared = Vec::new();
    let mut system = scene.build_mechanism().expect("a system").system;
    for frame in 0..drawing.header.frames {
        let gaps = gaps(&mut system, &drawing, frame);
        for a in 0..items.len() {
            for b in a + 1..items.len() {
                let shared = |name: &String| {
                    items[a].contacts.contains(name) && items[b].contacts.contains(name)
                };
                let both: Vec<_> = gaps.iter().filter(|(name, _)| shared(name)).collect();
                // What has sunk in is as far from the face, on its other side.
                let gap = both.iter().filter_map(|(_, gap)| *gap).reduce(f64::min);
                let gap = gap.map(f64::abs);
                let grid = [a, b].iter().any(|k| items[*k].kind == Kind::Surface);
                let Some(gap) = gap.filter(|_| !grid) else {
                    continue;
                };
                let (one, two) = (
                    Figure::of(&drawing, a, frame),
                    Figure::of(&drawing, b, frame),
                );
                let distance = one.distance(&two).abs();
                let name = (scene.name(), both[0].0.as_str());
                let (loose, sag) = match FIRST_ORDER.contains(&name) {
                    // The chords of a curve of 401 points leave it by an eighth of their square over
                    // its radius; flights of a tenth of the radius change the slope by a fifth.
                    true => (0.2, 1e-4),
                    false => (0.0, 0.0),
                };
                // Points are rounded to 24 bits; walls reach three times as far as the picture.
                let tolerance = 1e-6 * reach + loose * gap + sag;
                assert!(
                    (distance - gap).abs() <= tolerance,
                    "{}: `{}` and `{}` are {distance} apart at t = {}, the gap is {gap}",
                    scene.name(),
                    items[a].name,
                    items[b].name,
                    drawing.times()[frame]
                );
                compared.extend(both.iter().map(|(name, _)| name.clone()));
            }
        }
    }
    compared.sort();
    compared.dedup();
    compared
}

#[test]
fn what_touches_in_a_drawing_has_the_gap_that_the_scene_says() {
    for scene in mechanisms() {
        let name = scene.name().to_string();
        let swept = scene.text().starts_with("kind = \"sweep\"");
        if REFUSED.contains(&name.as_str()) || swept {
            continue;
        }
        let built = scene.build_mechanism().expect("a system");
        let (start, until) = (built.initial.t, built.until);
        // A third of the run has every sort of touch.
        let early = (start + 0.34 * (until - start)).to_string();
        let early = scene
            .with_overrides(&[("run.until", early.as_str())])
            .expect("a scene");
        let compared = compare(&early);
        let contacts = built.system.constraints().iter();
        for contact in contacts.filter(|c| c.is_contact()) {
            let alone = ALONE.contains(&(name.as_str(), contact.name.as_str()));
            assert_eq!(
                compared.contains(&contact.name),
                !alone,
                "{name}: contact `{}`",
                contact.name
            );
        }
    }
}

#[test]
fn grids_of_surfaces_lie_on_what_the_particle_moves_on() {
    let scene = Scene::load("particle-on-surface").expect("a scene");
    let (_folder, record) = recorded(&scene);
    let drawing = drawn(&record, 50);
    let (sphere, bead) = (item(&drawing, "sphere"), item(&drawing, "bead"));
    assert_eq!(drawing.header.items[sphere].grid, Some([33, 33]));
    let length = |p: &[f64]| p.iter().map(|x| x * x).sum::<f64>().sqrt();
    // Rounded to 24 bits; the joint is kept to 1e-10.
    let on = |p: &Vec<f64>| (length(p) - 1.0).abs() < 3e-7;
    assert!(points(&drawing, sphere, 0).iter().all(on));
    assert!((0..50).all(|k| points(&drawing, bead, k).iter().all(on)));
    let scene = Scene::load("particle-3d").expect("a scene");
    let (_folder, record) = recorded(&scene);
    let drawing = drawn(&record, 50);
    let (ground, particle) = (item(&drawing, "ground"), item(&drawing, "particle"));
    let above = |p: &Vec<f64>| p[2] + 0.4 * p[0];
    assert!(
        points(&drawing, ground, 0)
            .iter()
            .all(|p| above(p).abs() < 1e-6)
    );
    // It slides and never flies; how deep it may sink in a run of 30000 steps is in its findings.
    assert!((0..50).all(|k| above(&points(&drawing, particle, k)[0]).abs() < 1e-4));
}
