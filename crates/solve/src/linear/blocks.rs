//! Factorisations of Ŵ with a block-diagonal part on the pattern of Ŵ, for many right-hand sides.

use faer::sparse::SparseColMat;

use super::{Factor, Scaled, multiply};

impl Scaled {
    /// Mean number of stored entries in a row of Ŵ.
    pub fn density(&self) -> f64 {
        self.place.len() as f64 / self.root.len().max(1) as f64
    }

    /// Factors A + B (Ŵ + shift·I), A and B block diagonal.
    pub fn newton_factor(
        &mut self,
        a_blocks: &[f64],
        b_blocks: &[f64],
        shift: f64,
    ) -> Option<Factor> {
        let mut val = vec![0.0; self.place.len()];
        let mut product = Vec::new();
        let (mut k, mut start) = (0, 0);
        for a in 0..self.matrix.num_contacts() {
            let d = self.matrix.dim(a);
            let left = &b_blocks[start..start + d * d];
            for (b, block) in self.matrix.row(a) {
                product.resize(block.len(), 0.0);
                multiply(left, block, d, block.len() / d, &mut product);
                for (i, v) in product.iter().enumerate() {
                    let on_diagonal = if a == b {
                        a_blocks[start + i] + shift * left[i]
                    } else {
                        0.0
                    };
                    val[self.place[k]] = v + on_diagonal;
                    k += 1;
                }
            }
            start += d * d;
        }
        let matrix = SparseColMat::new(self.pattern.clone(), val);
        self.general(&matrix)
    }
}
