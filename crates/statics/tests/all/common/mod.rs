//! Small assemblies for the tests.

use percuss_contact::law::Law;
use percuss_statics::{
    ComputeOptions, ContactAssembly, ContactAssemblyBuilder, Face, ImpulseBounds, impulse_bounds,
};

/// A deterministic stream of numbers in [0, 1).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.next()
    }
}

/// The block of a plane contact for the body that receives +S: rows n, t; the point relative to the
/// centre, the normal towards the body.
pub fn plane(point: [f64; 2], normal: [f64; 2]) -> [f64; 6] {
    let t = [-normal[1], normal[0]];
    let cross = |d: [f64; 2]| point[0] * d[1] - point[1] * d[0];
    [normal[0], normal[1], cross(normal), t[0], t[1], cross(t)]
}

pub fn negative(block: &[f64]) -> Vec<f64> {
    block.iter().map(|g| -g).collect()
}

/// The block of a contact in space with an upward normal: rows n = z, t1 = x, t2 = y.
pub fn upward(p: [f64; 3]) -> [f64; 18] {
    let mut block = [0.0; 18];
    for (row, d) in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        .iter()
        .enumerate()
    {
        let m = [
            p[1] * d[2] - p[2] * d[1],
            p[2] * d[0] - p[0] * d[2],
            p[0] * d[1] - p[1] * d[0],
        ];
        block[row * 6..row * 6 + 3].copy_from_slice(d);
        block[row * 6 + 3..row * 6 + 6].copy_from_slice(&m);
    }
    block
}

/// A table with legs of length 1 at these places.
pub fn table(legs: &[[f64; 2]], mu: f64) -> ContactAssembly {
    let mut builder = ContactAssemblyBuilder::new();
    let top = builder.add_group(6);
    for leg in legs {
        let block = upward([leg[0], leg[1], -1.0]);
        builder
            .add_contact(Law::Coulomb { mu }, 3, &[(top, &block)])
            .unwrap();
    }
    builder.build()
}

pub fn all(system: &ContactAssembly, faces: &[Face], impulse: &[f64]) -> ImpulseBounds {
    all_with(system, faces, impulse, 1)
}

pub fn all_with(
    system: &ContactAssembly,
    faces: &[Face],
    impulse: &[f64],
    threads: usize,
) -> ImpulseBounds {
    let mut effort = ComputeOptions {
        threads,
        progress: &mut |_| {},
    };
    impulse_bounds(system, faces, impulse, &mut effort).unwrap()
}
