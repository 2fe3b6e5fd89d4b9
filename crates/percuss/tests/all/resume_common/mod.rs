//! Scenes whose runs are interrupted.

/// Discs of random sizes that fall into a box with a rough floor; a watch, a distribution, measures of
/// a group, displacements and works since the start.
pub const HEAP: &str = r#"kind = "bodies"
title = "Discs fall into a box"
[parameters]
mu = 0.4
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "grain"
density = 2500
[[law]]
between = ["any", "any"]
friction = "mu"
rolling_friction = 1e-3
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "grain"
fixed = true
[[body]]
name = "left"
shape = { half_plane = [1, 0] }
material = "grain"
fixed = true
[[body]]
name = "right"
shape = { half_plane = [-1, 0] }
position = [0.3, 0]
material = "grain"
fixed = true
[[packing]]
name = "grains"
radius = { uniform = [0.014, 0.022] }
low = [0.01, 0.01]
high = [0.29, 0.5]
count = 40
seed = 7
material = "grain"
[[watch]]
name = "ground"
between = ["grains", "floor"]
[[distribution]]
name = "forces"
of = "grains"
quantity = "normal_force"
bins = 10
low = 0
high = 4
[run]
until = 1.0
step = 1e-3
tolerance = 1e-6
record_every = 3
[[finding]]
name = "dissipated"
value = "final(dissipated)"
[[finding]]
name = "impacts"
value = "impacts(ground)"
[[finding]]
name = "fallen"
value = "final(mean_displacement_grains)"
[[finding]]
name = "pressure"
value = "mean(pressure_grains, 0.8, 1)"
"#;

/// A dense periodic cell, compressed and then sheared: two runs of its own before the run.
pub const CELL: &str = r#"kind = "bodies"
title = "Discs in a cell"
[parameters]
mu = 0.3
pressure = 1000
shear = 0
[world]
dimension = 2
[cell]
size = [0.3, 0.3]
stress = { xx = "pressure", yy = "pressure" }
strain_rate = { xy = "shear" }
damping = 50
[[material]]
name = "grain"
density = 2500
[[law]]
between = ["any", "any"]
friction = "mu"
[[packing]]
name = "grains"
region = "cell"
radius = { uniform = [0.014, 0.022] }
fraction = 0.5
seed = 3
material = "grain"
[[prepare]]
name = "squeeze"
until = 0.1
step = 5e-4
set = { mu = 0 }
[[prepare]]
name = "rest"
until = 0.5
stop = "t > 0.05"
rest = true
[run]
until = 0.2
step = 5e-4
[[finding]]
name = "strain"
value = "final(kinetic)"
"#;

/// A crank with a motor, a coupler, a spring, a bouncing ball on a shaken plate.
pub const LINKAGE: &str = r#"kind = "bodies"
title = "Joints, a given motion, rebounds"
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "steel"
density = 800
[[law]]
between = ["any", "any"]
friction = 0.2
restitution = 0.7
[[body]]
name = "plate"
shape = { box = [2, 0.1] }
material = "steel"
position = [0, -0.6]
motion = { y = "0.02*sin(30*t)", x = "0.01*t" }
[[body]]
name = "crank"
shape = { box = [0.2, 0.02] }
material = "steel"
position = [0.1, 0]
[[body]]
name = "rod"
shape = { box = [0.3, 0.02] }
material = "steel"
position = [0.35, 0]
[[body]]
name = "bob"
shape = { disc = 0.04 }
material = "steel"
position = [0.5, -0.2]
[[body]]
name = "ball"
shape = { disc = 0.05 }
material = "steel"
position = [-0.5, 0]
spin = 3
[[body]]
name = "brick"
shape = { box = [0.1, 0.06] }
material = "steel"
position = [-0.5, 0.2]
angle = 0.3
[[joint]]
name = "axle"
kind = "revolute"
between = ["world", "crank"]
at = [0, 0]
motor = { speed = "8 + 2*sin(5*t)", bound = 4 }
[[joint]]
name = "pin"
kind = "revolute"
between = ["crank", "rod"]
at = [0.2, 0]
friction = 0.1
radius = 0.01
[[joint]]
name = "string"
kind = "distance"
between = ["rod", "bob"]
at = [[0.5, 0], [0.5, -0.2]]
[[watch]]
name = "bounce"
between = ["ball", "plate"]
[run]
until = 0.8
step = 1e-3
correction = true
[[finding]]
name = "impacts"
value = "impacts(bounce)"
[[finding]]
name = "balance"
value = "final(balance)"
"#;
