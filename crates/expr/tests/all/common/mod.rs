//! Random expressions with a reference evaluation that shares nothing with the crate.
//!
//! A tree is written out as text for the crate, and evaluated here with its derivative by dual numbers. Each number
//! carries a first-order bound of its rounding error, so that a comparison has a tolerance that follows from the
//! expression.

use proptest::prelude::*;

/// Rounding unit, with room for library functions that are off by a few units.
const UNIT: f64 = 4.0 * f64::EPSILON;

/// An expression in x, y, z (0, 1, 2). Functions are applied to what they are defined for.
#[derive(Clone, Debug)]
pub enum Tree {
    Number(f64),
    Variable(usize),
    Negative(Box<Tree>),
    Add(Box<Tree>, Box<Tree>),
    Sub(Box<Tree>, Box<Tree>),
    Mul(Box<Tree>, Box<Tree>),
    /// a / (b² + 1).
    Div(Box<Tree>, Box<Tree>),
    Power(Box<Tree>, i32),
    /// (a² + 1)^p.
    RealPower(Box<Tree>, f64),
    Function(&'static str, Box<Tree>),
    /// atan2(a, b² + 1).
    Angle(Box<Tree>, Box<Tree>),
    /// hypot(a, b² + 1).
    Hypot(Box<Tree>, Box<Tree>),
    Min(Box<Tree>, Box<Tree>),
    Max(Box<Tree>, Box<Tree>),
    /// mod(a, b² + 1).
    Mod(Box<Tree>, Box<Tree>),
    /// if(a < b, c, d).
    If(Box<Tree>, Box<Tree>, Box<Tree>, Box<Tree>),
}

/// A value with its derivative, the bounds of both errors, and the distance to the next jump of
/// whatever it went through.
#[derive(Clone, Copy, Debug)]
pub struct Dual {
    pub value: f64,
    pub slope: f64,
    pub value_error: f64,
    pub slope_error: f64,
    /// Least relative distance of an argument from a place where something jumps or has a kink.
    pub margin: f64,
}

impl Dual {
    fn constant(value: f64) -> Self {
        Dual {
            value,
            slope: 0.0,
            value_error: 0.0,
            slope_error: 0.0,
            margin: f64::INFINITY,
        }
    }

    fn add(self, o: Self) -> Self {
        let (value, slope) = (self.value + o.value, self.slope + o.slope);
        let scale = self.value.abs() + o.value.abs();
        let slope_scale = self.slope.abs() + o.slope.abs();
        Dual {
            value,
            slope,
            value_error: self.value_error + o.value_error + UNIT * scale,
            slope_error: self.slope_error + o.slope_error + UNIT * slope_scale,
            margin: self.margin.min(o.margin),
        }
    }

    fn mul(self, o: Self) -> Self {
        let (a, b) = (self, o);
        let cross = (a.slope * b.value).abs() + (a.value * b.slope).abs();
        Dual {
            value: a.value * b.value,
            slope: a.slope * b.value + a.value * b.slope,
            value_error: a.value.abs() * b.value_error
                + b.value.abs() * a.value_error
                + UNIT * (a.value * b.value).abs(),
            slope_error: a.slope.abs() * b.value_error
                + b.value.abs() * a.slope_error
                + b.slope.abs() * a.value_error
                + a.value.abs() * b.slope_error
                + UNIT * cross,
            margin: a.margin.min(b.margin),
        }
    }

    fn scale(self, factor: f64) -> Self {
        self.mul(Dual::constant(factor))
    }

    /// f(self) from f, f' and f''.
    fn chain(self, [f, df, ddf]: [f64; 3]) -> Self {
        Dual {
            value: f,
            slope: df * self.slope,
            value_error: df.abs() * self.value_error + UNIT * f.abs(),
            slope_error: df.abs() * self.slope_error
                + (ddf * self.slope).abs() * self.value_error
                + UNIT * (df * self.slope).abs(),
            margin: self.margin,
        }
    }

    fn near(mut self, distance: f64, scale: f64) -> Self {
        self.margin = self.margin.min(distance.abs() / (1.0 + scale.abs()));
        self
    }

    fn square_plus_one(self) -> Self {
        self.mul(self).add(Dual::constant(1.0))
    }

    fn power(self, p: f64) -> Self {
        let x = self.value;
        let at = |k: f64| x.powf(p - k);
        self.chain([at(0.0), p * at(1.0), p * (p - 1.0) * at(2.0)])
    }

