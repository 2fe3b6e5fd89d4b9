//! Elimination of bilateral rows for a factored W (null-space method): one null space for each component.

use percuss_contact::law::Law;
use percuss_contact::{FactoredDelassus, Problem, ProblemBuilder, ProblemError};
use percuss_linalg::PivotedQr;
use percuss_linalg::dense::dot;

use super::components::{find_root, length_at};
use super::{BilateralError, ROUNDING, Reduction, locked};

/// A contact whose normal row keeps less than this fraction of its squared norm is locked by the bilateral rows.
/// Rounding of Ĝ Z leaves 1e-30; a hinge behind a mass ratio of 1e9 still leaves 1e-18.
const LOCKED: f64 = 1e-22;

/// Bilateral rows that share groups of coordinates, with their factorisation.
#[derive(Debug, Clone)]
pub(super) struct Component {
    /// Its bilateral contacts, ascending.
    contacts: Vec<usize>,
    /// Its coordinates in the order of the factorisation.
    coordinates: Vec<usize>,
    /// Its rows in the problem.
    rows: Vec<usize>,
    /// Factor that brings each row of Ĝ_b to unit length.
    scale: Vec<f64>,
    /// Pivoted QR factorisation of (scaled Ĝ_b)ᵀ.
    factor: PivotedQr,
    /// v₀ in the basis Q₁.
    target: Vec<f64>,
    /// v₀ by coordinate.
    fixed: Vec<f64>,
}

/// Where each group of coordinates is found in the reduced problem.
#[derive(Debug, Clone, Copy, Default)]
struct GroupPlacement {
    /// Its group of the reduced problem.
    group: usize,
    /// The component it is merged into, and its first coordinate there.
    merged: Option<(usize, usize)>,
}

pub(super) fn eliminate(
    problem: &Problem,
    kinetic: &FactoredDelassus,
    mismatch: f64,
) -> Result<Reduction<Component>, BilateralError> {
    // One factorisation per component, then the reduced problem.
    let members = connect(problem, kinetic);
    let mut components = Vec::with_capacity(members.len());
    for (contacts, groups) in &members {
        components.push(Component::new(
            problem, kinetic, contacts, groups, mismatch,
        )?);
    }
    let (problem, kept) = reduce(problem, kinetic, &members, &components, mismatch)?;
    Ok(Reduction {
        problem,
        kept,
        components,
    })
}

/// Group of a coordinate; never called for groups without coordinates.
fn group_of(kinetic: &FactoredDelassus, coordinate: usize) -> usize {
    kinetic
        .group_offset()
        .partition_point(|&first| first <= coordinate)
        - 1
}

/// The connected components: (bilateral contacts, groups), both ascending.
fn connect(problem: &Problem, kinetic: &FactoredDelassus) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut parent: Vec<usize> = (0..kinetic.num_groups()).collect();
    let bilateral = |a: &usize| *problem.law(*a) == Law::Bilateral;
    let mut first_group = Vec::new();
    // Union–find over the groups of every bilateral contact.
    for a in (0..problem.num_contacts()).filter(bilateral) {
        let mut groups = kinetic
            .dense_blocks(a)
            .map(|(first, _)| group_of(kinetic, first));
        if let Some(one) = groups.next() {
            first_group.push((a, one));
            for other in groups {
                let (x, y) = (find_root(&mut parent, one), find_root(&mut parent, other));
                // The smaller index becomes the root: components are in the order of their groups.
                parent[x.max(y)] = x.min(y);
            }
        }
    }
    let mut slot = vec![usize::MAX; parent.len()];
    let mut members: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    // Collect contacts and groups by root.
    for &(a, group) in &first_group {
        let root = find_root(&mut parent, group);
        if slot[root] == usize::MAX {
            slot[root] = members.len();
            members.push((Vec::new(), Vec::new()));
        }
        members[slot[root]].0.push(a);
    }
    for group in 0..parent.len() {
        let root = find_root(&mut parent, group);
        if slot[root] != usize::MAX {
            members[slot[root]].1.push(group);
        }
    }
    members
}

impl Component {
    fn new(
        problem: &Problem,
        kinetic: &FactoredDelassus,
        contacts: &[usize],
        groups: &[usize],
        mismatch: f64,
    ) -> Result<Self, BilateralError> {
        // Coordinates of the component, and where each is found.
        let mut place = vec![usize::MAX; kinetic.num_coordinates()];
        let offset = kinetic.group_offset();
        let coordinates: Vec<usize> = groups
            .iter()
            .flat_map(|&g| offset[g]..offset[g + 1])
            .collect();
        for (i, &c) in coordinates.iter().enumerate() {
            place[c] = i;
        }
        let rows: Vec<usize> = contacts.iter().flat_map(|&a| problem.rows(a)).collect();
        let n = coordinates.len();
        // Dense Ĝ_b of the component.
        let mut jacobian = vec![0.0; rows.len() * n];
        let mut at = 0;
        for &a in contacts {
            let d = problem.dim(a);
            for (first, block) in kinetic.dense_blocks(a) {
                let width = block.len() / d;
                for (k, g) in block.iter().enumerate() {
                    jacobian[(at + k / width) * n + place[first] + k % width] += g;
                }
            }
            at += d;
        }
        // Rows scaled to unit length.
        let scale: Vec<f64> = jacobian
            .chunks_exact(n.max(1))
            .map(|row| dot(row, row).sqrt())
            .map(|length| if length > 0.0 { 1.0 / length } else { 1.0 })
            .collect();
        // Factorise, then the velocities that the rows prescribe.
        let factor = PivotedQr::new(n, rows.len(), true, |i, j| jacobian[j * n + i] * scale[j]);
        let mut component = Self {
            contacts: contacts.to_vec(),
            coordinates,
            rows,
            scale,
            factor,
            target: Vec::new(),
            fixed: Vec::new(),
        };
        component.fix(problem, kinetic, mismatch)?;
        Ok(component)
    }

