//! The friction law of Paoli's scheme, as `verify` sees it.

use crate::common::alter::{begin, verify};
use crate::common::folder;

/// A point whose mass couples the floor's normal with both directions of its friction.
const LEAST: &str = r#"
kind = "mechanism"
title = "Friction in two directions with a coupled mass (a test)"
[[coordinate]]
name = "x"
velocity = 1.0
[[coordinate]]
name = "y"
velocity = 0.7
[[coordinate]]
name = "z"
velocity = -0.6
[dynamics]
kinetic = "0.5*(x_dot^2 + 1.5*y_dot^2 + 1.2*z_dot^2) + 0.3*x_dot*y_dot + 0.5*x_dot*z_dot - 0.4*y_dot*z_dot"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
tangent = ["x_dot", "y_dot"]
friction = 0.05
[certificate]
penetration = 1
[run]
until = 0.1
step = 1e-3
integrator = "paoli"
"#;

/// Paoli's scheme has a friction law of its own (P15 7), which these impulses obey and Coulomb's they do not.
#[test]
fn the_velocity_of_least_energy_is_verified() {
    let folder = folder();
    std::fs::write(folder.path().join("least.toml"), LEAST).expect("written");
    begin(folder.path(), "least.toml", &[]);
    let ran = verify(folder.path(), &[]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    assert_eq!(ran.json()["steps"].as_u64(), Some(100));
}
