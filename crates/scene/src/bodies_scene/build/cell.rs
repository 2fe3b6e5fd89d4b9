//! The periodic cell: lattice, imposed strain rate and stress, inertia and damping.

use percuss_bodies::{CellController, ImposedLoading, Lattice, Matrix, PeriodicCell, Vector};
use percuss_expr::{Program, Scratch};

use super::body_table::BodyTable;
use super::context::{At, Clock, Context, at};
use super::scene_dim::SceneDim;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::{CellSpec, Component};
use percuss_input::{Formula, InputError, Origin};

/// Name of the table in messages.
const PART: &str = "[cell]";

/// The lattice of the cell at the start.
pub(super) fn lattice<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
) -> Result<Option<Lattice<D>>, Box<InputError>> {
    let Some(cell) = &spec.cell else {
        return Ok(None);
    };
    let place = at(PART, cell.key);
    // The vectors must span a positive volume.
    let mut vectors = [D::Vector::default(); 3];
    for (to, from) in vectors.iter_mut().zip(&cell.vectors) {
        *to = D::Vector::from_components(&context.numbers(place, from)?);
    }
    let lattice = Lattice::new(vectors);
    if !(lattice.volume() > 0.0 && lattice.volume().is_finite()) {
        let problem = "the vectors span no volume, or are in a left-handed order";
        let advice = "Give positive sizes, or vectors in the order of x, y, z";
        return Err(context.error(place, Origin::Line(cell.line), problem, advice));
    }
    Ok(Some(lattice))
}

/// The controller, modes, inertia and damping of the cell, from the time `start` on.
pub(super) fn cell<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    roster: &BodyTable<D>,
    start: f64,
) -> Result<Option<PeriodicCell>, Box<InputError>> {
    let Some(cell) = &spec.cell else {
        return Ok(None);
    };
    // Components driven by a stress, and the imposed loading as a function of time.
    let modes = modes(cell, D::N);
    let drive = drive(context, cell, D::N, start)?;
    let mass = match &cell.inertia {
        Some(inertia) => context.positive(at(PART, "inertia"), inertia)?,
        // Default: the inertia of the bodies moving with the mean flow, ∫ρ x² over a cube.
        None => {
            let movable = roster.bodies.iter().filter(|body| body.freedom.movable());
            let total: f64 = movable.map(|body| body.mass.mass).sum();
            let volume = lattice::<D>(context, spec)?.map_or(1.0, |lattice| lattice.volume());
            total * volume.powf(2.0 / D::N as f64) / 12.0
        }
    };
    let damping = match &cell.damping {
        None => 0.0,
        Some(damping) => context.not_negative(at(PART, "damping"), damping)?,
    };
    Ok(Some(PeriodicCell {
        periodic: cell.periodic,
        control: drive.map(|drive| Box::new(drive) as Box<dyn CellController>),
        modes,
        mass,
        damping,
    }))
}

/// The components of the velocity gradient L that are driven by a stress.
fn modes(cell: &CellSpec, dimension: usize) -> Vec<Matrix> {
    let unit = |entries: &[(usize, usize)]| {
        let mut matrix = [[0.0; 3]; 3];
        for &(row, column) in entries {
            matrix[row][column] = 1.0;
        }
        matrix
    };
    let diagonal = [(0, 0), (1, 1), (2, 2)];
    let size = cell.pressure.iter().map(|_| unit(&diagonal[..dimension]));
    let each = cell.stress.iter().map(|c| unit(&[(c.row, c.column)]));
    size.chain(each).collect()
}

/// Imposed strain rates and stresses: one program of expressions in t.
#[derive(Debug)]
struct Drive {
    program: Program,
    scratch: Scratch,
    out: Vec<f64>,
    /// Target of each value: whether it is a stress, row, column.
    to: Vec<(bool, usize, usize)>,
}

impl CellController for Drive {
    fn at(&mut self, t: f64) -> ImposedLoading {
        let run = self.program.run(&[t], &mut self.scratch, &mut self.out);
        // One input and these outputs always fit; if not, the step reports NaN.
        if run.is_err() {
            self.out.fill(f64::NAN);
        }
        let mut given = ImposedLoading::default();
        for (value, (stress, row, column)) in self.out.iter().zip(&self.to) {
            let matrix = if *stress {
                &mut given.stress
            } else {
                &mut given.rate
            };
            matrix[*row][*column] = *value;
        }
        given
    }
}

fn drive(
    context: &Context<'_>,
    cell: &CellSpec,
    dimension: usize,
    start: f64,
) -> Result<Option<Drive>, Box<InputError>> {
    let mut clock = Clock::new(context)?;
    let (mut nodes, mut to) = (Vec::new(), Vec::new());
    // Compiles one expression; its value at the start must be finite.
    let mut push = |place: At<'_>, formula: &Formula, targets: &[(bool, usize, usize)]| {
        let node = clock.parse(context, place, formula)?;
        let value = clock.graph.evaluate(node, &[start]).unwrap_or(f64::NAN);
        if !value.is_finite() {
            let problem =
                format!("its value at t = {start} is {value}; a finite number was expected");
            return Err(context.wrong(place, formula, problem, ""));
        }
        for target in targets {
            nodes.push(node);
            to.push(*target);
        }
        Ok(())
    };
    let tables: [(&str, bool, &[Component]); 2] = [
        ("[cell], strain_rate", false, &cell.strain_rate),
        ("[cell], stress", true, &cell.stress),
    ];
    for (part, stress, components) in tables {
        for c in components {
            push(at(part, c.name), &c.formula, &[(stress, c.row, c.column)])?;
        }
    }
    // A pressure acts on all components of the diagonal.
    if let Some(pressure) = &cell.pressure {
        let diagonal: Vec<_> = (0..dimension).map(|k| (true, k, k)).collect();
        push(at(PART, "pressure"), pressure, &diagonal)?;
    }
    if nodes.is_empty() {
        return Ok(None);
    }
    Ok(Some(Drive {
        program: Program::compile(&clock.graph, &nodes),
        scratch: Scratch::new(),
        out: vec![0.0; nodes.len()],
        to,
    }))
}
