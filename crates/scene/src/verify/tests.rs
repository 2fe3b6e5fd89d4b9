//! What this module may not use.

/// Names of the engine's own judgement: what is verified must not verify itself.
const FORBIDDEN: [&str; 21] = [
    "solve::",
    "contact::Judge",
    "judge::",
    "natural_residual",
    "solve_local",
    ".project(",
    "alart_curnier",
    "Detector",
    "detect::",
    "World<",
    "World::",
    "Stepper",
    "EventDriven",
    "contact_law",
    "Process",
    "MovingSet",
    "project_into",
    "sweep::Polyhedron",
    "Projector",
    ".normality(",
    "SweepMotion",
];

#[test]
fn the_sources_name_no_solver_judge_detection_or_account_of_the_engine() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/verify");
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources are there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.ends_with("verify/tests.rs") {
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).expect("a source");
            for name in FORBIDDEN {
                assert!(!text.contains(name), "{} uses {name}", path.display());
            }
        }
    }
    assert!(files >= 15, "only {files} sources were read");
}