    fn reciprocal(self) -> Self {
        let r = 1.0 / self.value;
        self.chain([r, -r * r, 2.0 * r * r * r])
    }

    fn function(self, name: &str) -> Self {
        let x = self.value;
        let (s, c, e) = (x.sin(), x.cos(), x.exp());
        let one = 1.0 + x * x;
        match name {
            "sin" => self.chain([s, c, -s]),
            "cos" => self.chain([c, -s, -c]),
            "tan" => {
                let t = x.tan();
                self.chain([t, 1.0 + t * t, 2.0 * t * (1.0 + t * t)])
            }
            "atan" => self.chain([x.atan(), 1.0 / one, -2.0 * x / (one * one)]),
            "tanh" => {
                let t = x.tanh();
                self.chain([t, 1.0 - t * t, -2.0 * t * (1.0 - t * t)])
            }
            "exp" => self.chain([e, e, e]),
            "sinh" => self.chain([x.sinh(), x.cosh(), x.sinh()]),
            "cosh" => self.chain([x.cosh(), x.sinh(), x.cosh()]),
            "ln" => self.chain([x.ln(), 1.0 / x, -1.0 / (x * x)]),
            "sqrt" => self.power(0.5),
            "abs" => {
                let side = if x > 0.0 { 1.0 } else { -1.0 };
                self.near(x, 0.0).scale(side)
            }
            "sign" => {
                let side = if x > 0.0 { 1.0 } else { -1.0 };
                self.near(x, 0.0).chain([side, 0.0, 0.0])
            }
            _ => {
                let f = x.floor(); // "floor"
                self.near((x - x.round()).abs(), x).chain([f, 0.0, 0.0])
            }
        }
    }
}

impl Tree {
    /// Value and derivative in the direction of variable `by` at the point.
    pub fn evaluate(&self, at: &[f64; 3], by: usize) -> Dual {
        let of = |tree: &Tree| tree.evaluate(at, by);
        match self {
            Tree::Number(value) => Dual::constant(*value),
            Tree::Variable(i) => {
                let mut dual = Dual::constant(at[*i]);
                dual.slope = f64::from(u8::from(*i == by));
                dual
            }
            Tree::Negative(a) => of(a).scale(-1.0),
            Tree::Add(a, b) => of(a).add(of(b)),
            Tree::Sub(a, b) => of(a).add(of(b).scale(-1.0)),
            Tree::Mul(a, b) => of(a).mul(of(b)),
            Tree::Div(a, b) => of(a).mul(of(b).square_plus_one().reciprocal()),
            Tree::Power(a, n) => (1..*n).fold(of(a), |product, _| product.mul(of(a))),
            Tree::RealPower(a, p) => of(a).square_plus_one().power(*p),
            Tree::Function(name, a) => guarded(name, of(a)).function(name),
            Tree::Angle(a, b) => {
                let quotient = of(a).mul(of(b).square_plus_one().reciprocal());
                quotient.function("atan")
            }
            Tree::Hypot(a, b) => {
                let (a, b) = (of(a), of(b).square_plus_one());
                a.mul(a).add(b.mul(b)).power(0.5)
            }
            Tree::Min(a, b) => pick(of(a), of(b), |a, b| a < b),
            Tree::Max(a, b) => pick(of(a), of(b), |a, b| a > b),
            Tree::Mod(a, b) => {
                let (a, b) = (of(a), of(b).square_plus_one());
                let turns = a.mul(b.reciprocal()).function("floor");
                a.add(b.mul(turns).scale(-1.0))
            }
            Tree::If(a, b, c, d) => {
                let (a, b) = (of(a), of(b));
                let taken = if a.value < b.value { of(c) } else { of(d) };
                let mut taken = taken.near(a.value - b.value, a.value);
                taken.margin = taken.margin.min(a.margin).min(b.margin);
                taken
            }
        }
    }

