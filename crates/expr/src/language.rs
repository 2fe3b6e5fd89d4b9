//! Names of the language: functions, constants, and what a name may be.

use crate::error::{ErrorKind, ExprError};
use crate::lexer;

/// Functions with the least and the greatest number of arguments.
pub(crate) const FUNCTIONS: [(&str, usize, usize); 25] = [
    ("abs", 1, 1),
    ("acos", 1, 1),
    ("asin", 1, 1),
    ("atan", 1, 1),
    ("atan2", 2, 2),
    ("clamp", 3, 3),
    ("cos", 1, 1),
    ("cosh", 1, 1),
    ("exp", 1, 1),
    ("floor", 1, 1),
    ("hypot", 2, 2),
    ("if", 3, 3),
    ("ln", 1, 1),
    ("log10", 1, 1),
    ("max", 2, usize::MAX),
    ("min", 2, usize::MAX),
    ("mod", 2, 2),
    ("pow", 2, 2),
    ("sign", 1, 1),
    ("sin", 1, 1),
    ("sinh", 1, 1),
    ("sqrt", 1, 1),
    ("step", 1, 1),
    ("tan", 1, 1),
    ("tanh", 1, 1),
];

/// Constants with their values.
const CONSTANTS: [(&str, f64); 3] = [
    ("pi", std::f64::consts::PI),
    ("tau", std::f64::consts::TAU),
    ("π", std::f64::consts::PI),
];

/// Function names of other languages, and their names here.
pub(crate) const FOREIGN_FUNCTIONS: [(&str, &[&str]); 9] = [
    ("log", &["ln", "log10"]),
    ("arcsin", &["asin"]),
    ("arccos", &["acos"]),
    ("arctan", &["atan", "atan2"]),
    ("sgn", &["sign"]),
    ("heaviside", &["step"]),
    ("fabs", &["abs"]),
    ("fmod", &["mod"]),
    ("where", &["if"]),
];

/// Whether the name is that of a function or a constant.
pub(crate) fn is_reserved(name: &str) -> bool {
    function(name).is_some() || constant(name).is_some()
}

/// Names of the constants.
pub(crate) fn constant_names() -> impl Iterator<Item = &'static str> {
    CONSTANTS.iter().map(|(name, _)| *name)
}

/// Least and greatest number of arguments of a function.
pub(crate) fn function(name: &str) -> Option<(usize, usize)> {
    let entry = FUNCTIONS.iter().find(|(known, _, _)| *known == name);
    entry.map(|&(_, least, most)| (least, most))
}

/// Value of a constant.
pub(crate) fn constant(name: &str) -> Option<f64> {
    let entry = CONSTANTS.iter().find(|(known, _)| *known == name);
    entry.map(|&(_, value)| value)
}

/// Refuses what is not a name, and reserved words.
pub(crate) fn check_name(name: &str) -> Result<(), ExprError> {
    if !lexer::is_name(name) {
        return Err(ErrorKind::NotAName(lexer::quote(name)).into());
    }
    if lexer::is_keyword(name) || is_reserved(name) {
        return Err(ErrorKind::Reserved(name.to_string()).into());
    }
    Ok(())
}
