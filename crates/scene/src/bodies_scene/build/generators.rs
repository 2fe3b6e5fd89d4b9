//! Generators with their parameters evaluated.

use percuss_bodies::Vector;
use percuss_generate::{
    Amount, Arch, Column, Deposit, GenerateError, GeneratedBody, GrainShape, Grid, GridLattice,
    Packing, PackingRegion, Sizes, Wall, column, deposit, grid, packing, wall,
};

use super::context::{Context, at};
use super::scene_dim::{SceneDim, Vec2};
use super::structure::structure;
use percuss_input::tables::Word;
use percuss_input::tables::bodies::generators::{
    ArrangementSpec, GeneratorSpec, GrainSpec, RegionOfPacking, SizesSpec,
};
use percuss_input::{Formula, InputError, Origin};

/// Evaluates the parameters of one generator.
pub(super) struct Numbers<'a, 'b> {
    context: &'a mut Context<'b>,
    part: String,
}

impl<'a, 'b> Numbers<'a, 'b> {
    pub fn new(context: &'a mut Context<'b>, many: &GeneratorSpec) -> Self {
        Self {
            part: many.part(),
            context,
        }
    }

    pub fn number(&mut self, key: &str, formula: &Formula) -> Result<f64, Box<InputError>> {
        self.context.number(at(&self.part, key), formula)
    }

    fn number_if(
        &mut self,
        key: &str,
        formula: &Option<Formula>,
    ) -> Result<Option<f64>, Box<InputError>> {
        formula.as_ref().map(|f| self.number(key, f)).transpose()
    }

    pub fn number_or(
        &mut self,
        key: &str,
        formula: &Option<Formula>,
        default: f64,
    ) -> Result<f64, Box<InputError>> {
        formula
            .as_ref()
            .map_or(Ok(default), |f| self.number(key, f))
    }

    pub fn whole(&mut self, key: &str, formula: &Formula) -> Result<usize, Box<InputError>> {
        self.context.whole(at(&self.part, key), formula, 1)
    }

    fn wholes(&mut self, key: &str, all: &[Formula]) -> Result<Vec<usize>, Box<InputError>> {
        all.iter().map(|formula| self.whole(key, formula)).collect()
    }

    /// The seed of a generator; recorded if it draws random numbers.
    pub fn seed(&mut self, formula: &Option<Formula>, draws: bool) -> Result<u64, Box<InputError>> {
        let place = at(&self.part, "seed");
        let whole = |f| self.context.whole(place, f, 0).map(|seed| seed as u64);
        let seed = formula.as_ref().map_or(Ok(1), whole)?;
        if draws {
            self.context.sources.seeds.borrow_mut().push(seed);
        }
        Ok(seed)
    }

    pub fn vector<V: Vector>(
        &mut self,
        key: &str,
        values: &[Formula],
    ) -> Result<V, Box<InputError>> {
        Ok(V::from_components(
            &self.context.numbers(at(&self.part, key), values)?,
        ))
    }

    pub fn pair(&mut self, key: &str, [a, b]: &[Formula; 2]) -> Result<[f64; 2], Box<InputError>> {
        Ok([self.number(key, a)?, self.number(key, b)?])
    }

    fn sizes(&mut self, spec: &SizesSpec) -> Result<Sizes, Box<InputError>> {
        const KEY: &str = "radius";
        // Radii by distribution, with the parameters of each.
        Ok(match spec {
            SizesSpec::Equal(radius) => Sizes::Equal(self.number(KEY, radius)?),
            SizesSpec::Uniform(bounds) => Sizes::Uniform(self.pair(KEY, bounds)?),
            SizesSpec::ByArea(bounds) => Sizes::ByArea(self.pair(KEY, bounds)?),
            SizesSpec::Normal(law, between) => {
                let [mean, deviation] = self.pair(KEY, law)?;
                let between = self.pair(KEY, between)?;
                Sizes::Normal {
                    mean,
                    deviation,
                    between,
                }
            }
            SizesSpec::Lognormal(law, between) => {
                let [median, sigma] = self.pair(KEY, law)?;
                let between = self.pair(KEY, between)?;
                Sizes::Lognormal {
                    median,
                    sigma,
                    between,
                }
            }
            SizesSpec::Mix(parts) => {
                let pairs = parts.iter().map(|part| self.pair(KEY, part));
                let pairs: Vec<[f64; 2]> = pairs.collect::<Result<_, _>>()?;
                Sizes::Mix(pairs.into_iter().map(|[r, share]| (r, share)).collect())
            }
            SizesSpec::Sieve(points) => {
                let points = points.iter().map(|point| self.pair(KEY, point));
                let points: Vec<[f64; 2]> = points.collect::<Result<_, _>>()?;
                Sizes::Sieve(
                    points
                        .into_iter()
                        .map(|[d, passing]| (d, passing))
                        .collect(),
                )
            }
        })
    }

