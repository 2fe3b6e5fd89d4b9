//! Newton matrices A + B (Ŵ + α) on the pattern of Ŵ: multifrontal LU, with sparse LU as fallback.

use percuss_linalg::dense::{multiply, norm};
use percuss_linalg::{MultifrontalLu, SparseFactor};

use super::ScaledDelassus;

/// A Newton matrix S + B (Ŵ + shift), S and B block diagonal.
#[derive(Clone, Copy)]
struct NewtonMatrix<'a> {
    s: &'a [f64],
    b: &'a [f64],
    shift: f64,
}

/// Relative residual above which a solution is refined, and above which it is rejected after that.
const REFINE: f64 = 1e-9;
const REFUSE: f64 = 1e-6;

impl ScaledDelassus {
    /// Mean number of stored entries in a row of Ŵ.
    pub fn density(&self) -> f64 {
        self.place.len() as f64 / self.root.len().max(1) as f64
    }

    /// Factorises A + B (Ŵ + shift·I), A and B block diagonal, by sparse LU with pivoting.
    pub fn newton_factor(
        &mut self,
        a_blocks: &[f64],
        b_blocks: &[f64],
        shift: f64,
    ) -> Option<SparseFactor> {
        let mut val = vec![0.0; self.place.len()];
        let mut product = Vec::new();
        let (mut k, mut start) = (0, 0);
        for a in 0..self.matrix.num_contacts() {
            let d = self.matrix.dim(a);
            // B Ŵ by blocks of row a; A + shift·B on the diagonal.
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
        self.pattern.lu(val)
    }
}

impl ScaledDelassus {
    /// Solves (S + B (Ŵ + shift)) dx = g for dx, which holds g on entry; false where it could not.
    pub fn solve_newton(&mut self, s: &[f64], b: &[f64], shift: f64, dx: &mut [f64]) -> bool {
        if self.solve_multifrontal(s, b, shift, dx) {
            return true;
        }
        // An unsymmetric pattern or a vanishing pivot: sparse LU with pivoting.
        let Some(factor) = self.newton_factor(s, b, shift) else {
            return false;
        };
        factor.solve(dx);
        dx.iter().all(|v| v.is_finite())
    }

    /// The same by multifrontal LU; dx is unchanged where this returns false.
    fn solve_multifrontal(
        &mut self,
        s_blocks: &[f64],
        b_blocks: &[f64],
        shift: f64,
        dx: &mut [f64],
    ) -> bool {
        if self.fronts.is_none() {
            self.fronts = self.plan();
        }
        let Some(mut fronts) = self.fronts.take() else {
            return false;
        };
        // Values in block order: B Ŵ, and S + shift·B on the diagonal.
        let value = fronts.values();
        let (mut at, mut start) = (0, 0);
        for a in 0..self.matrix.num_contacts() {
            let d = self.matrix.dim(a);
            let left = &b_blocks[start..start + d * d];
            for (b, block) in self.matrix.row(a) {
                let into = &mut value[at..at + block.len()];
                multiply(left, block, d, block.len() / d, into);
                if a == b {
                    for (i, v) in into.iter_mut().enumerate() {
                        *v += s_blocks[start + i] + shift * left[i];
                    }
                }
                at += block.len();
            }
            start += d * d;
        }
        // Factorise, solve and refine.
        let newton = NewtonMatrix {
            s: s_blocks,
            b: b_blocks,
            shift,
        };
        let solved = fronts.factor() && self.refined(&mut fronts, newton, dx);
        self.fronts = Some(fronts);
        solved
    }

    /// Solution with one step of iterative refinement where the residual needs it.
    fn refined(&self, fronts: &mut MultifrontalLu, newton: NewtonMatrix, dx: &mut [f64]) -> bool {
        // Solution and residual.
        let mut x = dx.to_vec();
        fronts.solve(&mut x);
        let mut left = vec![0.0; x.len()];
        let rest = |x: &[f64], left: &mut [f64]| {
            self.product_into(newton.s, newton.b, newton.shift, x, left);
            left.iter_mut()
                .zip(dx.iter())
                .for_each(|(l, g)| *l = g - *l);
            norm(left)
        };
        // Refine once; reject an inaccurate solution.
        let size = norm(dx);
        if rest(&x, &mut left) > REFINE * size {
            fronts.solve(&mut left);
            x.iter_mut().zip(&left).for_each(|(x, d)| *x += d);
            if !(rest(&x, &mut left) <= REFUSE * size) {
                return false;
            }
        }
        let finite = x.iter().all(|v| v.is_finite());
        if finite {
            dx.copy_from_slice(&x);
        }
        finite
    }

    /// Symbolic factorisation of the pattern of Ŵ; `None` where the pattern is not symmetric.
    fn plan(&self) -> Option<MultifrontalLu> {
        let contacts = self.matrix.num_contacts();
        let size: Vec<usize> = (0..contacts).map(|a| self.matrix.dim(a)).collect();
        let mut blocks = Vec::new();
        for a in 0..contacts {
            // Every block needs its mirror.
            for (b, _) in self.matrix.row(a) {
                self.matrix.block(b, a)?;
                blocks.push((a as u32, b as u32));
            }
            self.matrix.block(a, a)?;
        }
        MultifrontalLu::new(&size, &blocks)
    }
}
