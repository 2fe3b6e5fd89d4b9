//! Default items where a scene declares none: the moving set of a sweeping process with its point and its path,
//! or a crowd in its room.

use std::borrow::Cow;

use percuss_scene::Formula;
use percuss_scene::file::{CrowdSpec, DrawingShapeSpec, DrawingSpec, MechanismSpec, PointSpec};

/// The items of a drawing: the declared ones, or the default ones.
pub(super) fn specs(mechanism: &MechanismSpec) -> Cow<'_, [DrawingSpec]> {
    // Declared items take precedence; mechanisms have no default.
    let Some(sweep) = &mechanism.sweep else {
        return Cow::Borrowed(&mechanism.drawings);
    };
    if !mechanism.drawings.is_empty() {
        return Cow::Borrowed(&mechanism.drawings);
    }
    if let Some(crowd) = &sweep.crowd {
        return Cow::Owned(people(crowd));
    }
    let names: Vec<&str> = mechanism
        .coordinates
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    // In one coordinate the point moves on the x axis.
    let at = match names.as_slice() {
        [x] => point(x, "0"),
        [x, y] => point(x, y),
        _ => return Cow::Owned(Vec::new()),
    };
    let mut all = Vec::new();
    // A set defined by equations has no interior to fill.
    if mechanism.joints.is_empty() && !mechanism.contacts.is_empty() {
        let mut set = thing("set", DrawingShapeSpec::Set);
        let contacts = mechanism.contacts.iter();
        set.contacts = contacts
            .map(|c| Formula::at_line(&c.name, c.line))
            .collect();
        set.filled = true;
        all.push(set);
    }
    if names.len() == 2 {
        all.push(thing("path", DrawingShapeSpec::Trace(at.clone())));
    }
    let tip = DrawingShapeSpec::Tip {
        at: vec![at],
        radius: None,
        angle: None,
    };
    let mut tip = thing("point", tip);
    tip.colour = Some(1);
    all.push(tip);
    Cow::Owned(all)
}

/// Names of the axes.
pub(super) fn axes(mechanism: &MechanismSpec, dimension: usize) -> Vec<String> {
    let own = mechanism.sweep.is_some() && mechanism.drawings.is_empty();
    let names = mechanism.coordinates.iter().map(|c| c.name.clone());
    match mechanism.coordinates.len() {
        1 if own => names.chain([String::new()]).collect(),
        2 if own => names.collect(),
        _ => {
            let all = ["x", "y", "z"].into_iter().take(dimension);
            all.map(str::to_string).collect()
        }
    }
}

fn point(x: &str, y: &str) -> PointSpec {
    vec![Formula::at_line(x, 1), Formula::at_line(y, 1)]
}

fn thing(name: &str, shape: DrawingShapeSpec) -> DrawingSpec {
    DrawingSpec {
        name: name.into(),
        part: format!("drawing `{name}`"),
        key: "drawing",
        line: 1,
        shape,
        closed: false,
        filled: false,
        label: None,
        colour: None,
        width: None,
        contacts: Vec::new(),
    }
}

/// People as discs, and the room with its door in the wall x = 0.
fn people(crowd: &CrowdSpec) -> Vec<DrawingSpec> {
    let number = |key: usize| crowd.numbers.get(key).map_or("0", |f| f.text.as_str());
    let (depth, width, door) = (number(0), number(1), number(2));
    let upper = |at: &str, sign: &str| format!("{sign}0.5*({at})");
    let back = format!("-({depth})");
    // Walls from one side of the door around the room to the other.
    let corners = [
        point("0", &upper(door, "")),
        point("0", &upper(width, "")),
        point(&back, &upper(width, "")),
        point(&back, &upper(width, "-")),
        point("0", &upper(width, "-")),
        point("0", &upper(door, "-")),
    ];
    let all = 1..=crowd.columns * crowd.rows;
    let tips = DrawingShapeSpec::Tip {
        at: all
            .map(|k| point(&format!("x{k}"), &format!("y{k}")))
            .collect(),
        radius: crowd.numbers.get(3).cloned(),
        angle: None,
    };
    let mut tips = thing("people", tips);
    tips.filled = true;
    vec![
        thing("room", DrawingShapeSpec::Obstacle(corners.to_vec())),
        tips,
    ]
}
