//! Names of the parts of a scene: groups, regions, watches, load cases.

use super::super::{Region, SceneNames, Watch};
use super::body_table::BodyTable;
use super::case;
use super::context::{Context, at};
use super::scene_dim::SceneDim;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::RegionSpec;
use percuss_input::{Formula, InputError};

/// Makes all names.
pub(super) fn scene_names<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    roster: &mut BodyTable<D>,
    start: f64,
) -> Result<SceneNames, Box<InputError>> {
    // Regions and joints register their names with those of bodies and groups.
    let mut regions = Vec::new();
    for region in &spec.regions {
        let periodic = spec.cell.as_ref().map_or([false; 3], |cell| cell.periodic);
        self::region(context, region, roster, (start, periodic), &mut regions)?;
    }
    for joint in &spec.joints {
        roster.joint(context, &joint.part(), &joint.name, joint.line)?;
    }
    let mut watches = Vec::new();
    for watch in &spec.watches {
        let part = format!("watch `{}`", watch.name);
        let place = at(&part, "between");
        let [first, second] = &watch.between;
        watches.push(Watch {
            name: watch.name.clone(),
            first: roster.members(context, place, first)?,
            second: roster.members(context, place, second)?,
        });
    }
    Ok(SceneNames {
        bodies: roster.names.clone(),
        materials: spec.materials.iter().map(|m| m.name.clone()).collect(),
        groups: roster.groups.clone(),
        regions,
        watches,
        profiles: Vec::new(),
        distributions: Vec::new(),
        loads: case::cases(context, spec, roster)?,
        cell: spec.cell.is_some(),
        joints: spec.joints.iter().map(|j| j.name.clone()).collect(),
        has_impacts: (spec.joints.iter())
            .map(|j| j.limits.is_some() || j.play.is_some())
            .collect(),
        record: percuss_input::tables::RecordSelection::default(),
    })
}

/// Adds a region, or its slices.
fn region<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &RegionSpec,
    roster: &mut BodyTable<D>,
    (start, periodic): (f64, [bool; 3]),
    all: &mut Vec<Region>,
) -> Result<(), Box<InputError>> {
    let part = format!("region `{}`", spec.name);
    // Default members: all movable bodies.
    let members = match &spec.of {
        Some(name) => roster.members(context, at(&part, "of"), name)?,
        None => {
            let bodies = roster.bodies.iter().enumerate();
            let movable = bodies.filter(|(_, body)| body.freedom.movable());
            movable.map(|(i, _)| i as u32).collect()
        }
    };
    // Missing bounds are infinite.
    let bound = |given: &Option<Vec<Formula>>, unbounded: &str| match given {
        Some(bound) => bound.clone(),
        None => vec![Formula::at_line(unbounded, spec.line); D::N],
    };
    let (low, high) = (bound(&spec.low, "-inf"), bound(&spec.high, "inf"));
    check_bounds(context, &part, spec, [&low, &high], start)?;
    refuse_bounds_between_images(context, &part, [&low, &high], periodic)?;
    // The region itself, or one region per slice.
    let mut push = |name: String, slice| {
        roster.region(context, &part, &name, spec.line)?;
        all.push(Region {
            name,
            low: low.clone(),
            high: high.clone(),
            slice,
            members: members.clone(),
        });
        Ok(())
    };
    match spec.slices {
        None => push(spec.name.clone(), None),
        Some((axis, count)) => (0..count)
            .try_for_each(|k| push(format!("{}_{}", spec.name, k + 1), Some((k, count, axis)))),
    }
}

/// Refuses bounds along a periodic axis: bodies keep the image that they began as, so that a bound would lose those
/// that have left the cell.
fn refuse_bounds_between_images(
    context: &mut Context<'_>,
    part: &str,
    bounds: [&[Formula]; 2],
    periodic: [bool; 3],
) -> Result<(), Box<InputError>> {
    for (key, bounds) in ["low", "high"].into_iter().zip(bounds) {
        for (bound, periodic) in bounds.iter().zip(periodic) {
            if periodic && !matches!(bound.text.trim(), "inf" | "-inf") {
                let problem = "along this axis the cell is periodic, and a region must have no end";
                let advice = "Use `\"-inf\"` and `\"inf\"` there";
                return Err(context.wrong(at(part, key), bound, problem, advice));
            }
        }
    }
    Ok(())
}

/// Checks that bounds can be evaluated and are in order at the start.
fn check_bounds(
    context: &mut Context<'_>,
    part: &str,
    spec: &RegionSpec,
    [low, high]: [&[Formula]; 2],
    start: f64,
) -> Result<(), Box<InputError>> {
    for (axis, (below, above)) in low.iter().zip(high).enumerate() {
        let a = bound(context, part, "low", below, start)?;
        let b = bound(context, part, "high", above, start)?;
        if a >= b {
            let problem = format!("from {a} to {b} along axis {} there is nothing", axis + 1);
            let advice = "`low` must be below `high`";
            return Err(context.wrong(at(part, "high"), above, problem, advice));
        }
        if spec.slices.is_some_and(|(of, _)| of == axis) && !(b - a).is_finite() {
            let problem = "slices need finite bounds along their axis";
            let (key, culprit) = match a.is_finite() {
                true => ("high", above),
                false => ("low", below),
            };
            return Err(context.wrong(at(part, key), culprit, problem, ""));
        }
    }
    Ok(())
}

/// The value of a bound at the start.
fn bound(
    context: &mut Context<'_>,
    part: &str,
    key: &str,
    formula: &Formula,
    start: f64,
) -> Result<f64, Box<InputError>> {
    match formula.text.trim() {
        "inf" => Ok(f64::INFINITY),
        "-inf" => Ok(f64::NEG_INFINITY),
        _ => context.at_time(at(part, key), formula, start),
    }
}
