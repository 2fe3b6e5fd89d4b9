//! The contact graph: its nodes are the groups of [`FactoredDelassus`] (bodies), its edges the contacts. Connected
//! components, which are islands, share no coordinate: W is block diagonal over them, and (★) falls into one problem for
//! each.

use crate::delassus::FactoredDelassus;
use crate::problem::{DelassusOperator, Problem};

/// A forest of union–find over groups, each represented by its first coordinate.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupForest {
    parent: Vec<u32>,
}

impl GroupForest {
    /// Unites the groups of every contact.
    pub(crate) fn unite(&mut self, kinetic: &FactoredDelassus, contacts: usize) {
        self.parent.clear();
        self.parent.extend(0..kinetic.num_coordinates() as u32);
        for a in 0..contacts {
            let mut firsts = kinetic.first_coordinates(a);
            let Some(first) = firsts.next() else { continue };
            for other in firsts {
                let (i, j) = (self.root(first), self.root(other));
                // The smaller index is the root: the forest does not depend on the order of contacts.
                self.parent[i.max(j)] = i.min(j) as u32;
            }
        }
    }

    /// Root of a group, given by its first coordinate.
    pub(crate) fn root(&mut self, from: usize) -> usize {
        let mut i = from;
        while self.parent[i] as usize != i {
            // Path halving keeps the trees flat.
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }
}

/// The islands of a problem, in the order of their first contacts, with the buffers for finding them.
#[derive(Debug, Clone, Default)]
pub struct Islands {
    forest: GroupForest,
    /// Island of each root, found so far.
    of_root: Vec<u32>,
    /// Island of each contact.
    island: Vec<u32>,
    /// First entry in `contacts` of each island; one more entry than islands.
    begin: Vec<u32>,
    /// Contacts by island, in their order in the problem.
    contacts: Vec<u32>,
    /// Where the next contact of each island goes.
    next: Vec<u32>,
}

/// A root without an island.
const NONE: u32 = u32::MAX;

impl Islands {
    /// Finds the islands of `problem` and returns their number. A stored matrix is one island.
    pub fn find(&mut self, problem: &Problem) -> usize {
        let n = problem.num_contacts();
        self.island.clear();
        let mut count = 0;
        match problem.operator() {
            DelassusOperator::Stored { .. } => {
                self.island.resize(n, 0);
                count = u32::from(n > 0);
            }
            DelassusOperator::Factored(kinetic) => {
                self.forest.unite(kinetic, n);
                self.of_root.clear();
                self.of_root.resize(kinetic.num_coordinates(), NONE);
                for a in 0..n {
                    let Some(first) = kinetic.first_coordinates(a).next() else {
                        // A contact without coordinates is an island of its own.
                        self.island.push(count);
                        count += 1;
                        continue;
                    };
                    let root = self.forest.root(first);
                    if self.of_root[root] == NONE {
                        self.of_root[root] = count;
                        count += 1;
                    }
                    self.island.push(self.of_root[root]);
                }
            }
        }
        self.sort(count as usize);
        count as usize
    }

    /// Lists the contacts by island (counting sort).
    fn sort(&mut self, count: usize) {
        self.begin.clear();
        self.begin.resize(count + 1, 0);
        for island in &self.island {
            self.begin[*island as usize + 1] += 1;
        }
        for i in 0..count {
            self.begin[i + 1] += self.begin[i];
        }
        self.contacts.clear();
        self.contacts.resize(self.island.len(), 0);
        self.next.clear();
        self.next.extend_from_slice(&self.begin);
        for (a, island) in self.island.iter().enumerate() {
            let at = &mut self.next[*island as usize];
            self.contacts[*at as usize] = a as u32;
            *at += 1;
        }
    }

    /// Contacts of an island of the problem searched last, ascending.
    pub fn contacts(&self, island: usize) -> &[u32] {
        &self.contacts[self.begin[island] as usize..self.begin[island + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Islands;
    use crate::builder::Restitution;
    use crate::delassus::FactoredDelassus;
    use crate::law::Law;
    use crate::problem::Problem;
    use crate::residual::{ResidualEvaluator, ResidualMeasure};

    /// Six discs; contacts 0–1, 3–4, 1–2, 5–ground, 4–ground.
    fn three_islands() -> Problem {
        let mut builder = FactoredDelassus::builder();
        for i in 0..6 {
            let mass = [1.0 + i as f64, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.5];
            let velocity = [0.1 * i as f64, -1.0, 0.3];
            builder
                .add_group(&mass, &velocity, &[0.0, -0.1, 0.0])
                .unwrap();
        }
        let block = [0.0, 1.0, 0.2, 1.0, 0.0, 0.4];
        let other = [0.0, -1.0, 0.1, -1.0, 0.0, 0.3];
        let pairs: [&[usize]; 5] = [&[0, 1], &[3, 4], &[1, 2], &[5], &[4]];
        for (k, pair) in pairs.iter().enumerate() {
            let blocks = [&block[..], &other[..]];
            let touches: Vec<(usize, &[f64])> =
                pair.iter().copied().zip(blocks.iter().copied()).collect();
            let law = Law::Coulomb {
                mu: 0.1 * (k + 1) as f64,
            };
            let restitution = Restitution {
                normal: 0.5,
                tangential: 0.0,
            };
            builder
                .add_contact(law, &touches, &[0.01 * k as f64, 0.0], restitution)
                .unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn islands_are_the_connected_components() {
        let problem = three_islands();
        let mut islands = Islands::default();
        assert_eq!(islands.find(&problem), 3);
        assert_eq!(islands.contacts(0), [0, 2]);
        assert_eq!(islands.contacts(1), [1, 4]);
        assert_eq!(islands.contacts(2), [3]);
    }

    #[test]
    fn the_problem_of_an_island_is_its_part_of_the_whole() {
        let problem = three_islands();
        let mut islands = Islands::default();
        let impulse: Vec<f64> = (0..problem.num_rows())
            .map(|i| 0.1 + 0.03 * i as f64)
            .collect();
        let mut whole = ResidualEvaluator::new(&problem);
        let expected = whole.residual(&problem, &impulse, ResidualMeasure::Velocity);
        let mut largest = 0.0_f64;
        for island in 0..islands.find(&problem) {
            let contacts = islands.contacts(island);
            let part = problem.restricted_to(contacts).unwrap();
            let own: Vec<f64> = contacts
                .iter()
                .flat_map(|&a| impulse[problem.rows(a as usize)].to_vec())
                .collect();
            let mut evaluator = ResidualEvaluator::new(&part);
            let residual = evaluator.residual(&part, &own, ResidualMeasure::Velocity);
            largest = largest.max(residual);
            // Velocities, κ and laws are those of the whole, bit by bit.
            for (k, &a) in contacts.iter().enumerate() {
                let (a, rows) = (a as usize, part.rows(k));
                assert_eq!(
                    evaluator.velocity()[rows],
                    whole.velocity()[problem.rows(a)]
                );
                assert_eq!(part.kappa(k), problem.kappa(a));
                assert_eq!(part.law(k), problem.law(a));
            }
        }
        assert_eq!(largest, expected);
        let mut defects = Vec::new();
        whole.velocity_defects(&problem, &impulse, &mut defects);
        assert_eq!(defects.iter().copied().fold(0.0, f64::max), expected);
    }
}
