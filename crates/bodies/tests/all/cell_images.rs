//! Contacts in a periodic cell, against all images by brute force.

use crate::support;

use crate::support::{at2, at3};
use glam::{DVec2, DVec3};
use percuss_bodies::{
    Body, ContactPoint, Detector, Dynamics, Freedom, Lattice, MassProperties, Plane, Pose, Space,
    plane, space,
};

/// Pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn body<D: Dynamics>(shape: D::Shape) -> Body<D> {
    let mass: MassProperties<D> = D::mass_properties(&shape, 1.0).unwrap();
    Body {
        shape,
        mass,
        material: 0,
        freedom: Freedom::Free,
    }
}

type Seen = Vec<([u32; 2], [i32; 3], f64)>;

/// All contact points of all pairs over all images within two cells of each other, wherever the bodies are.
fn brute<D: Dynamics>(
    bodies: &[Body<D>],
    poses: &[Pose<D>],
    lattice: &Lattice<D>,
    reach: f64,
    most: i32,
) -> Seen {
    let mut seen = Vec::new();
    let deep = if D::N == 3 { most } else { 0 };
    let mut touches: Vec<ContactPoint<D>> = Vec::new();
    for a in 0..bodies.len() {
        for b in a + 1..bodies.len() {
            for x in -most..=most {
                for y in -most..=most {
                    for z in -deep..=deep {
                        let shift = [x, y, z];
                        let mut far = poses[b];
                        far.position += lattice.offset(shift);
                        touches.clear();
                        let one = (&bodies[a].shape, &poses[a]);
                        D::contact_points(one, (&bodies[b].shape, &far), reach, &mut touches);
                        seen.extend(touches.iter().map(|t| ([a as u32, b as u32], shift, t.gap)));
                    }
                }
            }
        }
    }
    seen
}

fn found<D: Dynamics>(
    bodies: &[Body<D>],
    poses: &[Pose<D>],
    lattice: &Lattice<D>,
    growth: f64,
    threads: usize,
) -> Seen {
    let mut detector = Detector::new(threads);
    let growth = vec![growth; bodies.len()];
    detector.detect_periodic(bodies, poses, &growth, (lattice, [true; 3]));
    let list = detector.candidates().iter();
    list.map(|f| (f.bodies, f.image, f.point.gap)).collect()
}

fn same(seen: &Seen, expected: &Seen) {
    assert_eq!(seen.len(), expected.len());
    for (one, two) in seen.iter().zip(expected) {
        assert_eq!((one.0, one.1), (two.0, two.1));
        // The image is placed by the same sum: the same bits but for the order of additions.
        assert!((one.2 - two.2).abs() < 1e-12, "{one:?} {two:?}");
    }
}

#[test]
fn discs_and_boxes_in_a_leaning_cell_touch_as_over_all_images() {
    let mut numbers = Numbers(7);
    for round in 0..20 {
        let lean = 6.0 * numbers.next() - 3.0;
        let vectors = [DVec2::new(6.0, 0.4), DVec2::new(lean, 5.5), DVec2::ZERO];
        let lattice = Lattice::<Plane>::new(vectors);
        let (mut bodies, mut poses) = (Vec::new(), Vec::new());
        for k in 0..25 {
            bodies.push(body::<Plane>(match k % 3 {
                0 => support::rectangle(0.9, 0.7),
                _ => plane::Shape::disc(0.3 + 0.3 * numbers.next()).unwrap(),
            }));
            // Anywhere in the cell, and in every third round up to a cell away from it.
            let wide = if round % 3 == 0 { 3.0 } else { 1.0 };
            let share = |n: &mut Numbers| wide * n.next() - 0.5 * (wide - 1.0);
            let (u, v) = (share(&mut numbers), share(&mut numbers));
            let at = vectors[0] * u + vectors[1] * v;
            poses.push(at2(at.x, at.y));
        }
        for growth in [0.0, 0.05] {
            let expected = brute(&bodies, &poses, &lattice, 2.0 * growth, 4);
            assert!(expected.len() > 10);
            same(&found(&bodies, &poses, &lattice, growth, 1), &expected);
        }
    }
}

#[test]
fn spheres_in_a_leaning_cell_touch_as_over_all_images_with_any_number_of_threads() {
    let mut numbers = Numbers(3);
    let vectors = [
        DVec3::new(5.0, 0.0, 0.0),
        DVec3::new(1.5, 5.0, 0.3),
        DVec3::new(-1.0, 0.7, 4.6),
    ];
    let lattice = Lattice::<Space>::new(vectors);
    let (mut bodies, mut poses) = (Vec::new(), Vec::new());
    for _ in 0..80 {
        let radius = 0.25 + 0.3 * numbers.next();
        bodies.push(body::<Space>(space::Shape::sphere(radius).unwrap()));
        let [u, v, w] = [numbers.next(), numbers.next(), numbers.next()];
        poses.push(at3(vectors[0] * u + vectors[1] * v + vectors[2] * w));
    }
    let expected = brute(&bodies, &poses, &lattice, 0.0, 1);
    assert!(expected.iter().any(|(_, shift, _)| *shift != [0; 3]));
    for threads in [1, 2, 5] {
        same(&found(&bodies, &poses, &lattice, 0.0, threads), &expected);
    }
}
