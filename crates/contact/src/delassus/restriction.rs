//! The part of an operator that some contacts see: their blocks, and the groups that they touch.

use super::{BlockStorage, FactoredDelassus, GroupBlock, MostlyZeroRows};

/// Length of the record of a contact of spheres.
const SPHERE_RECORD: usize = 13;

/// A group that none of the chosen contacts has touched yet.
const NONE: u32 = u32::MAX;

impl FactoredDelassus {
    /// The operator of these contacts alone, in this order; groups that they do not touch are left out, the others are in
    /// the order in which they are touched first. `None` where an index does not exist.
    pub(crate) fn restricted_to(&self, contacts: &[u32]) -> Option<Self> {
        let mut part = Self {
            group_offset: vec![0],
            factor_ptr: Vec::new(),
            factor: Vec::new(),
            begin: Vec::new(),
            free: Vec::new(),
            curve_keys: Vec::new(),
            offset: vec![0],
            block_ptr: vec![0],
            blocks: Vec::new(),
            jacobian: Vec::new(),
            boundary: MostlyZeroRows::default(),
            rebound: MostlyZeroRows::default(),
        };
        let mut groups = vec![NONE; self.num_coordinates()];
        for &a in contacts {
            let a = a as usize;
            let rows = *self.offset.get(a)?..*self.offset.get(a + 1)?;
            part.push_contact(self, a, rows.len(), &mut groups)?;
            // Boundary and rebound velocities of its rows.
            let first = *part.offset.last()?;
            let given = |list: &MostlyZeroRows| -> Vec<f64> {
                rows.clone().map(|row| list.at(row)).collect()
            };
            part.boundary.push(first, &given(&self.boundary));
            part.rebound.push(first, &given(&self.rebound));
            part.offset.push(first + rows.len());
        }
        Some(part)
    }

    /// Appends the blocks of contact `a` of `whole`; `groups` has the new first coordinate of each group, by its old one.
    fn push_contact(
        &mut self,
        whole: &Self,
        a: usize,
        rows: usize,
        groups: &mut [u32],
    ) -> Option<()> {
        let mut sphere = None;
        for block in whole.blocks_of(a) {
            let first = self.group_of(whole, block.first_coordinate as usize, groups)?;
            // The two blocks of a contact of spheres share one record.
            let start = match (block.storage, sphere) {
                (BlockStorage::Sphere(_), Some(start)) => start,
                (storage, _) => {
                    let length = match storage {
                        BlockStorage::Dense => rows * block.width as usize,
                        BlockStorage::Sphere(_) => SPHERE_RECORD,
                    };
                    let start = self.jacobian.len();
                    let values = whole.jacobian.get(block.start()..block.start() + length)?;
                    self.jacobian.extend_from_slice(values);
                    if storage != BlockStorage::Dense {
                        sphere = Some(start);
                    }
                    start
                }
            };
            let width = block.width as usize;
            self.blocks
                .push(GroupBlock::new(first, width, start, block.storage)?);
        }
        self.block_ptr.push(u32::try_from(self.blocks.len()).ok()?);
        Some(())
    }

    /// New first coordinate of the group that begins at coordinate `old` of `whole`; appends the group when it is new.
    fn group_of(&mut self, whole: &Self, old: usize, groups: &mut [u32]) -> Option<usize> {
        if groups[old] != NONE {
            return Some(groups[old] as usize);
        }
        let group = whole.group_offset.partition_point(|first| *first <= old) - 1;
        let range = old..whole.group_offset[group + 1];
        let (first, new) = (self.free.len(), self.group_offset.len() - 1);
        groups[old] = u32::try_from(first).ok()?;
        self.begin.extend_from_slice(&whole.begin[range.clone()]);
        self.free.extend_from_slice(&whole.free[range]);
        self.group_offset.push(self.free.len());
        // Mass factor and key, where the group has one.
        if let Some(factor) = whole.mass_factor(group) {
            self.factor_ptr.resize(new, None);
            self.factor_ptr.push(Some(self.factor.len()));
            self.factor.extend_from_slice(factor);
        }
        if let Some(key) = whole.curve_keys.get(group) {
            self.curve_keys.push(*key);
        }
        Some(first)
    }
}
