//! The page of a gallery: one HTML file beside the images, readable without scripts.

use std::fmt::Write;

use serde_json::Value;

use super::entry::{Entry, Group, SystemOutcome, scene_file};
use crate::numbers::{expectation, value_text};

const STYLE: &str = include_str!("style.css");

/// Script of the search field: hides entries that do not contain the query.
const SCRIPT: &str = "\
const field = document.getElementById('filter');
field.hidden = false;
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/);
  for (const card of document.querySelectorAll('article')) {
    const text = card.textContent.toLowerCase();
    card.hidden = !words.every((word) => text.includes(word));
  }
  for (const part of document.querySelectorAll('section')) {
    part.hidden = part.querySelector('article:not([hidden])') === null;
  }
});";

/// Text with the characters escaped that HTML reserves.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The whole page.
pub fn html(entries: &[Entry]) -> String {
    let mut page = String::new();
    let well = entries.iter().filter(|entry| entry.is_ok()).count();
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>percuss: gallery</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <h1>percuss: gallery</h1>\n\
         <p>Exact nonsmooth contact dynamics, with a certificate for every answer. {} systems, {well} of them \
         as they should be. Made by percuss {}.</p>\n\
         <p><input id=\"filter\" type=\"search\" placeholder=\"Filter by words\" \
         aria-label=\"Filter by words\" hidden></p>\n</header>\n<main>\n",
        entries.len(),
        env!("CARGO_PKG_VERSION"),
    );
    // One section per group.
    for (group, heading) in Group::ALL {
        let mut of = entries
            .iter()
            .filter(|entry| entry.group == group)
            .peekable();
        if of.peek().is_none() {
            continue;
        }
        let _ = writeln!(page, "<section>\n<h2>{heading}</h2>\n<div class=\"grid\">");
        of.for_each(|entry| card(&mut page, entry));
        page += "</div>\n</section>\n";
    }
    page += "</main>\n<script>\n";
    page += SCRIPT;
    page += "\n</script>\n</body>\n</html>\n";
    page
}

/// The card of one system.
fn card(page: &mut String, entry: &Entry) {
    let (name, title) = (escaped(&entry.name), escaped(&entry.title));
    let _ = writeln!(page, "<article id=\"{name}\">");
    if let Some(file) = &entry.picture {
        let _ = writeln!(
            page,
            "<a href=\"{file}\"><img src=\"{file}\" loading=\"lazy\" alt=\"Picture: {title}\"></a>"
        );
    }
    let _ = writeln!(page, "<h3>{title}</h3>");
    // Source, outcome and description.
    if !entry.source.is_empty() {
        let _ = writeln!(page, "<p class=\"soft\">{}</p>", escaped(&entry.source));
    }
    verdict(page, entry);
    if !entry.about.trim().is_empty() {
        let _ = writeln!(
            page,
            "<details><summary>About</summary><p>{}</p></details>",
            escaped(entry.about.trim())
        );
    }
    // Film and plot.
    if let Some(file) = &entry.film {
        let _ = writeln!(
            page,
            "<details><summary>Film</summary><img src=\"{file}\" loading=\"lazy\" \
             alt=\"Film: {title}\"></details>"
        );
    }
    if let Some((file, what)) = entry
        .plot
        .as_ref()
        .filter(|p| entry.picture.as_ref() != Some(&p.0))
    {
        let what = escaped(what);
        let _ = writeln!(
            page,
            "<details><summary>Plot</summary><a href=\"{file}\"><img src=\"{file}\" loading=\"lazy\" \
             alt=\"{what}: {title}\"></a></details>"
        );
    }
    findings(page, entry.findings());
    // Links to the viewer page and the scene.
    let look = entry.page.as_ref().map_or_else(String::new, |file| {
        format!(" · <a href=\"{file}\">look at it</a>")
    });
    let _ = writeln!(
        page,
        "<p class=\"soft\"><code>percuss run {name}</code>{look} · <a href=\"{}\">scene</a></p>\n</article>",
        escaped(&scene_file(&entry.name)),
    );
}

/// Certificate and findings in one line, or what went wrong.
fn verdict(page: &mut String, entry: &Entry) {
    let class = if entry.is_ok() { "good" } else { "bad" };
    // Refused or failed.
    if let SystemOutcome::Refused(why) | SystemOutcome::Failed(why) = &entry.outcome {
        let word = if entry.is_ok() {
            "refused, as it must be"
        } else {
            entry.status()
        };
        let _ = writeln!(
            page,
            "<p><span class=\"{class}\">{word}</span>: {}</p>",
            escaped(why)
        );
        return;
    }
    // Certificate and findings.
    let certificate = entry.certificate();
    let word = match (certificate["ok"] == true, certificate["steps"].as_u64()) {
        (true, Some(steps)) => format!("certificate ok over {steps} steps"),
        (true, None) => "certificate ok".into(),
        (false, _) => "certificate NOT met".into(),
    };
    let (met, judged) = entry.met();
    let _ = writeln!(
        page,
        "<p><span class=\"{class}\">{met} of {judged} findings ok</span>, {word}</p>"
    );
    if !entry.is_ok() {
        let _ = writeln!(
            page,
            "<p class=\"bad\">{}</p>",
            escaped(&entry.problem_text())
        );
    }
}

/// The findings as a table.
fn findings(page: &mut String, findings: &[Value]) {
    if findings.is_empty() {
        return;
    }
    *page += "<details><summary>Findings</summary><div class=\"wide\"><table>\n\
              <tr><th>finding</th><th>value</th><th>expected</th><th></th></tr>\n";
    // One row per finding.
    for finding in findings {
        let (class, word) = match finding["ok"].as_bool() {
            Some(true) => ("good", "ok"),
            Some(false) => ("bad", "NOT ok"),
            None if finding["applicable"] == false => ("soft", "not applicable"),
            None => ("soft", ""),
        };
        let name = finding["name"].as_str().unwrap_or("?");
        let about = finding["about"].as_str().unwrap_or("");
        let _ = writeln!(
            page,
            "<tr><td title=\"{}\">{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{word}</td></tr>",
            escaped(about),
            escaped(name),
            escaped(&value_text(&finding["value"])),
            escaped(&expectation(finding)),
        );
    }
    *page += "</table></div></details>\n";
}
