//! Masonry generators with their parameters evaluated.

use std::f64::consts::PI;

use percuss_bodies::{Space, Vector};
use percuss_generate as generate;
use percuss_generate::{
    Blocks, Bond, Cards, Dome, DominoRow, Drums, Drystone, GenerateError, GeneratedBody, Vault,
};

use super::context::Context;
use super::generators::{Generated, Numbers, origin};
use super::scene_dim::{SceneDim, Vec3};
use percuss_input::InputError;
use percuss_input::tables::bodies::generators::{ArrangementSpec, GeneratorSpec};
use percuss_input::tables::bodies::structure::{BlocksSpec, BondSpec, StructureSpec};

/// Default least distance of joints in a dry-stone wall, as a fraction of the shortest stone.
const STAGGER: f64 = 0.25;

/// The bond of blocks.
fn laid(bond: BondSpec) -> Bond {
    match bond {
        BondSpec::Running => Bond::Running,
        BondSpec::Stack => Bond::Stack,
    }
}

/// A structure that exists only in space.
pub enum SpatialStructure {
    Vault(Vault),
    Dome(Dome),
    Drums(Drums),
}

impl SpatialStructure {
    /// Makes its blocks.
    pub fn make(&self) -> Result<Vec<GeneratedBody<Space>>, GenerateError> {
        match self {
            Self::Vault(vault) => generate::vault(vault),
            Self::Dome(dome) => generate::dome(dome),
            Self::Drums(drums) => generate::drums(drums),
        }
    }

    /// Indices of the springers among `all` blocks.
    fn springers(&self, all: usize) -> Vec<usize> {
        match self {
            Self::Vault(vault) => vault.springers(all),
            Self::Dome(dome) => dome.springers(),
            Self::Drums(_) => Vec::new(),
        }
    }
}

/// Makes the bodies of a structure.
pub(super) fn structure<D: SceneDim>(
    numbers: &mut Numbers<'_, '_>,
    many: &GeneratorSpec,
    spec: &StructureSpec,
) -> Generated<D> {
    let origin = origin::<D>(numbers, many)?;
    // Structures of both dimensions; the others exist only in space.
    Ok(match spec {
        StructureSpec::Drystone {
            stone,
            course,
            length,
            height,
            depth,
            stagger,
            irregular,
            seed,
        } => generate::drystone(&Drystone::<D> {
            lengths: numbers.pair("stone", stone)?,
            heights: numbers.pair("course", course)?,
            length: numbers.number("length", length)?,
            height: numbers.number("height", height)?,
            depth: numbers.number_or("depth", depth, 0.0)?,
            stagger: numbers.number_or("stagger", stagger, STAGGER)?,
            irregular: numbers.number_or("irregular", irregular, 0.0)?,
            seed: numbers.seed(seed, true)?,
            origin,
        }),
        StructureSpec::Row {
            block,
            count,
            spacing,
            heading,
            turn,
        } => generate::row(&DominoRow::<D> {
            block: numbers.vector("block", block)?,
            count: numbers.whole("count", count)?,
            spacing: numbers.number("spacing", spacing)?,
            heading: numbers.number_or("heading", heading, 0.0)?,
            turn: numbers.number_or("turn", turn, 0.0)?,
            origin,
        }),
        StructureSpec::Cards {
            card,
            storeys,
            lean,
        } => generate::cards(&Cards::<D> {
            card: numbers.vector("card", card)?,
            storeys: numbers.whole("storeys", storeys)?,
            lean: numbers.number("lean", lean)?,
            origin,
        }),
        _ => match solid(numbers, spec, origin.components())? {
            Some(solid) => D::solid(&solid),
            None => Ok(Vec::new()),
        },
    })
}

