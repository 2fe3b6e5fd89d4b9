//! Arches of voussoirs: thickness and acceleration.

use crate::common::{negative, plane};
use percuss_contact::law::Law;
use percuss_statics::{
    ContactAssembly, ContactAssemblyBuilder, Loads, Sense, check_equilibrium, limit_load,
    nonassociated_limit,
};

/// A semicircular arch of n voussoirs of thickness t on fixed springers, middle line of radius 1.
fn arch(n: usize, t: f64, mu: f64) -> ContactAssembly {
    let angle = std::f64::consts::PI / n as f64;
    let (ri, ro) = (1.0 - 0.5 * t, 1.0 + 0.5 * t);
    // Centre of mass of an annular sector.
    let rc = 2.0 / 3.0 * (ro.powi(3) - ri.powi(3)) / (ro * ro - ri * ri) * (0.5 * angle).sin()
        / (0.5 * angle);
    let mut builder = ContactAssemblyBuilder::new();
    let groups: Vec<usize> = (0..n).map(|_| builder.add_group(3)).collect();
    for joint in 0..=n {
        let a = joint as f64 * angle;
        // From the voussoir before to the one after.
        let normal = [-a.sin(), a.cos()];
        for r in [ri, ro] {
            let block = |k: usize| {
                let m = (k as f64 + 0.5) * angle;
                plane(
                    [r * a.cos() - rc * m.cos(), r * a.sin() - rc * m.sin()],
                    normal,
                )
            };
            let mut touches: Vec<(usize, Vec<f64>)> = Vec::new();
            if joint > 0 {
                touches.push((groups[joint - 1], negative(&block(joint - 1))));
            }
            if joint < n {
                touches.push((groups[joint], block(joint).to_vec()));
            }
            let touches: Vec<(usize, &[f64])> =
                touches.iter().map(|(g, b)| (*g, b.as_slice())).collect();
            builder
                .add_contact(Law::Coulomb { mu }, 2, &touches)
                .unwrap();
        }
    }
    builder.build()
}

fn weight(n: usize, axis: usize, value: f64) -> Vec<f64> {
    (0..3 * n)
        .map(|k| if k % 3 == axis { value } else { 0.0 })
        .collect()
}

/// The least thickness that stands, by bisection.
fn thinnest(n: usize, mu: f64) -> f64 {
    let (mut low, mut high) = (0.05, 0.3);
    while high - low > 1e-8 {
        let middle = 0.5 * (low + high);
        match check_equilibrium(&arch(n, middle, mu), &weight(n, 1, -1.0))
            .unwrap()
            .stands
        {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

#[test]
fn the_thinnest_arches_are_those_of_linear_programming() {
    // Values of another program for voussoirs that are annular sectors and do not slide; they are
    // given to 1e-6 and better.
    let known = [
        (6, 0.105_098_462),
        (8, 0.100_861_503),
        (12, 0.105_098_532),
        (48, 0.107_237_303),
        (96, 0.107_477_070),
    ];
    for (n, expected) in known {
        for mu in [1.0, 1e3, 1e9] {
            let found = thinnest(n, mu);
            assert!(
                (found / expected - 1.0).abs() < 1e-5,
                "{n} {mu}: {found} {expected}"
            );
        }
    }
}

#[test]
fn the_accelerations_of_collapse_are_those_of_linear_programming() {
    for (n, t, expected) in [
        (12, 0.15, 0.156_044_561_384_536),
        (12, 0.2, 0.283_915_682_415_781),
        (20, 0.2, 0.285_195_314_648_288),
    ] {
        let (dead, live) = (weight(n, 1, -1.0), weight(n, 0, 1.0));
        let loads = Loads {
            dead: &dead,
            live: &live,
        };
        for mu in [0.6, 1.0, 1e3, 1e9] {
            let system = arch(n, t, mu);
            let found = limit_load(&system, loads, Sense::Greatest).unwrap();
            // Both are solved to 1e-9 and better; with a coefficient of 1000 the bound allows for
            // tangential forces a thousand times the normal ones.
            assert!(
                (found.multiplier - expected).abs() < 1e-8,
                "{n} {t} {mu}: {found:?}"
            );
            assert!(found.gap() < 1e-5, "{n} {t} {mu}: {found:?}");
            // Four hinges and no sliding: one multiplier for both kinds of friction.
            assert_eq!(found.sliding, 0.0, "{n} {t} {mu}");
            let plain = nonassociated_limit(&system, loads, Sense::Greatest, &found).unwrap();
            assert_eq!((plain.steps, plain.least), (0, found.multiplier));
        }
    }
}
