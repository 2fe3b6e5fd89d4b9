//! Force chains of a contact network.
//!
//! A contact is strong when its force is above a threshold, usually the mean. Two strong contacts of a body are
//! linked when the angle by which the force line turns from one to the other is at most a given one. A body links
//! each contact to at most one other, the straightest pair first; so chains do not branch. A chain is a maximal
//! sequence of linked contacts. Only chains of two or more contacts count; the length is the number of contacts.

use std::collections::HashMap;

/// A contact as a member of a force chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceChainContact {
    /// Indices of the two bodies.
    pub bodies: [u32; 2],
    /// Unit vector from the first to the second: centre to centre, or to the contact point of a boundary.
    pub along: [f64; 3],
    /// Normal force of the contact.
    pub force: f64,
    /// Whether each of the bodies transmits forces; a boundary ends a chain.
    pub passes: [bool; 2],
}

/// Force chains of a set of contacts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForceChains {
    /// Contacts of each chain, as indices into the contacts given, ascending.
    pub members: Vec<Vec<usize>>,
}

impl ForceChains {
    /// Number of contacts of each chain.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(Vec::len)
    }

    /// Mean length; NaN without chains.
    pub fn mean_length(&self) -> f64 {
        self.lengths().sum::<usize>() as f64 / self.members.len() as f64
    }
}

/// Force chains of the contacts whose force is above `least`, with turns of at most `angle`.
pub fn force_chains(struts: &[ForceChainContact], least: f64, angle: f64) -> ForceChains {
    // Each strong contact at each of its bodies, with the direction away from the body.
    let strong = struts.iter().enumerate().filter(|(_, s)| s.force > least);
    let mut ends: Vec<(u32, usize, [f64; 3])> = Vec::new();
    for (place, strut) in strong {
        let back = strut.along.map(|x| -x);
        for (side, outward) in [(0, strut.along), (1, back)] {
            if strut.passes[side] {
                ends.push((strut.bodies[side], place, outward));
            }
        }
    }
    // By body, then in the order given: the same contacts give the same chains.
    ends.sort_by_key(|(body, place, _)| (*body, *place));
    let mut links: Vec<[usize; 2]> = Vec::new();
    for around in ends.chunk_by(|a, b| a.0 == b.0) {
        link(around, angle, &mut links);
    }
    gather(&links)
}

/// Links the contacts of one body in pairs, the straightest pair first.
fn link(around: &[(u32, usize, [f64; 3])], angle: f64, links: &mut Vec<[usize; 2]>) {
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, (_, _, a)) in around.iter().enumerate() {
        for (j, (_, _, b)) in around.iter().enumerate().skip(i + 1) {
            // Both point away from the body: straight on is a = −b.
            let straight = -(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
            if straight >= angle.cos() {
                pairs.push((straight, i, j));
            }
        }
    }
    // Greedy matching.
    pairs.sort_by(|p, q| q.0.total_cmp(&p.0).then((p.1, p.2).cmp(&(q.1, q.2))));
    let mut used = vec![false; around.len()];
    for (_, i, j) in pairs {
        if !used[i] && !used[j] {
            (used[i], used[j]) = (true, true);
            links.push([around[i].1, around[j].1]);
        }
    }
}

/// Connected components of the links, by depth-first search.
fn gather(links: &[[usize; 2]]) -> ForceChains {
    let mut next: HashMap<usize, Vec<usize>> = HashMap::new();
    for [a, b] in links {
        next.entry(*a).or_default().push(*b);
        next.entry(*b).or_default().push(*a);
    }
    let mut heads: Vec<usize> = next.keys().copied().collect();
    heads.sort_unstable();
    let mut seen: HashMap<usize, ()> = HashMap::new();
    // Heads in ascending order: the chains do not depend on the order of the hash map.
    let mut members = Vec::new();
    for head in heads {
        if seen.contains_key(&head) {
            continue;
        }
        let (mut chain, mut open) = (Vec::new(), vec![head]);
        while let Some(place) = open.pop() {
            if seen.insert(place, ()).is_none() {
                chain.push(place);
                open.extend(next.get(&place).into_iter().flatten());
            }
        }
        chain.sort_unstable();
        members.push(chain);
    }
    ForceChains { members }
}
