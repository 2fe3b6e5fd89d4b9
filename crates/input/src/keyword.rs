//! Values that are one of a few keywords.

/// The value of a keyword, or the sentence of [`unknown_keyword`].
///
/// # Errors
/// The word is none of the known ones.
pub fn keyword<T: Copy>(word: &str, known: &[(&str, T)]) -> Result<T, String> {
    let found = known.iter().find(|(name, _)| *name == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        unknown_keyword(word, &names)
    })
}

/// The sentence that refuses a word: the known ones, and the nearest of them.
pub fn unknown_keyword(word: &str, known: &[&str]) -> String {
    let names: Vec<String> = known.iter().map(|name| (*name).to_string()).collect();
    let guess = match percuss_expr::similar_names(word, &names).first() {
        Some(nearest) => format!("; did you mean \"{nearest}\"?"),
        None => String::new(),
    };
    let listed: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    format!("one of {} was expected{guess}", listed.join(", "))
}
