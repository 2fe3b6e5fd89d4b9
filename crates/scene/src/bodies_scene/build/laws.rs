//! Contact laws between materials.
//!
//! A law for a pair by name takes precedence over one with an `any`, which takes precedence over `["any", "any"]`.
//! Two laws of the same rank are ambiguous: such a pair is refused if its bodies can touch.

use percuss_bodies::{Friction, Materials, PairLaw};
use percuss_contact::law::{LawError, PolygonSection, StaticDynamic, Status};
use percuss_contact::{Law, Restitution};

use super::context::{At, Context, at};
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::{LawSpec, Name};
use percuss_input::tables::{FrictionSpec, RestitutionSpec};
use percuss_input::{Formula, InputError, Origin};

/// The index of a material.
pub(super) fn material(
    context: &Context<'_>,
    spec: &BodiesSpec,
    at: At<'_>,
    name: &Name,
) -> Result<u16, Box<InputError>> {
    let found = spec.materials.iter().position(|m| m.name == name.text);
    match found.map(u16::try_from) {
        Some(Ok(number)) => Ok(number),
        _ => {
            let mut known = spec.materials.iter().map(|m| m.name.clone());
            Err(context.unknown(at, name, "material", &mut known))
        }
    }
}

/// A law with its materials; `None` is any.
struct Entry<'a> {
    spec: &'a LawSpec,
    between: [Option<usize>; 2],
    law: PairLaw,
}

impl Entry<'_> {
    /// How specific it is for a pair in this order: 0 does not apply, 3 by name.
    fn rank(&self, a: usize, b: usize) -> u8 {
        let fits = |of: Option<usize>, m: usize| of.is_none_or(|of| of == m);
        match fits(self.between[0], a) && fits(self.between[1], b) {
            true => 1 + self.between.iter().flatten().count() as u8,
            false => 0,
        }
    }
}

/// Makes the table of laws. `meet` says whether bodies of two materials can touch.
pub(super) fn laws(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    meet: &dyn Fn(usize, usize) -> bool,
) -> Result<Materials, Box<InputError>> {
    let entries = entries(context, spec)?;
    let count = spec.materials.len();
    let mut table = Materials::new(count, &PairLaw::default());
    for a in 0..count {
        for b in a..count {
            // The most specific law in either order of the pair.
            let rank = |e: &Entry<'_>| e.rank(a, b).max(e.rank(b, a));
            let best = entries.iter().map(rank).max().unwrap_or(0);
            let mut fitting = entries.iter().filter(|e| best > 0 && rank(e) == best);
            match (fitting.next(), fitting.next()) {
                (None, _) if meet(a, b) => return Err(uncovered(context, spec, a, b)),
                (None, _) => {}
                (Some(one), Some(two)) if meet(a, b) => {
                    return Err(ambiguous(context, spec, [a, b], one, two));
                }
                (Some(entry), _) => match entry.rank(a, b) == best {
                    true => table.set(a, b, entry.law.clone()),
                    false => table.set(b, a, entry.law.clone()),
                },
            }
        }
    }
    Ok(table)
}

fn uncovered(context: &Context<'_>, spec: &BodiesSpec, a: usize, b: usize) -> Box<InputError> {
    let (first, second) = (&spec.materials[a].name, &spec.materials[b].name);
    let problem = format!(
        "no law says what happens where `{first}` touches `{second}`, and bodies of them can meet"
    );
    let advice = format!(
        "Add a [[law]] with `between = [\"{first}\", \"{second}\"]`; \"any\" stands for all materials"
    );
    context.error(at("", ""), Origin::Whole, problem, advice)
}

fn ambiguous(
    context: &Context<'_>,
    spec: &BodiesSpec,
    [a, b]: [usize; 2],
    one: &Entry<'_>,
    two: &Entry<'_>,
) -> Box<InputError> {
    let (first, second) = (&spec.materials[a].name, &spec.materials[b].name);
    let problem = format!(
        "for `{first}` and `{second}` this law and that on line {} are equally good",
        one.spec.line
    );
    let advice = format!("Add a [[law]] with `between = [\"{first}\", \"{second}\"]`");
    context.part_error(&part(two.spec), two.spec.line, problem, advice)
}

fn part(spec: &LawSpec) -> String {
    let [a, b] = &spec.between;
    format!("law between `{}` and `{}`", a.text, b.text)
}

fn entries<'a>(
    context: &mut Context<'_>,
    spec: &'a BodiesSpec,
) -> Result<Vec<Entry<'a>>, Box<InputError>> {
    let mut all: Vec<Entry<'a>> = Vec::new();
    for law in &spec.laws {
        let part = part(law);
        // Indices of the materials; `any` stays `None`.
        let mut between = [None; 2];
        for (of, name) in between.iter_mut().zip(&law.between) {
            if name.text != "any" {
                let number = material(context, spec, at(&part, "between"), name)?;
                *of = Some(usize::from(number));
            }
        }
        // A pair may be given once, in either order.
        let swapped = [between[1], between[0]];
        let same = |e: &&Entry<'_>| e.between == between || e.between == swapped;
        if let Some(first) = all.iter().find(same) {
            let problem = format!("the pair is given twice, first on line {}", first.spec.line);
            return Err(context.part_error(&part, law.line, problem, "Keep one of them"));
        }
        all.push(Entry {
            spec: law,
            between,
            law: pair_law(context, &part, law)?,
        });
    }
    Ok(all)
}