    /// The tree in the crate's language.
    pub fn text(&self) -> String {
        match self {
            Tree::Number(value) if *value < 0.0 => format!("({value:?})"),
            Tree::Number(value) => format!("{value:?}"),
            Tree::Variable(i) => ["x", "y", "z"][*i].to_string(),
            Tree::Negative(a) => format!("(-{})", a.text()),
            Tree::Add(a, b) => format!("({} + {})", a.text(), b.text()),
            Tree::Sub(a, b) => format!("({} - {})", a.text(), b.text()),
            Tree::Mul(a, b) => format!("({}*{})", a.text(), b.text()),
            Tree::Div(a, b) => format!("({}/(({})^2 + 1))", a.text(), b.text()),
            Tree::Power(a, n) => format!("({})^{n}", a.text()),
            Tree::RealPower(a, p) => format!("(({})^2 + 1)^({p})", a.text()),
            Tree::Function(name, a) => match *name {
                "ln" | "sqrt" => format!("{name}(({})^2 + 1)", a.text()),
                "exp" | "sinh" | "cosh" | "tan" => format!("{name}(sin({}))", a.text()),
                _ => format!("{name}({})", a.text()),
            },
            Tree::Angle(a, b) => format!("atan2({}, ({})^2 + 1)", a.text(), b.text()),
            Tree::Hypot(a, b) => format!("hypot({}, ({})^2 + 1)", a.text(), b.text()),
            Tree::Min(a, b) => format!("min({}, {})", a.text(), b.text()),
            Tree::Max(a, b) => format!("max({}, {})", a.text(), b.text()),
            Tree::Mod(a, b) => format!("mod({}, ({})^2 + 1)", a.text(), b.text()),
            Tree::If(a, b, c, d) => {
                let (a, b, c, d) = (a.text(), b.text(), c.text(), d.text());
                format!("if({a} < {b}, {c}, {d})")
            }
        }
    }
}

/// The argument as [`Tree::text`] writes it for the function.
fn guarded(name: &str, a: Dual) -> Dual {
    match name {
        "ln" | "sqrt" => a.square_plus_one(),
        "exp" | "sinh" | "cosh" | "tan" => a.function("sin"),
        _ => a,
    }
}

fn pick(a: Dual, b: Dual, first: fn(f64, f64) -> bool) -> Dual {
    let mut taken = if first(a.value, b.value) { a } else { b };
    taken.margin = a.margin.min(b.margin);
    taken.near(a.value - b.value, a.value)
}

const FUNCTIONS: [&str; 13] = [
    "sin", "tan", "atan", "tanh", "exp", "sinh", "cosh", "ln", "sqrt", "abs", "sign", "floor",
    "cos",
];

/// Random trees; without cosines if asked.
pub fn trees(cosines: bool) -> impl Strategy<Value = Tree> {
    let constants = prop_oneof![
        prop::sample::select(vec![0.0, 1.0, -1.0, 2.0, 0.5, 3.0]),
        -3.0..3.0_f64,
    ];
    let leaf = prop_oneof![
        1 => constants.prop_map(Tree::Number),
        2 => (0..3_usize).prop_map(Tree::Variable),
    ];
    let functions = FUNCTIONS[..if cosines { 13 } else { 12 }].to_vec();
    leaf.prop_recursive(6, 48, 4, move |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (one.clone(), one.clone());
        prop_oneof![
            one.clone().prop_map(Tree::Negative),
            two.clone().prop_map(|(a, b)| Tree::Add(a, b)),
            two.clone().prop_map(|(a, b)| Tree::Sub(a, b)),
            two.clone().prop_map(|(a, b)| Tree::Mul(a, b)),
            two.clone().prop_map(|(a, b)| Tree::Mul(a, b)),
            two.clone().prop_map(|(a, b)| Tree::Div(a, b)),
            (one.clone(), 1..5_i32).prop_map(|(a, n)| Tree::Power(a, n)),
            (
                one.clone(),
                prop::sample::select(vec![0.5, -0.5, 1.5, -2.0, 0.3])
            )
                .prop_map(|(a, p)| Tree::RealPower(a, p)),
            (one.clone(), prop::sample::select(functions.clone()))
                .prop_map(|(a, name)| Tree::Function(name, a)),
            two.clone().prop_map(|(a, b)| Tree::Angle(a, b)),
            two.clone().prop_map(|(a, b)| Tree::Hypot(a, b)),
            two.clone().prop_map(|(a, b)| Tree::Min(a, b)),
            two.clone().prop_map(|(a, b)| Tree::Max(a, b)),
            two.clone().prop_map(|(a, b)| Tree::Mod(a, b)),
            (two.clone(), two).prop_map(|((a, b), (c, d))| Tree::If(a, b, c, d)),
        ]
    })
}

/// Random points.
pub fn points() -> impl Strategy<Value = [f64; 3]> {
    [-2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64]
}
