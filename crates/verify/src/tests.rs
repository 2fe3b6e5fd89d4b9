//! The engine's evaluators that this crate must not use.

/// Names of the engine's solvers, residual evaluator, contact detection, integrators and projections. Verification by
/// the code under verification would prove nothing. Every renaming in the engine has to be entered here.
const FORBIDDEN: [&str; 21] = [
    "solve::",
    "ResidualEvaluator",
    "residual::",
    "natural_residual",
    "solve_local",
    ".project(",
    "alart_curnier",
    "Detector",
    "detect::",
    "World<",
    "World::",
    "TimeStepper",
    "EventDriven",
    "contact_law",
    "Process",
    "MovingSet",
    "project_into",
    "MovingPolyhedron",
    "Projector",
    ".normal_cone_distance(",
    "SweepMotion",
];

#[test]
fn the_sources_name_no_solver_residual_evaluator_detection_or_balance_of_the_engine() {
    // Read every source file of the crate except this one.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources are there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.ends_with("src/tests.rs") {
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
