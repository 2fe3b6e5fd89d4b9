//! How far the convex parts of bodies are from what they stand for.

use bodies::Dim;
use bodies::space::DecompositionFit;

use super::{BodiesSetup, BuiltBodies};

impl BuiltBodies {
    /// The bodies whose parts are not exactly the body, by name. Bodies with the same shape have the same
    /// figures and each its own entry.
    pub fn decomposition_errors(&self) -> Vec<(String, DecompositionFit)> {
        match self {
            Self::Plane(assembly) => assembly.decomposition_errors(),
            Self::Space(assembly) => assembly.decomposition_errors(),
        }
    }
}

impl<D: Dim> BodiesSetup<D> {
    fn decomposition_errors(&self) -> Vec<(String, DecompositionFit)> {
        let named = self.names.bodies.iter().zip(&self.model.bodies);
        let fit = |(name, body): (&String, &bodies::Body<D>)| {
            let fit = D::compound(&body.shape)?.fit()?;
            Some((name.clone(), *fit))
        };
        named.filter_map(fit).collect()
    }
}
