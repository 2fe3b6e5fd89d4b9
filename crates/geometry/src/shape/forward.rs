//! The methods of `Geometry` that forward to the shapes, alike in the plane and in space.

/// Forwards to `Shape` and to the functions of the modules `convex` and `contact_points` in scope; `$vector` is the
/// vector of the dimension.
macro_rules! forward_to_shapes {
    ($vector:ty) => {
        #[inline]
        fn aabb(shape: &Shape, pose: &Pose<Self>) -> Aabb<Self> {
            shape.aabb(pose)
        }

        #[inline]
        fn boundary_only(shape: &Shape) -> bool {
            shape.boundary_only()
        }

        #[inline]
        fn bounding_radius(shape: &Shape) -> f64 {
            shape.bounding_radius()
        }

        #[inline]
        fn mass_properties(shape: &Shape, density: f64) -> Option<MassProperties<Self>> {
            shape.mass_properties(density)
        }

        #[inline]
        fn compound(shape: &Shape) -> Option<&Compound<Self>> {
            match shape {
                Shape::Compound(compound) => Some(compound),
                _ => None,
            }
        }

        #[inline]
        fn combine_masses(
            parts: &[(MassProperties<Self>, Pose<Self>)],
        ) -> (MassProperties<Self>, Pose<Self>) {
            convex::combine_masses(parts)
        }

        #[inline]
        fn farthest(shape: &Shape, pose: &Pose<Self>) -> f64 {
            convex::farthest(shape, pose)
        }

        #[inline]
        fn support(shape: &Shape, n: $vector) -> f64 {
            convex::support(shape, n)
        }

        #[inline]
        fn visit_face_depths(shape: &Shape, x: $vector, visit: &mut dyn FnMut($vector, f64)) {
            convex::visit_face_depths(shape, x, visit);
        }

        #[inline]
        fn visit_straight_lines(
            shape: &Shape,
            x: $vector,
            near: f64,
            visit: &mut dyn FnMut($vector),
        ) {
            convex::visit_straight_lines(shape, x, near, visit);
        }

        #[inline]
        fn contact_points(
            a: (&Shape, &Pose<Self>),
            b: (&Shape, &Pose<Self>),
            reach: f64,
            out: &mut Vec<ContactPoint<Self>>,
        ) {
            contact_points(a, b, reach, out);
        }
    };
}

pub(crate) use forward_to_shapes;
