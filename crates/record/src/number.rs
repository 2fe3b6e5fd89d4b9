//! Numbers as text.

/// A number to six significant digits, without trailing zeros.
pub fn format_short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    match rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
        true => format!("{rounded}"),
        false => format!("{rounded:e}"),
    }
}
