//! Assembly of planar contacts between two movable bodies under one Coulomb law for all contacts: walls and
//! piles of one material. The same as `fixed_size`, written out for two rows and three velocity components. With t
//! the normal turned by a right angle and ℓ the lever arm of a body, its rows of G are
//!
//! ```text
//! ±(n, ℓ × n),    ±(t, ℓ · n)
//! ```

use percuss_contact::ProblemBuilder;
use percuss_contact::law::{Law, Status};

use super::fixed_size::BodyData;
use super::{AssembledRows, Assembler, NO_GROUP, Stage, contact_error, find_previous};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Model;
use crate::settings::Activation;
use percuss_geometry::ContactPoint;

/// The law of all candidates, if there is only one and it is Coulomb's law in the plane.
pub(in crate::step) fn single_planar_law<D: Dynamics>(model: &Model<D>) -> Option<Law> {
    let alike = model.joints.is_empty() && model.cell.is_none() && model.materials.count() == 1;
    if D::N != 2 || !alike {
        return None;
    }
    match super::law::<D>(model.materials.law(0, 0).0, Status::Open) {
        (law @ Law::Coulomb { .. }, 2) => Some(law),
        _ => None,
    }
}

impl<D: Dynamics> Assembler<'_, D> {
    /// Adds all active contacts.
    pub(super) fn push_planar_coulomb(
        &self,
        builder: &mut ProblemBuilder,
        filled: &mut AssembledRows<'_>,
        (law, t_end): (Law, f64),
    ) -> Result<(), WorldError> {
        let found = self.candidates;
        let (pair, _) = self.inputs.model.materials.law(0, 0);
        let e = pair.restitution;
        let room = self.inputs.settings.activation == Activation::Predicted && e.normal == 0.0;
        let mut last = 0;
        // Without the builder's fast path every candidate takes the general one.
        let Some(mut pairs) = builder.pair_contacts::<2, 3>(law) else {
            for touch in 0..found.len() {
                self.push_candidate(builder, filled, (touch, &mut last, t_end))?;
            }
            return Ok(());
        };
        for (touch, found) in found.iter().enumerate() {
            let [one, two] = found.bodies.map(|body| body as usize);
            let groups = [self.inputs.cache.group[one], self.inputs.cache.group[two]];
            let gap = found.point.gap;
            // Boundaries, and open gaps with restitution, where activation needs the approach velocity: general
            // path.
            if groups[0] == NO_GROUP || groups[1] == NO_GROUP || !(gap <= 0.0 || room) {
                self.push_candidate(pairs.builder(), filled, (touch, &mut last, t_end))?;
                continue;
            }
            let carriers = [&self.body_data[one], &self.body_data[two]];
            let memory = find_previous(self.memory, &mut last, found);
            let persists = self.persists(memory);
            let PlanarRows { blocks, begin } = rows(&found.point, carriers);
            // A contact whose normal row is zero constrains nothing.
            let square = |[p, q, w]: [f64; 3]| p * p + q * q + w * w;
            if !(square(blocks[0][0]) + square(blocks[1][0]) > 0.0) {
                continue;
            }
            // Restitution term ρ U_I, and g/h for an open gap.
            let rebound = match self.stage {
                Stage::End { shift } => [shift[touch][0], shift[touch][1]],
                Stage::Midpoint { .. } if persists => {
                    let frame = D::contact_frame(found.point.normal);
                    self.turn(memory, &frame, begin)
                }
                Stage::Midpoint { .. } => {
                    let open = if room && gap > 0.0 {
                        gap / self.inputs.settings.step
                    } else {
                        0.0
                    };
                    [e.normal * begin[0] + open, e.tangential * begin[1]]
                }
            };
            pairs
                .push(groups.map(|group| group as usize), &blocks, &rebound)
                .map_err(|error| contact_error(t_end, found.bodies, &error))?;
            filled.active.push(touch as u32);
            filled.persistent.push(persists);
            filled.begin.extend_from_slice(&begin);
            // Warm start: the impulse of the step before in the present frame, t = (−n_y, n_x).
            let s = memory.map_or(D::Vector::default(), |memory| memory.impulse);
            let n = found.point.normal;
            let start = [n[0] * s[0] + n[1] * s[1], n[0] * s[1] - n[1] * s[0]];
            filled.impulse.extend_from_slice(&start);
        }
        Ok(())
    }
}

/// Rows of Ĝ of the two bodies, and U_I.
struct PlanarRows {
    blocks: [[[f64; 3]; 2]; 2],
    begin: [f64; 2],
}

/// Rows of a contact at the middle of its two points.
#[inline(always)]
fn rows<D: Dynamics>(touch: &ContactPoint<D>, [a, b]: [&BodyData<D>; 2]) -> PlanarRows {
    let at = (touch.point_a + touch.point_b) * 0.5;
    let (la, lb) = (at - a.centre, at - b.centre);
    let [x, y] = [touch.normal[0], touch.normal[1]];
    let (u, v) = (a.begin.as_ref(), b.begin.as_ref());
    let (ra, rb) = (a.root.as_ref(), b.root.as_ref());
    // Lever arm of the normal and of the tangent row: ℓ × n and ℓ · n.
    let turn_a = [la[0] * y - la[1] * x, la[0] * x + la[1] * y];
    let turn_b = [lb[0] * y - lb[1] * x, lb[0] * x + lb[1] * y];
    let (dx, dy) = (v[0] - u[0], v[1] - u[1]);
    // Relative velocity U_I along the normal and the tangent.
    let begin = [
        x * dx + y * dy + (turn_b[0] * v[2] - turn_a[0] * u[2]),
        x * dy - y * dx + (turn_b[1] * v[2] - turn_a[1] * u[2]),
    ];
    // Ĝ = ±G A^-½.
    let blocks = [
        [
            [-x * ra[0], -y * ra[1], -turn_a[0] * ra[2]],
            [y * ra[0], -x * ra[1], -turn_a[1] * ra[2]],
        ],
        [
            [x * rb[0], y * rb[1], turn_b[0] * rb[2]],
            [-y * rb[0], x * rb[1], turn_b[1] * rb[2]],
        ],
    ];
    PlanarRows { blocks, begin }
}
