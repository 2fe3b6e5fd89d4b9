//! Errors of convex decompositions: how far the convex parts of bodies are from the shapes they approximate.

use percuss_bodies::Dim;
use percuss_bodies::space::DecompositionFit;

use super::{BodiesSetup, BuiltBodies};

impl BuiltBodies {
    /// The bodies whose convex parts are not exactly the body, by name, with the error of the decomposition. Bodies
    /// that share a shape have equal figures, and each its own entry.
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
        let fit = |(name, body): (&String, &percuss_bodies::Body<D>)| {
            let fit = D::compound(&body.shape)?.fit()?;
            Some((name.clone(), *fit))
        };
        named.filter_map(fit).collect()
    }
}
