//! A long scene of the plane.

/// Most of what a scene of the plane can say.
pub const PLANE: &str = r#"kind = "bodies"
title = "everything of the plane"

[parameters]
mu = 0.5
a = 0.1
w = "2*pi*1.5"
push = -3

[world]
dimension = 2
gravity = [0, -9.81]

[[material]]
name = "stone"
density = 2000

[[material]]
name = "steel"

[[law]]
between = ["any", "any"]
friction = 0.1

[[law]]
between = ["steel", "any"]
friction = { plus = 0.2, minus = 0.3 }
restitution = 0.5

[[law]]
between = ["stone", "steel"]
friction = "mu"
rolling_friction = 0.01
dissipation = 0.5

[[body]]
name = "slope"
shape = { half_plane = [-3, 4] }
material = "stone"
position = [1, 2]
fixed = true

[[body]]
name = "bowl"
shape = { chain = [[2, 0], [1, -1], [0, 0]], closed = false }
material = "stone"
position = [0, -1]
angle = "pi/2"
fixed = true

[[body]]
name = "table"
shape = { box = [4, 0.5] }
material = "steel"
position = [0, -5]
mass = 100
motion = { x = "a*sin(w*t)", y = "t^2", angle = "0.5*t" }

[[body]]
name = "lid"
shape = { half_plane = [0, -1] }
material = "steel"
position = [0, 10]
free = ["y"]
mass = 7
force = [0, "push - 2*vy"]
velocity = [0, -1]

[[body]]
name = "wedge"
shape = { polygon = [[3, 0], [6, 0], [3, 3]] }
material = "stone"
angle = "pi/2"
position = [1, 1]
spin = 2
velocity = [1, -1]

[[body]]
name = "disc"
shape = { disc = 0.5 }
material = "steel"
mass = 8
position = ["1 + 1", 0.5]
force = ["x", "-m*t"]
torque = "spin + angle"
at = [0, 0.5]

[[body]]
name = "pill"
shape = { capsule = [2, 0.25] }
material = "steel"
mass = 3
inertia = 0.7
position = [5, 5]

[[body]]
name = "brick"
shape = { box = [0.2, 0.1] }
material = "stone"
position = [-5, 5]

[[group]]
name = "movers"
bodies = ["rounds", "brick", "wedge"]

[[group]]
name = "rounds"
bodies = ["pill", "disc"]

[[region]]
name = "middle"
low = [-1, "-inf"]
high = ["1 + t", inf]

[[region]]
name = "layer"
low = ["-inf", 0]
high = ["inf", 10]
of = "movers"
slices = { axis = "y", count = 4 }

[[watch]]
name = "sole"
between = ["movers", "table"]

[[field]]
force = ["-x", "vx*m"]
torque = 2
bodies = ["rounds"]
per = "mass"

[[drag]]
coefficient = 0.5
bodies = "movers"

[[drag]]
coefficient = 0.25
spin_coefficient = 0.125
bodies = "disc"

[[picture]]
name = "end"
title = "The end"
at = [0, 1]
colour = "speed"
forces = true
low = [-1, -1]
high = [1, 1]

[[prepare]]
name = "settle"
until = 0.5
step = 0.01
tolerance = 1e-3
set = { mu = 0, push = "-2*3" }
free = { table = ["x", "turn"] }
fixed = ["rounds"]
rest = true
stop = "kinetic < 1e-9"

[run]
start = 1
until = 2.0
step = 1e-3
tolerance = 1e-8
activation = "predicted"
correction = true
solver = "nlgs"
max_iterations = 50
overlap = 1e-5
relax = true
record_every = 7
stop = "contacts > 3"
"#;