    /// Computes v₀ from the given velocities; rows that add no rank must agree with it.
    fn fix(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        mismatch: f64,
    ) -> Result<(), BilateralError> {
        // Given velocities of the scaled rows.
        let given: Vec<f64> = self.each_row(|row| -kinetic.affine_term(row));
        let (target, left) = self.factor.solve_transposed(&given);
        // Scale of the velocities, and the dependent row that agrees least.
        let size = self.each_row(|row| {
            problem.free_velocity()[row]
                .abs()
                .max(kinetic.affine_term(row).abs())
        });
        let size = size.iter().fold(0.0_f64, |m, v| m.max(*v));
        let worst = (0..left.len()).max_by(|&i, &j| left[i].abs().total_cmp(&left[j].abs()));
        // The residual of terms that cancel is rounding of these terms: rows have unit length here.
        let moving = |v: &[f64]| length_at(v, &self.coordinates);
        let rounding = ROUNDING * moving(kinetic.free()).max(moving(kinetic.begin()));
        if let Some(worst) = worst
            && left[worst].abs() > (mismatch * size).max(rounding)
        {
            return Err(self.contradiction(problem, worst, left[worst]));
        }
        self.fixed = self.factor.range_combine(&target);
        self.target = target;
        Ok(())
    }

    fn each_row(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        self.rows
            .iter()
            .zip(&self.scale)
            .map(|(&row, s)| value(row) * s)
            .collect()
    }

    /// Names the contact of a dependent row and the contacts that it depends on.
    fn contradiction(&self, problem: &Problem, worst: usize, left: f64) -> BilateralError {
        let rank = self.factor.rank();
        let row = self.factor.order()[rank + worst];
        let owner = |row: usize| {
            problem
                .offset()
                .partition_point(|&first| first <= self.rows[row])
                - 1
        };
        // Contacts of the rows in its linear combination.
        let mut others: Vec<usize> = self
            .factor
            .combination(worst)
            .iter()
            .enumerate()
            // Coefficients between unit rows are of order one; below this they are rounding.
            .filter(|(_, t)| t.abs() > 1e-8)
            .map(|(position, _)| owner(self.factor.order()[position]))
            .filter(|&a| a != owner(row))
            .collect();
        others.sort_unstable();
        others.dedup();
        others.insert(0, owner(row));
        BilateralError::Contradiction {
            contacts: others,
            velocity: left / self.scale[row],
        }
    }

    /// Zᵀ x for x by coordinate of the problem.
    fn free_part(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.coordinates.len() - self.factor.rank()];
        for (i, &c) in self.coordinates.iter().enumerate() {
            y.iter_mut()
                .zip(self.factor.null_row(i))
                .for_each(|(y, z)| *y += z * x[c]);
        }
        y
    }
}

/// Builds the reduced problem, contacts in their old order.
fn reduce(
    problem: &Problem,
    kinetic: &FactoredDelassus,
    members: &[(Vec<usize>, Vec<usize>)],
    components: &[Component],
    mismatch: f64,
) -> Result<(Problem, Vec<usize>), BilateralError> {
    let mut builder = FactoredDelassus::builder();
    let place = place_groups(kinetic, members, components, &mut builder)?;
    let mut kept = Vec::new();
    let mut blocks = Blocks::default();
    for a in (0..problem.num_contacts()).filter(|&a| *problem.law(a) != Law::Bilateral) {
        blocks.gather(problem, kinetic, components, &place, a);
        let d = problem.dim(a);
        // A contact whose normal row cannot move: its velocity is fixed, and must not be a penetration.
        let left: f64 = blocks
            .list
            .iter()
            .map(|(_, b)| dot(&b[..b.len() / d], &b[..b.len() / d]))
            .sum();
        if problem.law(a).normal() && left <= LOCKED * problem.diagonal_block(a)[0] {
            let velocity = blocks.boundary[0] + kinetic.rebound(problem.rows(a).start);
            let size = problem.free_velocity()[problem.rows(a)]
                .iter()
                .fold(0.0_f64, |m, v| m.max(v.abs()));
            if velocity < -mismatch * size.max(velocity.abs()) {
                let joints = blocks
                    .components
                    .iter()
                    .flat_map(|&c| components[c].contacts.clone());
                return Err(locked(a, joints.collect(), velocity));
            }
            continue;
        }
        // Friction or a motor on rows that the bilateral rows lock moves nothing: it stays without impulse.
        let whole: f64 = blocks.list.iter().map(|(_, b)| dot(b, b)).sum();
        let trace: f64 = problem.diagonal_block(a).iter().step_by(d + 1).sum();
        if matches!(problem.law(a), Law::NonFirm(_)) && whole <= LOCKED * trace {
            continue;
        }
        // Add the contact with its reduced blocks.
        let touches: Vec<(usize, &[f64])> = blocks
            .list
            .iter()
            .map(|(g, b)| (*g, b.as_slice()))
            .collect();
        let rebound: Vec<f64> = problem.rows(a).map(|row| kinetic.rebound(row)).collect();
        builder.add_contact_with_rebound(
            problem.law(a).clone(),
            &touches,
            &blocks.boundary,
            &rebound,
        )?;
        kept.push(a);
    }
    Ok((builder.build()?, kept))
}

