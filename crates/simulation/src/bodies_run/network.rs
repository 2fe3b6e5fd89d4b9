//! The m-core of the network of contacts that carry force; bodies outside it are rattlers.
//!
//! ```text
//! rattler         a body with fewer than m contacts to bodies that are none
//! coordination    z = 2 N_c / N over the bodies and contacts that are left
//! ```
//!
//! Bodies with too few contacts are removed one after the other until none is left to remove. What
//! remains is the largest network in which each body has m contacts (its m-core), whatever the
//! order.

/// A contact: its bodies and its normal force.
pub(super) type Link = ([u32; 2], f64);

/// Forces below this share of the mean count as zero. Contacts that a solver leaves without load
/// have a force of the size of its residual, 1e-4 of the mean at most; of the forces in packings,
/// whose density at 0 is finite, one in a thousand is below.
const LEAST: f64 = 1e-3;

/// Size of the m-core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ForceNetworkCore {
    /// Number of bodies.
    pub bodies: usize,
    /// Number of contacts.
    pub contacts: usize,
}

impl ForceNetworkCore {
    /// The core of `count` bodies, of which only those in `taken` count as members, with at least
    /// `least` contacts each.
    pub fn new(count: usize, taken: impl Fn(usize) -> bool, links: &[Link], least: usize) -> Self {
        // Contacts above the threshold of force.
        let pushing = links.iter().filter(|(_, force)| *force > 0.0);
        let (number, total) = pushing.fold((0, 0.0), |(n, sum), (_, force)| (n + 1, sum + force));
        let floor = LEAST * total / f64::from(number.max(1));
        let strong: Vec<[usize; 2]> = links
            .iter()
            .filter(|(_, force)| *force > floor)
            .map(|(bodies, _)| bodies.map(|body| body as usize))
            .filter(|bodies| bodies.iter().all(|&body| body < count))
            .collect();
        // Degrees and incident contacts of the bodies.
        let mut degree = vec![0_usize; count];
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (link, bodies) in strong.iter().enumerate() {
            for &body in bodies {
                degree[body] += 1;
                around[body].push(link);
            }
        }
        // Remove bodies of low degree; each removal may bring neighbours below the threshold.
        let mut inside: Vec<bool> = (0..count).map(&taken).collect();
        let weak = |degree: &[usize], body: usize| taken(body) && degree[body] < least;
        let mut left: Vec<usize> = (0..count).filter(|&body| weak(&degree, body)).collect();
        while let Some(body) = left.pop() {
            if !std::mem::take(&mut inside[body]) {
                continue;
            }
            for &link in &around[body] {
                let [a, b] = strong[link];
                let other = if a == body { b } else { a };
                // Two contacts of a pair count twice on both sides.
                degree[other] = degree[other].saturating_sub(1);
                if inside[other] && weak(&degree, other) {
                    left.push(other);
                }
            }
        }
        // Contacts of which both bodies remain.
        let both = |bodies: &&[usize; 2]| bodies.iter().all(|&body| inside[body]);
        Self {
            bodies: inside.iter().filter(|inside| **inside).count(),
            contacts: strong.iter().filter(both).count(),
        }
    }

    /// Coordination number z; NaN without bodies.
    pub fn coordination(&self) -> f64 {
        2.0 * self.contacts as f64 / self.bodies as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[[u32; 2]]) -> Vec<Link> {
        pairs.iter().map(|pair| (*pair, 1.0)).collect()
    }

    #[test]
    fn a_chain_of_rattlers_is_taken_away_as_a_whole() {
        // A tetrahedron 0123 and a chain 3-4-5 that ends.
        let all = links(&[
            [0, 1],
            [0, 2],
            [0, 3],
            [1, 2],
            [1, 3],
            [2, 3],
            [3, 4],
            [4, 5],
        ]);
        let network = ForceNetworkCore::new(6, |_| true, &all, 2);
        assert_eq!((network.bodies, network.contacts), (4, 6));
        assert_eq!(network.coordination(), 3.0);
        // With at least four contacts each nothing is left.
        assert_eq!(ForceNetworkCore::new(6, |_| true, &all, 4).bodies, 0);
    }

    #[test]
    fn contacts_without_a_force_do_not_count() {
        let mut all = links(&[[0, 1], [1, 2], [0, 2]]);
        all[0].1 = 1e-9;
        all.push(([0, 2], 0.0));
        assert_eq!(ForceNetworkCore::new(3, |_| true, &all, 2).bodies, 0);
        all[0].1 = 0.5;
        let network = ForceNetworkCore::new(3, |_| true, &all, 2);
        assert_eq!((network.bodies, network.contacts), (3, 3));
    }
}
