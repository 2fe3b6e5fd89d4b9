//! The page: one file, made from `viewer/` and kept in the program.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The page.
pub const PAGE: &[u8] = include_bytes!("../page/viewer.html");

/// Where data go in it; without data it asks the server.
pub const MARKER: &str = "<!--percuss:data-->";

/// What a browser lets the served page do: run the one script in it, told by its hash, and ask this server.
/// Text from a record that were taken for a script would not run.
pub(crate) fn policy() -> String {
    let page = String::from_utf8_lossy(PAGE);
    let hashes: Vec<String> = scripts(&page).into_iter().map(hash).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; connect-src \
         'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hashes.join(" ")
    )
}

fn hash(script: &str) -> String {
    format!(
        "'sha256-{}'",
        STANDARD.encode(Sha256::digest(script.as_bytes()))
    )
}

/// The scripts of a page: its build refuses one that names the end of a script inside.
fn scripts(page: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = page;
    while let Some(begin) = rest.find("<script") {
        let Some(tag) = rest.get(begin..) else { break };
        let Some((_, body)) = tag.split_once('>') else {
            break;
        };
        let Some((script, after)) = body.split_once("</script>") else {
            break;
        };
        all.push(script);
        rest = after;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_its_marker_once_and_a_script_that_the_policy_names() {
        let page = String::from_utf8(PAGE.to_vec()).expect("UTF-8");
        assert_eq!(page.matches(MARKER).count(), 1);
        let scripts = scripts(&page);
        assert!(!scripts.is_empty() && scripts.iter().all(|s| !s.contains("</script")));
        // The empty text has a hash that is known from elsewhere (FIPS 180-4 examples).
        assert_eq!(
            hash(""),
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        );
        for script in scripts {
            assert!(policy().contains(&hash(script)));
        }
        // Nothing is fetched from elsewhere.
        let elsewhere = ["src=\"http", "href=\"http", "@import", "url(http"];
        assert!(elsewhere.iter().all(|word| !page.contains(word)));
    }
}