fn place_groups(
    kinetic: &FactoredDelassus,
    members: &[(Vec<usize>, Vec<usize>)],
    components: &[Component],
    builder: &mut ProblemBuilder,
) -> Result<Vec<GroupPlacement>, ProblemError> {
    let offset = kinetic.group_offset();
    let mut place = vec![GroupPlacement::default(); kinetic.num_groups()];
    // One group per component: its null-space coordinates y.
    for (component, (_, groups)) in members.iter().enumerate() {
        let begin = components[component].free_part(kinetic.begin());
        let free = components[component].free_part(kinetic.free());
        let group = builder.add_kinetic_group(&begin, &free)?;
        let mut first = 0;
        for &g in groups {
            let merged = Some((component, first));
            place[g] = GroupPlacement { group, merged };
            first += offset[g + 1] - offset[g];
        }
    }
    // Other groups are copied.
    for (g, place) in place
        .iter_mut()
        .enumerate()
        .filter(|(_, p)| p.merged.is_none())
    {
        let own = offset[g]..offset[g + 1];
        place.group =
            builder.add_kinetic_group(&kinetic.begin()[own.clone()], &kinetic.free()[own])?;
    }
    Ok(place)
}

/// The blocks of one contact in the reduced problem.
#[derive(Default)]
struct Blocks {
    /// (group of the reduced problem, block of Ĝ').
    list: Vec<(usize, Vec<f64>)>,
    /// Components that it touches.
    components: Vec<usize>,
    /// Given velocity with the part Ĝ v₀.
    boundary: Vec<f64>,
}

impl Blocks {
    fn gather(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        components: &[Component],
        place: &[GroupPlacement],
        a: usize,
    ) {
        self.list.clear();
        self.components.clear();
        self.boundary.clear();
        self.boundary
            .extend(problem.rows(a).map(|row| kinetic.boundary(row)));
        let d = problem.dim(a);
        for (coordinate, block) in kinetic.dense_blocks(a) {
            let GroupPlacement { group, merged } = place[group_of(kinetic, coordinate)];
            let Some((component, first)) = merged else {
                self.list.push((group, block.to_vec()));
                continue;
            };
            let part = &components[component];
            let free = part.coordinates.len() - part.factor.rank();
            let at = match self.list.iter().position(|(g, _)| *g == group) {
                Some(at) => at,
                None => {
                    self.list.push((group, vec![0.0; d * free]));
                    self.components.push(component);
                    self.list.len() - 1
                }
            };
            // Ĝ v₀ goes to the given velocity, Ĝ Z to the block.
            let width = block.len() / d;
            for (k, g) in block.iter().enumerate() {
                let (i, c) = (k / width, first + k % width);
                self.boundary[i] += g * part.fixed[c];
                let row = &mut self.list[at].1[i * free..(i + 1) * free];
                row.iter_mut()
                    .zip(part.factor.null_row(c))
                    .for_each(|(r, z)| *r += g * z);
            }
        }
    }
}

/// r_b from Q₁ᵀ v̂ = Q₁ᵀ v₀; the second pass removes the rounding of the first (iterative refinement).
pub(super) fn recover(components: &[Component], kinetic: &FactoredDelassus, impulse: &mut [f64]) {
    let mut v = vec![0.0; kinetic.num_coordinates()];
    for _ in 0..2 {
        kinetic.velocity_into(impulse, &mut v);
        for part in components {
            let own: Vec<f64> = part.coordinates.iter().map(|&c| v[c]).collect();
            let mut change = part.factor.range_part(&own);
            change
                .iter_mut()
                .zip(&part.target)
                .for_each(|(c, t)| *c = t - *c);
            let rho = part.factor.solve(&change);
            for (i, &row) in part.rows.iter().enumerate() {
                impulse[row] += rho[i] * part.scale[i];
            }
        }
    }
}
