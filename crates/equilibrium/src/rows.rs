//! The contact table of a recorded step, turned into contacts, impulses and faces of the static model.

use percuss_bodies::{Activation, Vector, contact_law};
use percuss_contact::law::Status;
use percuss_record::{CellValue, Record, RecordError, Table};
use percuss_scene::bodies_scene::BodiesSetup;
use percuss_statics::Face;

use super::face::RecordedContact;
use super::record_dim::RecordDim;
use super::static_model::{StaticContact, StaticModel};

/// Factor above the tolerance of the steps that a velocity must exceed to count as nonzero.
const ABOVE: f64 = 10.0;

/// The rows of the table `contacts` for one step.
pub(super) struct Rows<D> {
    pub table: Table,
    dimension: std::marker::PhantomData<D>,
}

/// Faces and impulses of all contacts, and the velocity threshold used.
pub(super) struct ReadAll {
    pub faces: Vec<Face>,
    pub impulse: Vec<f64>,
    pub threshold: f64,
}

/// Suffixes of the columns of a contact, in the order of the rows of its law.
fn row_names(dimension: usize) -> &'static [&'static str] {
    match dimension {
        2 => &["n", "t1", "roll1"],
        _ => &["n", "t1", "t2", "roll1", "roll2", "spin"],
    }
}

impl<D: RecordDim> Rows<D> {
    pub fn read(record: &Record, step: i64) -> Result<Self, RecordError> {
        let columns: Vec<String> = record
            .entry("contacts")?
            .columns
            .iter()
            .map(|c| c.name.clone())
            .collect();
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        Ok(Self {
            table: record.contacts_of(&names, step)?,
            dimension: std::marker::PhantomData,
        })
    }

    /// A cell of the table; NaN where there is none.
    fn number(&self, row: usize, column: &str) -> f64 {
        self.table
            .column(column)
            .map_or(f64::NAN, |values| values.number(row))
    }

    pub fn integer(&self, row: usize, column: &str) -> i64 {
        match self.table.column(column).map(|values| values.cell(row)) {
            Some(CellValue::Integer(n)) => n,
            _ => -1,
        }
    }

    fn vector(&self, row: usize, prefix: &str) -> D::Vector {
        let axes = ["x", "y", "z"].iter().take(D::N);
        let all: Vec<f64> = axes
            .map(|a| self.number(row, &format!("{prefix}{a}")))
            .collect();
        D::Vector::from_components(&all)
    }

    /// The contact points with frames and laws.
    pub fn spots(
        &self,
        record: &Record,
        assembly: &BodiesSetup<D>,
    ) -> Result<Vec<StaticContact<D>>, RecordError> {
        let damaged = |why: &str| RecordError::damaged(record.directory(), why);
        let model = &assembly.model;
        let mut spots = Vec::with_capacity(self.table.rows);
        for row in 0..self.table.rows {
            // Indices of the bodies must exist in the scene.
            let body = |column: &str| {
                let number = usize::try_from(self.integer(row, column)).ok();
                number.filter(|i| *i < model.bodies.len())
            };
            let (Some(a), Some(b)) = (body("a"), body("b")) else {
                return Err(damaged("a contact of a body that there is not"));
            };
            let (pair, _) = model
                .materials
                .law(model.bodies[a].material, model.bodies[b].material);
            let (law, rows) = contact_law::<D>(pair, Status::Stick);
            let normal = self.vector(row, "normal_");
            // In space the recorded first tangent fixes the frame; the second is n × t.
            let mut frame = D::contact_frame(normal).as_ref().to_vec();
            if D::N == 3 {
                let t = self.vector(row, "tangent_");
                let cross = |i: usize, j: usize| normal[i] * t[j] - normal[j] * t[i];
                frame = vec![
                    normal,
                    t,
                    D::Vector::from_components(&[cross(1, 2), cross(2, 0), cross(0, 1)]),
                ];
            }
            let at = self.vector(row, "");
            if !frame.iter().chain([&at]).all(|v| v.norm().is_finite()) {
                return Err(damaged("a contact whose place is no number"));
            }
            spots.push(StaticContact {
                bodies: [a as u32, b as u32],
                at,
                frame,
                law,
                rows,
            });
        }
        Ok(spots)
    }

    /// Impulses, weighted velocities and faces of all contacts.
    pub fn read_all(
        &self,
        assembly: &BodiesSetup<D>,
        gathered: &StaticModel,
        spots: &[StaticContact<D>],
    ) -> ReadAll {
        let or_zero = |x: f64| if x.is_finite() { x } else { 0.0 };
        let cell = |row: usize, prefix: &str, name: &str| {
            or_zero(self.number(row, &format!("{prefix}_{name}")))
        };
        let mut impulse = vec![0.0; gathered.system.num_rows()];
        let mut velocity = impulse.clone();
        let mut kappas = Vec::with_capacity(spots.len());
        let mut fastest = 0.0_f64;
        for (k, spot) in spots.iter().enumerate() {
            // Scale of impulse over velocity, and restitution of the pair.
            let kappa = self.kappa(gathered, spot, k);
            let [a, b] = spot
                .bodies
                .map(|i| assembly.model.bodies[i as usize].material);
            let e = assembly.model.materials.law(a, b).0.restitution;
            // Ū = U_F + ρ U_I by row, and the largest velocity of the step.
            for (i, (row, name)) in gathered.system.rows(k).zip(row_names(D::N)).enumerate() {
                let (begin, end) = (cell(k, "begin", name), cell(k, "end", name));
                impulse[row] = cell(k, "impulse", name);
                velocity[row] = end + begin * if i == 0 { e.normal } else { e.tangential };
                if i < D::N {
                    let all = [begin, end, impulse[row] / kappa];
                    fastest = all.iter().fold(fastest, |m, v| m.max(v.abs()));
                }
            }
            // Predicted activation allows U_n ≥ −g/h: the gap still open is added.
            if assembly.settings.activation == Activation::Predicted && e.normal == 0.0 {
                let room = or_zero(self.number(k, "gap")).max(0.0) / assembly.settings.step;
                velocity[gathered.system.rows(k).start] += room;
            }
            kappas.push(kappa);
        }
        // Contact status from velocities above the threshold.
        let threshold = ABOVE * assembly.settings.tolerance.max(1e-12) * fastest;
        let faces = spots.iter().enumerate().map(|(k, spot)| {
            let rows = gathered.system.rows(k);
            let told = RecordedContact {
                law: &spot.law,
                velocity: &velocity[rows.clone()],
                impulse: &impulse[rows],
                kappa: kappas[k],
                still: threshold,
            };
            told.face()
        });
        ReadAll {
            faces: faces.collect(),
            impulse,
            threshold,
        }
    }

    /// κ of a contact from the masses of its bodies: 1/W_nn of its normal row.
    fn kappa(&self, gathered: &StaticModel, spot: &StaticContact<D>, contact: usize) -> f64 {
        // W_nn = Σ ‖G_n‖²/m over the movable bodies: rotations are scaled by the radius of gyration.
        let mut inverse = 0.0;
        for &body in &spot.bodies {
            if let Some(seat) = &gathered.seats[body as usize] {
                let row = gathered.system.row(contact, 0, seat.first);
                inverse += row.iter().map(|g| g * g).sum::<f64>() / seat.mass;
            }
        }
        if inverse > 0.0 {
            1.0 / inverse
        } else {
            f64::MAX
        }
    }
}