    fn amount(
        &mut self,
        count: &Option<Formula>,
        fraction: &Option<Formula>,
    ) -> Result<Amount, Box<InputError>> {
        Ok(match (count, fraction) {
            (Some(count), _) => Amount::Count(self.whole("count", count)?),
            (None, Some(share)) => Amount::Fraction(self.number("fraction", share)?),
            (None, None) => Amount::Count(0),
        })
    }

    fn region<D: SceneDim>(
        &self,
        many: &GeneratorSpec,
        region: &RegionOfPacking,
        lattice: Option<percuss_bodies::Lattice<D>>,
    ) -> Result<PackingRegion<D>, Box<InputError>> {
        match (region, lattice) {
            (RegionOfPacking::Box, _) => Ok(PackingRegion::Box),
            (RegionOfPacking::Cylinder, _) => Ok(PackingRegion::Cylinder),
            (RegionOfPacking::Cell, Some(lattice)) => Ok(PackingRegion::Cell(lattice)),
            (RegionOfPacking::Cell, None) => {
                let (place, line) = (at(&self.part, "region"), Origin::Line(many.line));
                let problem = "there is no periodic cell";
                Err(self
                    .context
                    .error(place, line, problem, "Add [cell] with `size`"))
            }
        }
    }

    fn lattice(
        &self,
        word: Option<&Word>,
        dimension: usize,
    ) -> Result<GridLattice, Box<InputError>> {
        let place = at(&self.part, "lattice");
        word.map_or(Ok(GridLattice::Square), |word| {
            self.context.word(place, word, lattices(dimension))
        })
    }

    /// Coordinates and radius of each grain.
    fn placed(
        &mut self,
        positions: &[Vec<Formula>],
        radii: &[Formula],
    ) -> Result<Vec<[f64; 4]>, Box<InputError>> {
        // Rows of coordinates and radius.
        let mut rows = Vec::with_capacity(positions.len());
        // One radius is repeated for all grains.
        let mut all = radii.iter().cycle();
        for position in positions {
            let mut row = [0.0; 4];
            for (x, formula) in row.iter_mut().zip(position) {
                *x = self.number("positions", formula)?;
            }
            if let Some(radius) = all.next() {
                row[3] = self.number("radius", radius)?;
            }
            rows.push(row);
        }
        Ok(rows)
    }

    fn form(&mut self, grain: &GrainSpec) -> Result<GrainShape, Box<InputError>> {
        match &grain.corners {
            None => Ok(GrainShape::Round),
            Some([fewest, most]) => Ok(GrainShape::Angular {
                corners: [self.whole("corners", fewest)?, self.whole("corners", most)?],
            }),
        }
    }
}

/// Runs a generator.
pub(super) fn pieces<D: SceneDim>(
    context: &mut Context<'_>,
    many: &GeneratorSpec,
    lattice: Option<percuss_bodies::Lattice<D>>,
) -> Result<Vec<GeneratedBody<D>>, Box<InputError>> {
    let mut numbers = Numbers::new(context, many);
    // Masonry, given grains, or grain assemblies.
    let made = match &many.arrangement {
        ArrangementSpec::Wall { .. }
        | ArrangementSpec::Column { .. }
        | ArrangementSpec::Arch { .. } => masonry(&mut numbers, many)?,
        ArrangementSpec::Structure(spec) => structure(&mut numbers, many, spec)?,
        ArrangementSpec::Grains { positions, radii } => {
            let rows = numbers.placed(positions, radii)?;
            given(&rows)
        }
        ArrangementSpec::Given(rows) => given(rows),
        _ => grains(&mut numbers, many, lattice)?,
    };
    made.map_err(|error| blame(context, many, &error))
}

pub(super) type Generated<D> =
    Result<Result<Vec<GeneratedBody<D>>, GenerateError>, Box<InputError>>;

pub(super) fn origin<D: SceneDim>(
    numbers: &mut Numbers<'_, '_>,
    many: &GeneratorSpec,
) -> Result<D::Vector, Box<InputError>> {
    match &many.origin {
        None => Ok(D::Vector::splat(0.0)),
        Some(origin) => numbers.vector("origin", origin),
    }
}

