//! How far the convex parts of bodies are from what they stand for.

use bodies::Dim;
use bodies::space::DecompositionFit;

use super::{Assembly, Collection};

impl Collection {
    /// The bodies whose parts are not exactly the body, by name. Bodies with the same shape have the same
    /// figures and each its own entry.
    pub fn fits(&self) -> Vec<(String, DecompositionFit)> {
        match self {
            Self::Plane(assembly) => assembly.fits(),
            Self::Space(assembly) => assembly.fits(),
        }
    }
}

impl<D: Dim> Assembly<D> {
    fn fits(&self) -> Vec<(String, DecompositionFit)> {
        let named = self.cast.bodies.iter().zip(&self.model.bodies);
        let fit = |(name, body): (&String, &bodies::Body<D>)| {
            let fit = D::compound(&body.shape)?.fit()?;
            Some((name.clone(), *fit))
        };
        named.filter_map(fit).collect()
    }
}
