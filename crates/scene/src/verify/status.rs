//! What a contact did, against its impulse and velocity.

use super::laws::Rule;

/// How far a contact is from what its status says, over what the tolerance allows for it: 0 open, 1 stick,
/// 2 slip. `s`, `u`, `b`: impulse, velocity of the law, and that without impulses.
pub(super) fn status_defect(
    status: usize,
    (s, u, b): (&[f64], &[f64], &[f64]),
    kappa: f64,
    rule: &Rule,
    allowed: f64,
) -> f64 {
    let size = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let root = kappa.sqrt();
    // Rounding of velocities that cancel has a size of its own.
    let allowed = allowed.max(1e-13 * root * size(b));
    let over = |x: f64| if x == 0.0 { 0.0 } else { x / allowed };
    match (status, rule) {
        (0, _) => over(size(s) / root),
        (1, _) => over(root * size(u)),
        (2, Rule::Cone(section)) => {
            // Sliding: −u_t·S_t is all that S_n D allows. What is missing, as an impulse. Where the velocity is so small
            // that it has no direction, a contact may be called slip whatever its impulse.
            let speed = size(&u[1..]);
            if !(speed > 0.0) {
                return 0.0;
            }
            let back: Vec<f64> = u[1..].iter().map(|u| -u / speed).collect();
            let most = s[0] * section.support(&back);
            let done: f64 = back.iter().zip(&s[1..]).map(|(b, s)| b * s).sum();
            over(root * speed).min(over((most - done).abs() / root))
        }
        _ => f64::INFINITY,
    }
}
