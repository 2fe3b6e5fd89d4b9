//! Nonsense is answered by a sentence that names the culprit, never by a panic.
use percuss_contact::law::LawError;
use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError, Restitution};
use percuss_solve::sample::{Chain, Packing, Pyramid, RandomContacts, Table, Tower, Wall};

fn text(result: Result<impl Sized, ProblemError>) -> String {
    match result {
        Ok(_) => panic!("an error was expected"),
        Err(error) => error.to_string(),
    }
}

/// All of `parts` occur in `text`.
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}

const SOFT: Restitution = Restitution {
    normal: 0.0,
    tangential: 0.0,
};

#[test]
fn friction_that_is_negative_or_not_a_number_is_named_with_its_contact() {
    for mu in [-0.1, f64::NAN, f64::INFINITY] {
        let found = text(Problem::from_matrix(
            3,
            &[0, 1, 2, 3, 4, 5, 6],
            &[0, 1, 2, 3, 4, 5],
            &[1.0; 6],
            vec![0.0; 6],
            &[0.5, mu],
        ));
        says(
            &found,
            &["contact 1", "mu", &mu.to_string(), "finite number >= 0"],
        );
    }
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let mut builder = FactoredDelassus::builder();
    says(
        &text(builder.add_group(&[f64::NAN], &[0.0], &[0.0])),
        &["mass", "group 0", "NaN"],
    );
    says(
        &text(builder.add_group(&[1.0], &[f64::INFINITY], &[0.0])),
        &["velocity", "group 0", "inf"],
    );
    says(
        &text(builder.add_group(&[1.0], &[0.0], &[f64::NAN])),
        &["impulse", "group 0"],
    );
    builder.add_group(&[1.0], &[0.0], &[0.0]).unwrap();
    let law = Law::Frictionless;
    let nan = f64::NAN;
    says(
        &text(builder.add_contact(law.clone(), &[(0, &[nan])], &[0.0], SOFT)),
        &["G", "contact 0"],
    );
    let found = text(builder.add_contact(law.clone(), &[(0, &[1.0])], &[nan], SOFT));
    says(&found, &["boundary velocity", "contact 0"]);
    let odd = Restitution {
        normal: nan,
        tangential: 0.0,
    };
    says(
        &text(builder.add_contact(law, &[(0, &[1.0])], &[0.0], odd)),
        &["restitution", "contact 0"],
    );
    let found = text(Problem::from_matrix(
        1,
        &[0, 1],
        &[0],
        &[nan],
        vec![0.0],
        &[0.0],
    ));
    says(&found, &["W", "NaN"]);
    let found = text(Problem::from_matrix(
        1,
        &[0, 1],
        &[0],
        &[1.0],
        vec![nan],
        &[0.0],
    ));
    says(&found, &["free velocity b", "NaN"]);
}

#[test]
fn sizes_that_do_not_fit_are_told_with_both_figures() {
    let mut builder = FactoredDelassus::builder();
    let found = text(builder.add_group(&[1.0, 0.0, 0.0], &[0.0; 2], &[0.0; 2]));
    says(&found, &["mass matrix", "3 entries", "4"]);
    says(
        &text(builder.add_group(&[1.0], &[0.0], &[0.0; 2])),
        &["impulse", "2 entries", "1"],
    );
    builder.add_group(&[1.0], &[0.0], &[0.0]).unwrap();
    let law = Law::Coulomb { mu: 0.3 };
    let found = text(builder.add_contact(law.clone(), &[(0, &[1.0])], &[0.0; 3], SOFT));
    says(&found, &["block of G", "1 entries", "3"]);
    let found = text(builder.add_contact(law.clone(), &[(7, &[1.0; 3])], &[0.0; 3], SOFT));
    says(&found, &["contact 0", "group 7", "1 groups"]);
    let found = text(builder.add_contact(law, &[(0, &[1.0; 4])], &[0.0; 4], SOFT));
    says(&found, &["contact 0", "4 rows"]);
    let found = text(Problem::from_matrix(
        3,
        &[0, 1, 2],
        &[0, 1],
        &[1.0; 2],
        vec![0.0; 3],
        &[0.5],
    ));
    says(&found, &["row pointer", "3 entries", "4"]);
    let found = text(Problem::from_matrix(
        1,
        &[0, 1],
        &[4],
        &[1.0],
        vec![0.0],
        &[0.5],
    ));
    says(&found, &["column index", "4"]);
    let found = text(Problem::from_matrix(
        1,
        &[0, 1],
        &[0],
        &[1.0],
        vec![0.0; 2],
        &[0.5],
    ));
    says(&found, &["free velocity b", "2 entries", "1"]);
}

