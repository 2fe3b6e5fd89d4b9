//! Elimination of bilateral rows for a factored W: null space or range of the contacts for each component.

use percuss_contact::law::Law;
use percuss_contact::{FactoredDelassus, Problem, ProblemBuilder, ProblemError};
use percuss_linalg::dense::dot;

use super::component::{Basis, Component, Source};
use super::components::{find_root, length_at};
use super::{BilateralError, LOCKED, ROUNDING, Reduction, locked};

/// The components of the last problem: their factors serve the next one where the rows are the same, the symbolic part
/// where the structure is.
#[derive(Debug, Default)]
pub(super) struct Memory(pub Vec<Component>);

/// Where each group of coordinates is found in the reduced problem.
#[derive(Debug, Clone, Copy, Default)]
struct GroupPlacement {
    /// Its group of the reduced problem.
    group: usize,
    /// The component it is merged into, and its first coordinate there.
    merged: Option<(usize, usize)>,
}

/// Largest number of contact rows on a sparse component that become a basis, and largest number of entries of such a
/// basis: its orthonormalisation costs as many multiplications as the entries times the rows.
const BASIS_ROWS: usize = 240;
const BASIS_ENTRIES: usize = 400_000;

/// Coordinates of a body in space.
const BODY: usize = 6;

pub(super) fn eliminate(
    problem: &Problem,
    kinetic: &FactoredDelassus,
    mismatch: f64,
    memory: &mut Memory,
) -> Result<Reduction<Component>, BilateralError> {
    let members = connect(problem, kinetic);
    let offset = kinetic.group_offset();
    // Coordinates of each component, and the place of each coordinate among them.
    let mut place = vec![usize::MAX; kinetic.num_coordinates()];
    let mut old = std::mem::take(&mut memory.0).into_iter();
    let mut components = Vec::with_capacity(members.len());
    for (contacts, groups) in &members {
        let coordinates: Vec<usize> = groups
            .iter()
            .flat_map(|&g| offset[g]..offset[g + 1])
            .collect();
        for (i, &c) in coordinates.iter().enumerate() {
            place[c] = i;
        }
        let source = Source {
            problem,
            kinetic,
            place: &place,
            mismatch,
        };
        components.push(Component::new(source, contacts, coordinates, old.next()));
    }
    // The bases of sparse components, then the reduced problem.
    choose_bases(problem, kinetic, &members, &place, &mut components);
    let source = Source {
        problem,
        kinetic,
        place: &place,
        mismatch,
    };
    for component in &mut components {
        component.fix(source)?;
    }
    let (problem, kept) = reduce(problem, kinetic, &members, &components, mismatch)?;
    Ok(Reduction {
        problem,
        kept,
        components,
    })
}

/// Gives each sparse component a basis of what its contacts can cause, unless they are too many.
fn choose_bases(
    problem: &Problem,
    kinetic: &FactoredDelassus,
    members: &[(Vec<usize>, Vec<usize>)],
    place: &[usize],
    components: &mut [Component],
) {
    if !components.iter().any(Component::is_sparse) {
        return;
    }
    // Component of each group, and the other contacts on each sparse component.
    let mut home = vec![usize::MAX; kinetic.num_groups()];
    for (k, (_, groups)) in members.iter().enumerate() {
        if components[k].is_sparse() {
            groups.iter().for_each(|&g| home[g] = k);
        }
    }
    let mut touching = vec![Vec::new(); components.len()];
    for a in (0..problem.num_contacts()).filter(|&a| *problem.law(a) != Law::Bilateral) {
        for first in kinetic.first_coordinates(a) {
            let k = home[group_of(kinetic, first)];
            if k != usize::MAX && touching[k].last() != Some(&a) {
                touching[k].push(a);
            }
        }
    }
    for (k, contacts) in touching.into_iter().enumerate() {
        if !components[k].is_sparse() {
            continue;
        }
        let n = components[k].coordinates.len();
        let count: usize = contacts.iter().map(|&a| problem.dim(a)).sum();
        if count > BASIS_ROWS || count * n > BASIS_ENTRIES {
            continue;
        }
        // Rows of these contacts by coordinate of the component.
        let mut rows = Vec::with_capacity(count);
        for a in contacts {
            let d = problem.dim(a);
            let at = rows.len();
            rows.resize(at + d, vec![0.0; n]);
            for (first, block) in kinetic.dense_blocks(a) {
                if home[group_of(kinetic, first)] != k {
                    continue;
                }
                let width = block.len() / d;
                for (l, g) in block.iter().enumerate() {
                    rows[at + l / width][place[first] + l % width] += g;
                }
            }
        }
        components[k].reach(rows);
    }
    // Newton's methods take the velocities of bodies where rows of joints stay: then all of them are left.
    let stays = |c: &Component| c.is_sparse() && matches!(c.basis, Basis::Bodies);
    if components.iter().any(stays) {
        let wide = components.iter_mut().filter(|c| c.width() > BODY);
        wide.for_each(|c| c.basis = Basis::Bodies);
    }
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
    // Bilateral rows of components that stay as they are.
    let mut stays = vec![false; problem.num_contacts()];
    let bodies = |c: &&Component| matches!(c.basis, Basis::Bodies);
    for &a in components.iter().filter(bodies).flat_map(|c| &c.contacts) {
        stays[a] = true;
    }
    for a in 0..problem.num_contacts() {
        if *problem.law(a) == Law::Bilateral && !stays[a] {
            continue;
        }
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
            // What cancels in a contact that cannot move leaves rounding of the velocities of its component.
            let rounding = blocks.components.iter().map(|&c| {
                let moving = |v: &[f64]| length_at(v, &components[c].coordinates);
                ROUNDING * moving(kinetic.free()).max(moving(kinetic.begin()))
            });
            let rounding = rounding.sum::<f64>() * problem.diagonal_block(a)[0].sqrt();
            if velocity < -(mismatch * size.max(velocity.abs())).max(rounding) {
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
    // One group per component: its coordinates y.
    for (component, (_, groups)) in members.iter().enumerate() {
        if matches!(components[component].basis, Basis::Bodies) {
            continue;
        }
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
            let free = part.width();
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
                    .zip(part.basis_row(c))
                    .for_each(|(r, z)| *r += g * z);
            }
        }
    }
}

/// r_b from the velocities that the other impulses give; the second pass removes the rounding of the first (iterative
/// refinement).
pub(super) fn recover(
    components: &mut [Component],
    kinetic: &FactoredDelassus,
    impulse: &mut [f64],
) {
    components.iter().for_each(|part| part.clear(impulse));
    let mut v = vec![0.0; kinetic.num_coordinates()];
    for refine in [false, true] {
        kinetic.velocity_into(impulse, &mut v);
        for part in &mut *components {
            part.correct(kinetic, &v, refine, impulse);
        }
    }
}
