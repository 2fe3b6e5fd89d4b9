//! Description of bodies in space for other programs: shapes, masses, poses, joints.

use std::path::Path;

use percuss_bodies::joint::Joint;
use percuss_bodies::space::Shape;
use percuss_bodies::{Body, Freedom, Pose, Space};
use percuss_scene::Scene;
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error;

type Point = <Space as percuss_bodies::geometry::Dim>::Vector;
type Turn = <Space as percuss_bodies::geometry::Dim>::Rotation;

fn numbers(v: Point) -> [f64; 3] {
    [v.x, v.y, v.z]
}

fn quaternion(q: Turn) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

fn points(all: &[Point]) -> Vec<[f64; 3]> {
    all.iter().map(|v| numbers(*v)).collect()
}

/// A shape in body axes.
fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Sphere { radius } => json!({ "kind": "sphere", "radius": radius }),
        Shape::Capsule {
            half_length,
            radius,
        } => json!({ "kind": "capsule", "length": 2.0 * half_length, "radius": radius }),
        Shape::Cylinder {
            half_length,
            radius,
        } => json!({ "kind": "cylinder", "length": 2.0 * half_length, "radius": radius }),
        Shape::Polyhedron(p) => {
            let faces: Vec<&[u32]> = p.faces().collect();
            json!({ "kind": "polyhedron", "vertices": points(p.vertices()), "faces": faces })
        }
        Shape::HalfSpace => json!({ "kind": "half_space" }),
        Shape::Mesh(m) => json!({
            "kind": "mesh",
            "vertices": points(m.vertices()),
            "faces": m.triangles(),
        }),
        Shape::Compound(compound) => {
            let part = |p: &percuss_bodies::Part<Space>| {
                json!({
                    "shape": self::shape(&p.shape),
                    "position": numbers(p.pose.position),
                    "quaternion": quaternion(p.pose.rotation),
                })
            };
            let parts: Vec<Value> = compound.parts().iter().map(part).collect();
            let skin = compound
                .source_surface()
                .map(|skin| json!({ "vertices": points(&skin.vertices), "faces": skin.triangles }));
            json!({ "kind": "compound", "parts": parts, "skin": skin })
        }
    }
}

fn body(name: &str, body: &Body<Space>, pose: &Pose<Space>) -> Value {
    json!({
        "name": name,
        "movable": body.freedom == Freedom::Free,
        "mass": body.mass.mass,
        "inertia": numbers(body.mass.inertia),
        "position": numbers(pose.position),
        "quaternion": quaternion(pose.rotation),
        "shape": shape(&body.shape),
    })
}

/// A joint: its position and axis in space are those of its first body.
fn joint(joint: &mut Joint<Space>, poses: &[Pose<Space>]) -> Value {
    let [first, second] = &joint.frames;
    // Position and axis in space, from the frame on the first body.
    let (mut at, mut axis) = (first.point, first.axes[0]);
    if let Some(pose) = first.body.and_then(|body| poses.get(body as usize)) {
        at = pose.position + pose.rotation * at;
        axis = pose.rotation * axis;
    }
    // Infinite limits and bounds become null.
    let finite = |value: f64| value.is_finite().then_some(value);
    let limits = joint.limits.map(|l| [finite(l.low), finite(l.high)]);
    let motor = joint
        .motor
        .as_mut()
        .map(|motor| json!({ "speed": motor.speed.at(0.0), "bound": finite(motor.bound) }));
    let spring = joint
        .spring
        .map(|s| json!({ "stiffness": s.stiffness, "rest": s.rest, "damping": s.damping }));
    json!({
        "name": joint.name,
        "kind": joint.kind.name(),
        "bodies": [first.body, second.body],
        "at": numbers(at),
        "axis": numbers(axis),
        "limits": limits,
        "motor": motor,
        "spring": spring,
        "rubs": joint.friction.is_some(),
    })
}

fn of_space(mut all: BodiesSetup<Space>) -> Value {
    let poses = &all.state.poses;
    let names = all.names.bodies.iter();
    let bodies = names.zip(&all.model.bodies).zip(poses);
    let bodies: Vec<Value> = bodies.map(|((n, b), p)| body(n, b, p)).collect();
    let joints = all.model.joints.iter_mut();
    let joints: Vec<Value> = joints.map(|j| joint(j, poses)).collect();
    json!({ "bodies": bodies, "joints": joints })
}

/// The bodies and joints of a spatial scene at its start, as JSON.
#[pyfunction]
#[pyo3(signature = (name, text, folder))]
pub fn describe_bodies(
    py: Python<'_>,
    name: &str,
    text: &str,
    folder: Option<&str>,
) -> PyResult<String> {
    py.detach(|| {
        let scene = Scene::parse(name, name, text).map_err(error::scene)?;
        let scene = match folder {
            None => scene,
            Some(folder) => scene.from_folder(Path::new(folder)),
        };
        // Only scenes in space.
        match scene.build_bodies().map_err(error::scene)? {
            BuiltBodies::Space(all) => Ok(of_space(all).to_string()),
            BuiltBodies::Plane(_) => Err(error::input(
                "a scene of the plane; one of space (dimension = 3) was expected",
            )),
        }
    })
}

/// Adds what is here to the module.
///
/// # Errors
/// Python refuses a name.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(describe_bodies, module)?)
}
