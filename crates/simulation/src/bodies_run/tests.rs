//! Resolution of names in observables.

use percuss_scene::bodies_scene::names::quantity::{
    BodyQuantity, Fold, Quantity, SetQuantity, Side, WatchQuantity,
};
use percuss_scene::bodies_scene::{NameTable, SceneNames, Watch};

use super::observables::Observables;

fn cast(bodies: &[&str], groups: &[&str], watches: &[&str]) -> SceneNames {
    SceneNames {
        bodies: bodies.iter().map(|name| name.to_string()).collect(),
        groups: groups
            .iter()
            .map(|name| (name.to_string(), vec![0]))
            .collect(),
        watches: watches
            .iter()
            .map(|name| Watch {
                name: name.to_string(),
                first: vec![0],
                second: vec![],
            })
            .collect(),
        ..SceneNames::default()
    }
}

fn meaning(cast: &SceneNames, dimension: usize, name: &str) -> Result<Option<Quantity>, String> {
    let glossary = NameTable {
        names: cast,
        dimension,
        parameters: &[],
        start: 0.0,
    };
    glossary.resolve(name)
}

#[test]
fn names_are_taken_apart_at_the_right_underscore() {
    let cast = cast(&["a", "a_force", "wall_12"], &["the_lot"], &["on_top"]);
    let body = |body: u32, what: BodyQuantity| Ok(Some(Quantity::Body { body, what }));
    assert_eq!(
        meaning(&cast, 2, "wall_12_vx"),
        body(2, BodyQuantity::Velocity(0))
    );
    assert_eq!(
        meaning(&cast, 2, "a_top"),
        body(0, BodyQuantity::Extent(Side::Top))
    );
    let fold = SetQuantity::Fold(Fold::Max, BodyQuantity::Force(1));
    let lot = |what: SetQuantity| Ok(Some(Quantity::Set { set: 0, what }));
    assert_eq!(meaning(&cast, 2, "max_force_y_the_lot"), lot(fold));
    assert_eq!(
        meaning(&cast, 2, "top_the_lot"),
        lot(SetQuantity::Extent(Side::Top))
    );
    let what = WatchQuantity::Slip;
    assert_eq!(
        meaning(&cast, 2, "slip_on_top"),
        Ok(Some(Quantity::Watch { watch: 0, what }))
    );
    assert_eq!(meaning(&cast, 2, "wall_13_x"), Ok(None));
    assert_eq!(meaning(&cast, 2, "a_z"), Ok(None), "the plane has no z");
    assert_eq!(meaning(&cast, 3, "a_z"), body(0, BodyQuantity::Position(2)));
    assert_eq!(
        meaning(&cast, 3, "a_angle"),
        Ok(None),
        "space has no one angle"
    );
    assert_eq!(
        meaning(&cast, 3, "a_qw"),
        body(0, BodyQuantity::Quaternion(0))
    );
    // The force on `a`, and the place of `a_force`.
    let both = meaning(&cast, 2, "a_force_x").expect_err("two meanings");
    assert!(both.contains("`force_x` of the body `a`"), "{both}");
    assert!(both.contains("`x` of the body `a_force`"), "{both}");
}

#[test]
fn a_parameter_that_is_an_observable_is_refused_only_where_it_is_used() {
    let cast = cast(&["a"], &[], &[]);
    let parameters = [("a_x".to_string(), 1.0), ("k".to_string(), 2.0)];
    let glossary = NameTable {
        names: &cast,
        dimension: 2,
        parameters: &parameters,
        start: 0.0,
    };
    assert!(Observables::compile(&glossary, &["k*a_y"]).is_ok());
    let (at, error) = Observables::compile(&glossary, &["k", "k*a_x"]).expect_err("ambiguous");
    assert_eq!((at, error.at, error.width), (1, 2, 3));
    assert!(error.problem.contains("rename one"), "{}", error.problem);
}

#[test]
fn an_unknown_name_among_many_bodies_is_answered_shortly() {
    let mut cast = cast(&[], &["grains"], &[]);
    cast.bodies = (1..=20_000).map(|k| format!("grains_{k}")).collect();
    let glossary = NameTable {
        names: &cast,
        dimension: 2,
        parameters: &[],
        start: 0.0,
    };
    let said = |text: &str| {
        let (_, error) = Observables::compile(&glossary, &[text]).expect_err("unknown");
        assert!(error.problem.len() < 1000, "{}", error.problem);
        error.problem
    };
    assert!(said("grains_15_vyy").contains("did you mean `grains_15_vy`"));
    assert!(said("mean_x_grain").contains("did you mean `mean_x_grains`"));
    assert!(said("grains_20001_x").contains("and 19992 more"));
}