fn masonry<D: SceneDim>(numbers: &mut Numbers<'_, '_>, many: &GeneratorSpec) -> Generated<D> {
    let origin = origin::<D>(numbers, many)?;
    Ok(match &many.arrangement {
        ArrangementSpec::Wall {
            block,
            courses,
            length,
            vary,
            seed,
        } => wall(&Wall {
            block: numbers.vector("block", block)?,
            courses: numbers.whole("courses", courses)?,
            length: numbers.number("length", length)?,
            origin,
            vary: numbers.number_or("vary", vary, 0.0)?,
            seed: numbers.seed(seed, vary.is_some())?,
        }),
        ArrangementSpec::Column { block, count, lean } => column(&Column {
            block: numbers.vector("block", block)?,
            count: numbers.whole("count", count)?,
            origin,
            lean: numbers.number_or("lean", lean, 0.0)?,
        }),
        ArrangementSpec::Arch {
            radius,
            thickness,
            voussoirs,
            span,
            facets,
        } => D::arch(&Arch {
            radius: numbers.number("radius", radius)?,
            thickness: numbers.number("thickness", thickness)?,
            voussoirs: numbers.whole("voussoirs", voussoirs)?,
            span: numbers.number_or("span", span, std::f64::consts::PI)?,
            facets: match facets {
                Some(facets) => numbers.whole("facets", facets)?,
                None => 1,
            },
            origin: Vec2::from_components(&origin.components()[..2]),
        }),
        _ => Ok(Vec::new()),
    })
}

fn grains<D: SceneDim>(
    numbers: &mut Numbers<'_, '_>,
    many: &GeneratorSpec,
    lattice: Option<percuss_bodies::Lattice<D>>,
) -> Generated<D> {
    // Grids, random sequential addition, deposits; seeds are recorded where random numbers are drawn.
    Ok(match &many.arrangement {
        ArrangementSpec::Grid {
            grain,
            counts,
            spacing,
            lattice,
            jitter,
            seed,
        } => {
            let counts = numbers.wholes("counts", counts)?;
            grid(&Grid {
                radius: numbers.sizes(&grain.sizes)?,
                form: numbers.form(grain)?,
                counts,
                spacing: numbers.number_if("spacing", spacing)?,
                lattice: numbers.lattice(lattice.as_ref(), D::N)?,
                jitter: numbers.number_or("jitter", jitter, 0.0)?,
                seed: numbers.seed(seed, jitter.is_some() || !grain.certain())?,
                origin: origin::<D>(numbers, many)?,
            })
        }
        ArrangementSpec::Packing {
            grain,
            region,
            low,
            high,
            count,
            fraction,
            seed,
        } => packing(&Packing {
            radius: numbers.sizes(&grain.sizes)?,
            form: numbers.form(grain)?,
            low: numbers.vector("low", low)?,
            high: numbers.vector("high", high)?,
            region: numbers.region(many, region, lattice)?,
            amount: numbers.amount(count, fraction)?,
            seed: numbers.seed(seed, true)?,
        }),
        ArrangementSpec::Deposit {
            grain,
            low,
            high,
            count,
            seed,
        } => deposit(&Deposit {
            radius: numbers.sizes(&grain.sizes)?,
            form: numbers.form(grain)?,
            low: numbers.vector("low", low)?,
            high: numbers.vector("high", high)?,
            count: numbers.whole("count", count)?,
            seed: numbers.seed(seed, true)?,
        }),
        _ => Ok(Vec::new()),
    })
}

/// Discs or spheres at given positions.
fn given<D: SceneDim>(rows: &[[f64; 4]]) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    // Errors name the grain by its number.
    let piece = |(at, row): (usize, &[f64; 4])| {
        let wrong = |problem: String| GenerateError {
            key: "positions",
            problem: format!("grain {}: {problem}", at + 1),
            advice: String::new(),
        };
        if row.iter().any(|x| !x.is_finite()) {
            return Err(wrong("its place or radius is not finite".into()));
        }
        Ok(GeneratedBody {
            shape: D::round(row[3]).map_err(|error| wrong(error.to_string()))?,
            pose: percuss_bodies::Pose {
                position: D::Vector::from_components(&row[..D::N]),
                rotation: D::Rotation::default(),
            },
        })
    };
    rows.iter().enumerate().map(piece).collect()
}

fn lattices(dimension: usize) -> &'static [(&'static str, GridLattice)] {
    match dimension {
        2 => &[
            ("square", GridLattice::Square),
            ("triangular", GridLattice::Triangular),
        ],
        _ => &[
            ("square", GridLattice::Square),
            ("hexagonal", GridLattice::Hexagonal),
        ],
    }
}

/// The error of a generator, at the key it names.
fn blame(context: &Context<'_>, many: &GeneratorSpec, error: &GenerateError) -> Box<InputError> {
    let part = many.part();
    // The line of the key at fault, else of the table.
    let line = many.lines.iter().find(|(key, _)| key == error.key);
    let line = line.map_or(many.line, |(_, line)| *line);
    let place = at(&part, error.key);
    context.error(
        place,
        Origin::Line(line),
        error.problem.clone(),
        error.advice.clone(),
    )
}
