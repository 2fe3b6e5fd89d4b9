//! Names of bodies and joints, and messages of the engine with these names.

use std::collections::HashMap;

use percuss_bodies::WorldError;

use crate::error::{Error, Result};
use crate::joint::{BodyId, BodyRef};

/// Names of bodies and joints with their indices.
#[derive(Debug)]
pub(crate) struct Names {
    bodies: Vec<String>,
    joints: Vec<String>,
    body_index: HashMap<String, u32>,
    joint_index: HashMap<String, usize>,
}

impl Names {
    /// Refuses names that are given twice.
    pub fn new(bodies: Vec<String>, joints: Vec<String>) -> Result<Self> {
        let mut body_index = HashMap::with_capacity(bodies.len());
        for (number, name) in bodies.iter().enumerate() {
            if body_index.insert(name.clone(), number as u32).is_some() {
                return Err(Error::part(
                    format!("body `{name}`"),
                    "the name is given twice",
                ));
            }
        }
        let mut joint_index = HashMap::with_capacity(joints.len());
        for (number, name) in joints.iter().enumerate() {
            if joint_index.insert(name.clone(), number).is_some() {
                return Err(Error::part(
                    format!("joint `{name}`"),
                    "the name is given twice",
                ));
            }
        }
        Ok(Self {
            bodies,
            joints,
            body_index,
            joint_index,
        })
    }

    /// Index of a body.
    pub fn body(&self, body: &BodyRef) -> Result<u32> {
        let found = match body {
            BodyRef::World => None,
            BodyRef::Name(name) => self.body_index.get(name).copied(),
            BodyRef::Id(id) => ((id.0 as usize) < self.bodies.len()).then_some(id.0),
        };
        let known = || self.bodies.iter().map(String::as_str);
        found.ok_or_else(|| Error::unknown("body", body.to_string(), known()))
    }

    /// Index of a joint.
    pub fn joint(&self, name: &str) -> Result<usize> {
        let known = || self.joints.iter().map(String::as_str);
        let found = self.joint_index.get(name).copied();
        found.ok_or_else(|| Error::unknown("joint", format!("`{name}`"), known()))
    }

    /// Name of a body.
    pub fn of_body(&self, body: BodyId) -> &str {
        self.bodies.get(body.0 as usize).map_or("", String::as_str)
    }

    /// Name of a joint.
    pub fn of_joint(&self, number: usize) -> &str {
        self.joints.get(number).map_or("", String::as_str)
    }

    /// Names of all bodies, in order.
    pub fn bodies(&self) -> &[String] {
        &self.bodies
    }
}

/// An error of the engine with the names of the bodies.
pub(crate) fn describe(error: WorldError, names: &Names) -> Error {
    let name = |body: usize| format!("body `{}`", names.of_body(BodyId(body as u32)));
    let message = match &error {
        WorldError::Mass { body, what, value } => format!(
            "{}: its {what} is {value}, a positive, finite number was expected",
            name(*body)
        ),
        WorldError::NotFinite { body, what, t } => {
            format!("{}: its {what} at t = {t} is not finite", name(*body))
        }
        WorldError::Contact { bodies, t, reason } => {
            let [a, b] = bodies.map(|body| name(body as usize));
            format!("contact of {a} and {b} at t = {t}: {reason}")
        }
        other => other.to_string(),
    };
    Error::World {
        message,
        source: error,
    }
}
