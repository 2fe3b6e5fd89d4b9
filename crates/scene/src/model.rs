//! What a scene is made of, as data: for those who look at scenes and records without an engine.
//!
//! `percuss-verify` depends on this and on no crate that steps, solves or detects.

/// Bodies, shapes, joints and laws.
pub mod bodies {
    pub use percuss_bodies::{
        Activation, Body, Dim, ForceContext, Freedom, Friction, Integrator, Joint, Model, PairLaw,
        Plane, Pose, Space, State, Vector,
    };

    /// Shapes and the algebra of a dimension.
    pub mod geometry {
        pub use percuss_bodies::geometry::Dim;
    }

    /// Joints.
    pub mod joint {
        pub use percuss_bodies::joint::{JointCoordinate, JointKind};
    }

    /// The plane.
    pub mod plane {
        pub use percuss_bodies::plane::Angle;
    }
}

/// Systems in generalised coordinates.
pub mod mechanism {
    pub use percuss_mechanism::{
        ConfigurationSpace, ConstraintKind, Coordinate, ForceEvaluation, ImpactLaw, Scheme,
        Settings, State, StateRef, System, SystemError, TangentCone,
    };
}

/// Sweeping processes.
pub mod sweep {
    pub use percuss_sweep::{Method, StartPolicy};

    /// Applications.
    pub mod apps {

        /// Crowds.
        pub mod crowd {
            pub use percuss_sweep::apps::crowd::Room;
        }
    }
}
