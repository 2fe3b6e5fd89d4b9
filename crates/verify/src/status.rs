//! The recorded status of a contact (open, stick, slip) against its impulse and velocity.

use super::laws::Rule;

/// Distance of a contact from the conditions of its status, relative to what the tolerance allows: 0 open, 1 stick, 2
/// slip. `s`, `u`, `b`: impulse, velocity in the law, and velocity without impulses.
pub(super) fn status_defect(
    status: usize,
    (s, u, b): (&[f64], &[f64], &[f64]),
    kappa: f64,
    rule: &Rule,
    allowed: f64,
) -> f64 {
    let size = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let root = kappa.sqrt();
    // Lower bound: rounding of velocities that cancel.
    let allowed = allowed.max(1e-13 * root * size(b));
    let over = |x: f64| if x == 0.0 { 0.0 } else { x / allowed };
    match (status, rule) {
        (0, _) => over(size(s) / root),
        (1, _) => over(root * size(u)),
        (2, Rule::Cone(section)) => {
            // Slip: −u_t·S_t attains the support function of S_n D; the difference is expressed as an impulse. A
            // velocity too small to have a direction may be called slip whatever the impulse.
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
