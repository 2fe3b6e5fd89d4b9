//! The scenes that come with the product.

use percuss_scene::{Scene, SceneError, SceneKind, builtin};

/// Scenes that exist to be refused, with a word of the message.
const REFUSED: [(&str, &str); 1] = [("zeno-reversed", "admissible")];

/// Makes the mechanism or the bodies of a scene.
fn made(scene: &Scene) -> Result<(), SceneError> {
    match scene.kind() {
        SceneKind::Mechanism => scene.build_mechanism().map(|_| ()),
        SceneKind::Bodies => scene.build_bodies().map(|_| ()),
    }
}

#[test]
fn every_built_in_scene_builds_with_all_its_cases() {
    for name in builtin::names() {
        let scene = Scene::load(name).unwrap_or_else(|error| panic!("{error}"));
        if let Some((_, word)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            let message = made(&scene).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
            continue;
        }
        made(&scene).unwrap_or_else(|error| panic!("{name}: {error}"));
        percuss_run::check_findings(&scene).unwrap_or_else(|error| panic!("{name}: {error}"));
        for case in scene.cases() {
            let changed = scene
                .with_overrides(&case.set)
                .and_then(|scene| made(&scene));
            changed.unwrap_or_else(|error| panic!("case {}: {error}", case.name));
        }
    }
}

#[test]
fn built_in_scenes_are_sorted_and_found_by_name() {
    let names: Vec<&str> = builtin::names().collect();
    assert!(names.is_sorted());
    assert!(names.iter().all(|name| builtin::text(name).is_some()));
    let listed: Vec<String> = builtin::list()
        .unwrap()
        .into_iter()
        .map(|b| b.name)
        .collect();
    assert_eq!(listed, names);
}