fn pair_law(
    context: &mut Context<'_>,
    part: &str,
    spec: &LawSpec,
) -> Result<PairLaw, Box<InputError>> {
    let mut length = |key: &str, formula: &Option<Formula>| match formula {
        None => Ok(0.0),
        Some(formula) => context.not_negative(at(part, key), formula),
    };
    let rolling = length("rolling_friction", &spec.rolling)?;
    let spinning = length("spinning_friction", &spec.spinning)?;
    // Rolling and spinning friction need a law with sliding friction, possibly 0.
    let friction = match (
        friction(context, part, spec)?,
        rolling > 0.0 || spinning > 0.0,
    ) {
        (Friction::None, true) => Friction::Coulomb(0.0),
        (friction, _) => friction,
    };
    Ok(PairLaw {
        friction,
        rolling,
        spinning,
        restitution: rebound(context, part, spec)?,
    })
}

fn friction(
    context: &mut Context<'_>,
    part: &str,
    spec: &LawSpec,
) -> Result<Friction, Box<InputError>> {
    let Some((friction, line, along)) = &spec.friction else {
        return Ok(Friction::None);
    };
    let place = at(part, "friction");
    // Direction of the first axis of an anisotropic section.
    let along = match along {
        None => [0.0; 3],
        Some(along) => {
            let along = context.direction(at(part, "friction.along"), along, "`along`")?;
            [along[0], along[1], along[2]]
        }
    };
    // Each law validates its own coefficients.
    let check = |context: &Context<'_>, law: &Law, rows: usize| match law.validate(rows) {
        Ok(()) => Ok(()),
        Err(error) => Err(not_lawful(context, place, *line, &error)),
    };
    Ok(match friction {
        FrictionSpec::Isotropic(formula) => {
            let mu = context.not_negative(place, formula)?;
            match mu > 0.0 {
                true => Friction::Coulomb(mu),
                false => Friction::None,
            }
        }
        FrictionSpec::Asymmetric { plus, minus } => {
            let (plus, minus) = (context.number(place, plus)?, context.number(place, minus)?);
            check(context, &Law::CoulombAsymmetric { plus, minus }, 2)?;
            // The law bounds the reaction, which opposes sliding: sliding in + is resisted by the
            // lower bound (M88 §13).
            Friction::Asymmetric {
                plus: minus,
                minus: plus,
            }
        }
        FrictionSpec::Elliptic([first, second]) => {
            let (mu1, mu2) = (
                context.number(place, first)?,
                context.number(place, second)?,
            );
            check(context, &Law::CoulombElliptic { mu1, mu2 }, 3)?;
            Friction::Elliptic { mu1, mu2, along }
        }
        FrictionSpec::Polygon(vertices) => {
            let section = section(context, place, vertices, *line)?.into();
            Friction::Polygon { section, along }
        }
        FrictionSpec::StaticDynamic { fixed, sliding } => {
            let friction = StaticDynamic {
                mu_static: context.number(place, fixed)?,
                mu_dynamic: context.number(place, sliding)?,
            };
            let previous = Status::Open;
            check(context, &Law::StaticDynamic { friction, previous }, 2)?;
            Friction::StaticDynamic(friction)
        }
    })
}

/// The polygonal section of a friction law.
fn section(
    context: &mut Context<'_>,
    place: At<'_>,
    vertices: &[[Formula; 2]],
    line: usize,
) -> Result<PolygonSection, Box<InputError>> {
    let mut corners = Vec::new();
    for [x, y] in vertices {
        corners.push([context.number(place, x)?, context.number(place, y)?]);
    }
    PolygonSection::new(&corners).map_err(|error| not_lawful(context, place, line, &error))
}

fn not_lawful(
    context: &Context<'_>,
    place: At<'_>,
    line: usize,
    error: &LawError,
) -> Box<InputError> {
    context.error(place, Origin::Line(line), error.to_string(), "")
}

/// Normal and tangential restitution of a pair.
fn rebound(
    context: &mut Context<'_>,
    part: &str,
    spec: &LawSpec,
) -> Result<Restitution, Box<InputError>> {
    let mut restitution = Restitution::default();
    match &spec.rebound {
        None => {}
        Some(RestitutionSpec::Restitution(formula)) => {
            let place = at(part, "restitution");
            let e = context.number(place, formula)?;
            restitution.normal = admissible(context, place, formula, e)?;
        }
        Some(RestitutionSpec::Dissipation(formula)) => {
            let place = at(part, "dissipation");
            let delta = context.number(place, formula)?;
            // ρ = (1 − δ)/(1 + δ), JM92 6.1.
            let e = admissible(context, place, formula, (1.0 - delta) / (1.0 + delta))?;
            (restitution.normal, restitution.tangential) = (e, e);
        }
    }
    if let Some(formula) = &spec.tangential_restitution {
        let place = at(part, "tangential_restitution");
        let e = context.number(place, formula)?;
        restitution.tangential = admissible(context, place, formula, e)?;
    }
    Ok(restitution)
}

/// Requires a restitution admissible for an impact law, 0 ≤ e ≤ 1.
fn admissible(
    context: &Context<'_>,
    place: At<'_>,
    formula: &Formula,
    value: f64,
) -> Result<f64, Box<InputError>> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    let means = match place.key {
        "dissipation" => format!("the restitution (1 - delta)/(1 + delta) is {value}"),
        _ => format!("the value is {value}"),
    };
    let problem = format!(
        "{means}, but an impact law is admissible only for 0 <= e <= 1: with e > 1 an impact \
         would create kinetic energy, with e < 0 the bodies would go on into each other (B02 1.12)"
    );
    Err(context.wrong(place, formula, problem, ""))
}