#[test]
fn masses_that_are_not_definite_are_named_with_their_pivot() {
    let mut builder = FactoredDelassus::builder();
    builder.add_group(&[1.0], &[0.0], &[0.0]).unwrap();
    let found = text(builder.add_group(&[1.0, 1.0, 1.0, 1.0], &[0.0; 2], &[0.0; 2]));
    says(&found, &["group 1", "not positive definite", "pivot 1"]);
    let found = text(builder.add_group(&[-2.0], &[0.0], &[0.0]));
    says(&found, &["group 1", "pivot 0", "-2e0"]);
    says(
        &text(builder.add_group(&[0.0], &[0.0], &[0.0])),
        &["group 1", "pivot 0"],
    );
}

#[test]
fn a_contact_that_touches_nothing_is_refused() {
    let mut builder = FactoredDelassus::builder();
    builder
        .add_contact(Law::Coulomb { mu: 0.5 }, &[], &[0.0; 3], SOFT)
        .unwrap();
    says(&text(builder.build()), &["contact 0", "moves nothing"]);
    let mut builder = FactoredDelassus::builder();
    let body = builder
        .add_group(&[1.0, 0.0, 0.0, 1.0], &[0.0; 2], &[0.0; 2])
        .unwrap();
    // Tangent without normal: a contact that cannot separate.
    let block = [0.0, 0.0, 1.0, 0.0];
    builder
        .add_contact(Law::Coulomb { mu: 0.5 }, &[(body, &block)], &[0.0; 2], SOFT)
        .unwrap();
    says(&text(builder.build()), &["contact 0", "normal entry"]);
}

#[test]
fn a_block_that_no_masses_give_is_refused() {
    let found = text(Problem::from_matrix(
        2,
        &[0, 2, 4],
        &[0, 1, 0, 1],
        &[1.0, 2.0, 2.0, 1.0],
        vec![0.0; 2],
        &[0.5],
    ));
    says(
        &found,
        &["contact 0", "not positive semidefinite", "pivot 1"],
    );
}

#[test]
fn laws_tell_their_rows() {
    let error = Law::Rolling {
        mu: 0.5,
        mu_roll: 0.1,
        mu_spin: 0.1,
    }
    .validate(3)
    .unwrap_err();
    assert!(matches!(error, LawError::Rows { found: 3, .. }));
    says(&error.to_string(), &["rolling", "3 rows", "5"]);
}

#[test]
fn nonsense_parameters_of_the_structures_are_errors() {
    let tower = Tower {
        masses: vec![1.0, -1.0],
        ..Tower::default()
    };
    says(&text(tower.problem()), &["group 1"]);
    let flat = Tower {
        size: [0.0; 3],
        ..Tower::default()
    };
    says(&text(flat.problem()), &["group 0"]);
    let wall = Wall {
        lateral: f64::NAN,
        ..Wall::default()
    };
    says(&text(wall.problem()), &["NaN"]);
    let chain = Chain {
        load: 0.0,
        ..Chain::default()
    };
    says(&text(chain.problem()), &["group 9"]);
    let table = Table {
        mass: f64::NAN,
        ..Table::default()
    };
    says(&text(table.problem()), &["NaN"]);
}

#[test]
fn nonsense_parameters_of_the_piles_are_errors() {
    let pyramid = Pyramid {
        friction: -1.0,
        ..Pyramid::default()
    };
    says(&text(pyramid.problem()), &["contact 0", "mu"]);
    let linkage = RandomContacts {
        friction: f64::NAN,
        ..RandomContacts::default()
    };
    says(&text(linkage.problem()), &["mu"]);
    let packing = |side: f64, mass_ratio: f64| Packing {
        spheres: 5,
        steps: 3,
        side,
        mass_ratio,
        ..Packing::default()
    };
    let found = text(packing(8.0, -1.0).settle());
    says(&found, &["not positive definite"]);
    says(&text(packing(f64::NAN, 1.0).settle()), &["side of the box"]);
    // A box with room for one column only is no nonsense.
    assert!(packing(1.0, 1.0).settle().is_ok());
}

#[test]
fn generators_of_nothing_give_empty_problems() {
    let empty = [
        Tower::of(0).problem(),
        Wall {
            courses: 0,
            ..Wall::default()
        }
        .problem(),
        Wall {
            bricks: 0,
            ..Wall::default()
        }
        .problem(),
        Chain {
            links: 0,
            ..Chain::default()
        }
        .problem(),
        Pyramid {
            layers: 0,
            ..Pyramid::default()
        }
        .problem(),
        RandomContacts {
            bodies: 0,
            ..RandomContacts::default()
        }
        .problem(),
        RandomContacts {
            contacts: 0,
            ..RandomContacts::default()
        }
        .problem(),
        Packing {
            spheres: 0,
            ..Packing::default()
        }
        .settle()
        .unwrap()
        .at_rest(0.0),
    ];
    for problem in empty {
        assert_eq!(problem.unwrap().num_contacts(), 0);
    }
}
