//! The viewer page: one HTML file, built from `viewer/` and embedded in the program.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The page.
pub const PAGE: &[u8] = include_bytes!("../page/viewer.html");

/// Marker in the page where data are inserted; without data the page queries the server.
pub const MARKER: &str = "<!--percuss:data-->";

/// Content security policy of the served page: only its own script, identified by its hash, may run, and only
/// this server may be contacted. Text from a record cannot run as a script.
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

/// The scripts of a page; its build rejects a script that contains its own end tag.
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
        // The empty string has a published hash (FIPS 180-4 examples).
        assert_eq!(
            hash(""),
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        );
        for script in scripts {
            assert!(policy().contains(&hash(script)));
        }
        // Nothing is loaded from other sites.
        let elsewhere = ["src=\"http", "href=\"http", "@import", "url(http"];
        assert!(elsewhere.iter().all(|word| !page.contains(word)));
    }
}
