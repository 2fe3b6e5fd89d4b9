//! The contact assembly: the Jacobian G by blocks, and the contact laws.
//!
//! ```text
//! u = G v        relative velocities
//! p = Gᵀ S       generalised impulses
//! ```
//!
//! Coordinates come in groups, one for each movable body. The coordinates of one group should have one
//! unit, so that a balance residual has a meaning: moments divided by a radius of gyration.

use std::ops::Range;

use percuss_contact::law::Law;

use crate::error::{StaticsError, finite, sized};

/// Block of G of one contact for one group.
#[derive(Debug, Clone, PartialEq)]
struct GroupBlock {
    /// First coordinate of the group.
    first: usize,
    /// Number of coordinates of the group.
    width: usize,
    /// Rows × width entries, row-major.
    block: Vec<f64>,
}

/// The Jacobian G and the contact laws.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactAssembly {
    coordinates: usize,
    offset: Vec<usize>,
    laws: Vec<Law>,
    touches: Vec<Vec<GroupBlock>>,
}

impl ContactAssembly {
    /// Number of coordinates.
    pub fn num_coordinates(&self) -> usize {
        self.coordinates
    }

    /// Number of contacts (and joints).
    pub fn num_contacts(&self) -> usize {
        self.laws.len()
    }

    /// Number of rows of all contacts.
    pub fn num_rows(&self) -> usize {
        self.offset.last().copied().unwrap_or(0)
    }

    /// Rows of a contact.
    pub fn rows(&self, contact: usize) -> Range<usize> {
        self.offset[contact]..self.offset[contact + 1]
    }

    /// Law of a contact.
    pub fn law(&self, contact: usize) -> &Law {
        &self.laws[contact]
    }

    /// First coordinate, width and row-major entries of each block of a contact.
    pub(crate) fn blocks(&self, contact: usize) -> impl Iterator<Item = (usize, usize, &[f64])> {
        let touches = self.touches[contact].iter();
        touches.map(|touch| (touch.first, touch.width, touch.block.as_slice()))
    }

    /// A row of a contact for the group that begins with a coordinate; empty if the contact does not act on it.
    pub fn row(&self, contact: usize, row: usize, first: usize) -> &[f64] {
        let mut touches = self.touches[contact].iter();
        let found = touches.find(|touch| touch.first == first && touch.width > 0);
        found.map_or(&[], |touch| {
            &touch.block[row * touch.width..(row + 1) * touch.width]
        })
    }

    /// Generalised impulses Gᵀ S.
    pub fn scatter(&self, impulse: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.coordinates];
        for contact in 0..self.num_contacts() {
            let rows = &impulse[self.rows(contact)];
            // p += blockᵀ S.
            for (first, width, block) in self.blocks(contact) {
                for (row, s) in rows.iter().enumerate() {
                    for k in 0..width {
                        out[first + k] += block[row * width + k] * s;
                    }
                }
            }
        }
        out
    }

    /// Relative velocities G v.
    pub fn gather(&self, velocity: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.num_rows()];
        for contact in 0..self.num_contacts() {
            let rows = self.rows(contact);
            // u += block v.
            for (first, width, block) in self.blocks(contact) {
                for (row, u) in out[rows.clone()].iter_mut().enumerate() {
                    let entries = &block[row * width..(row + 1) * width];
                    *u += entries
                        .iter()
                        .zip(&velocity[first..])
                        .map(|(g, v)| g * v)
                        .sum::<f64>();
                }
            }
        }
        out
    }
}

/// Collects groups and contacts of an assembly.
#[derive(Debug, Clone, Default)]
pub struct ContactAssemblyBuilder {
    system: ContactAssembly,
    groups: Vec<(usize, usize)>,
}

impl ContactAssemblyBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        let mut builder = Self::default();
        builder.system.offset.push(0);
        builder
    }

    /// Adds a group of `width` coordinates; returns its index.
    pub fn add_group(&mut self, width: usize) -> usize {
        self.groups.push((self.system.coordinates, width));
        self.system.coordinates += width;
        self.groups.len() - 1
    }

    /// Adds a contact with its law and its block of G for each of its groups, row-major; returns its index.
    ///
    /// # Errors
    /// A law that does not fit the rows, a block of the wrong size, a number that is not finite.
    pub fn add_contact(
        &mut self,
        law: Law,
        rows: usize,
        touches: &[(usize, &[f64])],
    ) -> Result<usize, StaticsError> {
        let contact = self.system.laws.len();
        // The law must fit the rows, the blocks their groups.
        law.validate(rows)
            .map_err(|source| StaticsError::Rows { contact, source })?;
        let mut all = Vec::with_capacity(touches.len());
        for (group, block) in touches {
            let Some(&(first, width)) = self.groups.get(*group) else {
                sized("the list of groups", self.groups.len(), group + 1)?;
                continue;
            };
            sized("a block of G", block.len(), rows * width)?;
            finite(|| format!("the block of contact {contact}"), block)?;
            all.push(GroupBlock {
                first,
                width,
                block: block.to_vec(),
            });
        }
        // Append law, blocks and rows.
        self.system.laws.push(law);
        self.system.touches.push(all);
        self.system.offset.push(self.system.num_rows() + rows);
        Ok(contact)
    }

    /// The finished assembly.
    pub fn build(self) -> ContactAssembly {
        self.system
    }
}
