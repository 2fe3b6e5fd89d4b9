//! Who touches whom among generated bodies, by the engine's own search for contacts.

use percuss_bodies::Dim;
use percuss_generate::GeneratedBody;

/// Pairs of bodies that touch, with the number of points, and the largest distance of a gap from 0.
/// `reach` is how near counts as touching.
pub fn touching<D: Dim>(
    pieces: &[GeneratedBody<D>],
    reach: f64,
) -> (Vec<(usize, usize, usize)>, f64) {
    let mut pairs = Vec::new();
    let mut worst: f64 = 0.0;
    let mut found = Vec::new();
    for (i, b) in pieces.iter().enumerate() {
        for (j, a) in pieces[..i].iter().enumerate() {
            found.clear();
            D::contact_points((&a.shape, &a.pose), (&b.shape, &b.pose), reach, &mut found);
            if !found.is_empty() {
                pairs.push((j, i, found.len()));
            }
            worst = found.iter().map(|t| t.gap.abs()).fold(worst, f64::max);
        }
    }
    (pairs, worst)
}

/// The sum of all volumes (areas in the plane).
pub fn volume<D: Dim>(pieces: &[GeneratedBody<D>]) -> f64 {
    let of =
        |piece: &GeneratedBody<D>| D::mass_properties(&piece.shape, 1.0).map_or(0.0, |m| m.mass);
    pieces.iter().map(of).sum()
}