/// Evaluates the parameters of a structure in space.
fn solid(
    numbers: &mut Numbers<'_, '_>,
    spec: &StructureSpec,
    origin: &[f64],
) -> Result<Option<SpatialStructure>, Box<InputError>> {
    // The origin is empty where only the springers are asked for.
    let mut entries = [0.0; 3];
    for (entry, given) in entries.iter_mut().zip(origin) {
        *entry = *given;
    }
    let origin = Vec3::from_components(&entries);
    Ok(Some(match spec {
        StructureSpec::Vault {
            radius,
            thickness,
            voussoirs,
            span,
            depth,
            rings,
            bond,
        } => SpatialStructure::Vault(Vault {
            radius: numbers.number("radius", radius)?,
            thickness: numbers.number("thickness", thickness)?,
            voussoirs: numbers.whole("voussoirs", voussoirs)?,
            span: numbers.number_or("span", span, PI)?,
            depth: numbers.number("depth", depth)?,
            rings: whole_if(numbers, "rings", rings)?.unwrap_or(1),
            bond: laid(*bond),
            origin,
        }),
        StructureSpec::Dome { .. } => return dome(numbers, spec, origin),
        StructureSpec::Drums { .. } => return drums(numbers, spec, origin),
        _ => return Ok(None),
    }))
}

fn dome(
    numbers: &mut Numbers<'_, '_>,
    spec: &StructureSpec,
    origin: Vec3,
) -> Result<Option<SpatialStructure>, Box<InputError>> {
    let StructureSpec::Dome {
        radius,
        thickness,
        courses,
        blocks,
        span,
        oculus,
        bond,
    } = spec
    else {
        return Ok(None);
    };
    Ok(Some(SpatialStructure::Dome(Dome {
        radius: numbers.number("radius", radius)?,
        thickness: numbers.number("thickness", thickness)?,
        courses: numbers.whole("courses", courses)?,
        blocks: match blocks {
            BlocksSpec::Number(number) => Blocks::Number(numbers.whole("blocks", number)?),
            BlocksSpec::Size(size) => Blocks::Size(numbers.number("size", size)?),
        },
        span: numbers.number_or("span", span, PI)?,
        oculus: numbers.number_or("oculus", oculus, 0.0)?,
        bond: laid(*bond),
        origin,
    })))
}

fn drums(
    numbers: &mut Numbers<'_, '_>,
    spec: &StructureSpec,
    origin: Vec3,
) -> Result<Option<SpatialStructure>, Box<InputError>> {
    let StructureSpec::Drums {
        radius,
        top,
        count,
        height,
        sides,
        capital,
    } = spec
    else {
        return Ok(None);
    };
    let radius = numbers.number("radius", radius)?;
    let capital = capital
        .as_ref()
        .map(|sides| numbers.vector("capital", sides));
    Ok(Some(SpatialStructure::Drums(Drums {
        radius,
        capital: capital.transpose()?,
        top: numbers.number_or("top", top, radius)?,
        count: numbers.whole("count", count)?,
        height: numbers.number("height", height)?,
        sides: whole_if(numbers, "sides", sides)?,
        origin,
    })))
}

fn whole_if(
    numbers: &mut Numbers<'_, '_>,
    key: &str,
    formula: &Option<percuss_input::Formula>,
) -> Result<Option<usize>, Box<InputError>> {
    let whole = formula.as_ref().map(|f| numbers.whole(key, f));
    whole.transpose()
}

/// Indices of the fixed bodies of a generator: its springers, if the scene fixes them.
pub(super) fn springers(
    context: &mut Context<'_>,
    many: &GeneratorSpec,
    all: usize,
) -> Result<Vec<usize>, Box<InputError>> {
    // The first and the last voussoir of an arch; vaults and domes know theirs.
    match &many.arrangement {
        _ if !many.springers => Ok(Vec::new()),
        ArrangementSpec::Arch { .. } => Ok(vec![0, all.saturating_sub(1)]),
        ArrangementSpec::Structure(spec) => {
            let mut numbers = Numbers::new(context, many);
            let solid = solid(&mut numbers, spec, &[])?;
            Ok(solid.map_or_else(Vec::new, |solid| solid.springers(all)))
        }
        _ => Ok(Vec::new()),
    }
}
