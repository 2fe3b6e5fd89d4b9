//! Units on axes.
//!
//! Tables state the dimension of a column in words (`length/time`), since scenes use any coherent units. Axes
//! show them in the default system, SI.

use percuss_record::Column;

/// The unit symbol of a dimension; `None` for pure numbers and unknown dimensions.
pub(super) fn symbol(dimension: &str) -> Option<String> {
    if dimension == "1" {
        return None;
    }
    let mut text = String::new();
    let mut word = String::new();
    for letter in dimension.chars().chain(['\0']) {
        if letter.is_ascii_alphanumeric() {
            word.push(letter);
            continue;
        }
        text += match word.as_str() {
            "time" => "s",
            "length" => "m",
            "mass" => "kg",
            "force" => "N",
            "energy" => "J",
            "stress" => "Pa",
            "rad" => "rad",
            "1" => "1",
            "2" => "²",
            "3" => "³",
            _ => return None,
        };
        word.clear();
        match letter {
            '*' => text.push('·'),
            '/' => text.push('/'),
            // An exponent becomes a superscript of the following word.
            '^' | '\0' => {}
            _ => return None,
        }
    }
    Some(text)
}

/// A name with its unit: `t (s)`.
pub(super) fn label(name: &str, dimension: &str) -> String {
    match symbol(dimension) {
        Some(unit) => format!("{name} ({unit})"),
        None => name.to_string(),
    }
}

/// The label of a column.
pub(super) fn of_column(column: &Column) -> String {
    label(&column.name, &column.unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_of_the_tables_have_symbols() {
        for (words, symbols) in [
            ("time", "t (s)"),
            ("length/time", "t (m/s)"),
            ("force*time", "t (N·s)"),
            ("force*length*time", "t (N·m·s)"),
            ("1/mass", "t (1/kg)"),
            ("mass*length^2", "t (kg·m²)"),
            ("1", "t"),
            ("as the coordinate", "t"),
            ("coordinate/time", "t"),
            ("", "t"),
        ] {
            assert_eq!(label("t", words), symbols, "{words}");
        }
    }
}
