//! Energetic, LZB and user-given impact laws against closed forms and independent integrations.

use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_mechanism::impact::{ImpactResult, resolve};
use percuss_mechanism::{
    ConfigurationSpace, Constraint, ConstraintKind, ImpactLaw, MechanismError, StateRef, System,
    SystemError,
};

type Map = Box<dyn Fn(&[f64], &[usize]) -> Vec<f64>>;

/// A system at one configuration: A, and constraints with constant rows.
struct Blow {
    chart: ConfigurationSpace,
    mass: Vec<f64>,
    constraints: Vec<Constraint>,
    rows: Vec<Vec<f64>>,
    boundary: Vec<f64>,
    laws: Vec<Law>,
    restitution: Vec<f64>,
    stiffness: Vec<f64>,
    exponent: f64,
    map: Option<Map>,
}

impl Blow {
    fn new(mass: &[f64]) -> Self {
        let n = mass.len();
        let mut matrix = vec![0.0; n * n];
        (0..n).for_each(|i| matrix[i * n + i] = mass[i]);
        Self {
            chart: ConfigurationSpace::euclidean(n),
            mass: matrix,
            constraints: Vec::new(),
            rows: Vec::new(),
            boundary: Vec::new(),
            laws: Vec::new(),
            restitution: Vec::new(),
            stiffness: Vec::new(),
            exponent: 1.5,
            map: None,
        }
    }

    fn with(mut self, kind: ConstraintKind, rows: &[&[f64]], law: Law, e: f64, k: f64) -> Self {
        let name = format!("c{}", self.constraints.len());
        self.constraints
            .push(Constraint::new(name, kind, rows.len()));
        self.rows.push(rows.concat());
        self.boundary.push(0.0);
        self.laws.push(law);
        self.restitution.push(e);
        self.stiffness.push(k);
        self
    }

    fn contact(self, rows: &[&[f64]], law: Law, e: f64, k: f64) -> Self {
        self.with(ConstraintKind::Contact, rows, law, e, k)
    }

    /// v⁺ of an impact of all contacts.
    fn blow(&mut self, law: ImpactLaw, v: &[f64]) -> Result<ImpactResult, MechanismError> {
        let contacts: Vec<usize> = (0..self.constraints.len())
            .filter(|i| self.constraints[*i].is_contact())
            .collect();
        let q = vec![0.0; v.len()];
        let at = StateRef { t: 0.0, q: &q, v };
        resolve(law, self, at, &contacts, 1e-12)
    }
}

impl System for Blow {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        format!("q{i}")
    }
    fn velocity_name(&self, i: usize) -> String {
        format!("v{i}")
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    fn dynamics(
        &mut self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        mass.copy_from_slice(&self.mass);
        force.fill(0.0);
        Ok(())
    }
    fn gaps(&mut self, _t: f64, _q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        gaps.fill(0.0);
        Ok(())
    }
    fn rows(
        &mut self,
        i: usize,
        _t: f64,
        _q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        jacobian.copy_from_slice(&self.rows[i]);
        boundary.fill(0.0);
        boundary[0] = self.boundary[i];
        Ok(())
    }
    fn bias(
        &mut self,
        _i: usize,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        bias.fill(0.0);
        Ok(())
    }
    fn law(
        &mut self,
        i: usize,
        _at: StateRef<'_>,
        _h: f64,
        _previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(self.laws[i].clone())
    }
    fn restitution(&mut self, i: usize, _at: StateRef<'_>) -> Result<Restitution, SystemError> {
        Ok(Restitution {
            normal: self.restitution[i],
            tangential: 0.0,
        })
    }
    fn impact_map(
        &mut self,
        at: StateRef<'_>,
        closed: &[usize],
        after: &mut [f64],
    ) -> Result<bool, SystemError> {
        match &self.map {
            None => Ok(false),
            Some(map) => {
                after.copy_from_slice(&map(at.v, closed));
                Ok(true)
            }
        }
    }
    fn contact_stiffness(&mut self, i: usize, _at: StateRef<'_>) -> Result<f64, SystemError> {
        Ok(self.stiffness[i])
    }
    fn stiffness_exponent(&self) -> f64 {
        self.exponent
    }
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let worst = off.fold(0.0, f64::max);
    assert!(
        found.len() == expected.len() && worst <= tolerance,
        "{found:?} instead of {expected:?}: {worst:e}"
    );
}

/// A rod of mass m and half length l at the angle θ to the floor, hit at its lower end: (x, y, φ), rows normal, tangent.
fn rod(m: f64, l: f64, theta: f64, mu: f64, e: f64) -> Blow {
    let (s, c) = theta.sin_cos();
    Blow::new(&[m, m, m * l * l / 3.0]).contact(
        &[&[0.0, 1.0, -l * c], &[1.0, 0.0, l * s]],
        Law::Coulomb { mu },
        e,
        1.0,
    )
}

/// W of the rod at its lower end: W_nn, W_nt, W_tt.
fn rod_compliance(m: f64, l: f64, theta: f64) -> [f64; 3] {
    let (s, c) = theta.sin_cos();
    let inertia = m * l * l / 3.0;
    [
        1.0 / m + l * l * c * c / inertia,
        -l * l * s * c / inertia,
        1.0 / m + l * l * s * s / inertia,
    ]
}

/// Stronge 1990: the rod falls with a little slip, which stops in compression and reverses, because μ < |W_nt|/W_tt.
#[test]
fn energetic_restitution_of_a_rod_whose_slip_reverses_is_stronges() {
    let (m, l, theta, mu) = (2.0, 0.7, 1.0, 0.2);
    let [nn, nt, tt] = rod_compliance(m, l, theta);
    assert!(mu < nt.abs() / tt);
    for e in [0.0, 0.3, 0.8, 1.0] {
        // The floor drives the tip towards +t through W_nt < 0 … the tip slides to −t afterwards.
        let v = [0.1, -1.0, 0.0];
        let (un, ut) = (v[1], v[0]);
        // Slip towards +t until p_s, then towards −t.
        let p_s = ut / (mu * tt - nt);
        let at_stop = un + (nn - mu * nt) * p_s;
        assert!(at_stop < 0.0, "slip stops in compression");
        let slope = nn + mu * nt;
        let p_c = p_s - at_stop / slope;
        let compression =
            -(un * p_s + 0.5 * (nn - mu * nt) * p_s * p_s) + 0.5 * at_stop * at_stop / slope;
        let p_f = p_c + e * (2.0 * compression / slope).sqrt();
        let tangential = -mu * p_s + mu * (p_f - p_s);
        let found = rod(m, l, theta, mu, e)
            .blow(ImpactLaw::Energetic, &v)
            .unwrap();
        // A few roundings of numbers of order 1.
        near(&found.impulse[0].impulse, &[p_f, tangential], 1e-14 * 10.0);
        assert!(found.energy_after <= found.energy_before);
    }
}

/// Independent: the equations of Stronge in the impulse p, by small explicit steps.
fn march(w: [f64; 3], begin: [f64; 2], mu: f64, e: f64) -> [f64; 2] {
    let [nn, nt, tt] = w;
    let dp = 1e-6;
    let ([mut un, mut ut], mut p, mut s, mut work, mut most) = (begin, 0.0, 0.0, 0.0_f64, 0.0_f64);
    while un < 0.0 || work + e * e * most < 0.0 {
        // Friction: the bound against slip, or what stops it within this step.
        let stop = -(ut + nt * dp) / (tt * dp);
        let rate = stop.clamp(-mu, mu);
        let before = un;
        un += (nn + nt * rate) * dp;
        ut += (nt + tt * rate) * dp;
        work += 0.5 * (before + un) * dp;
        if un < 0.0 {
            most = work;
        }
        (p, s) = (p + dp, s + rate * dp);
        // Work of expansion is what came after the lowest point.
        if un >= 0.0 && work - most >= -e * e * most {
            break;
        }
    }
    [p, s]
}

#[test]
fn energetic_restitution_agrees_with_small_steps_through_all_kinds_of_slip() {
    let (m, l) = (1.3, 0.5);
    for theta in [0.4, 1.0, 1.4] {
        for mu in [0.0, 0.1, 0.5, 1.5] {
            for slip in [-1.0, -0.05, 0.0, 0.05, 1.0] {
                let w = rod_compliance(m, l, theta);
                let own = march(w, [-1.0, slip], mu, 0.6);
                let v = [slip, -1.0, 0.0];
                let found = rod(m, l, theta, mu, 0.6).blow(ImpactLaw::Energetic, &v);
                // Steps of 1e-6 and a last one that passes the end.
                near(&found.unwrap().impulse[0].impulse, &own, 1e-5);
            }
        }
    }
}

#[test]
fn one_contact_of_the_lzb_law_is_energetic_whatever_its_stiffness() {
    for (k, exponent) in [(1.0, 1.5), (1e7, 1.0), (0.02, 3.0)] {
        for (theta, mu, slip) in [
            (1.0, 0.2, 0.1),
            (0.4, 0.5, -1.0),
            (1.4, 1.5, 0.05),
            (0.7, 0.0, 1.0),
        ] {
            let v = [slip, -1.0, 0.3];
            let mut body = rod(1.3, 0.5, theta, mu, 0.6);
            let exact = body.blow(ImpactLaw::Energetic, &v).unwrap();
            (body.stiffness[0], body.exponent) = (k, exponent);
            let found = body.blow(ImpactLaw::Lzb, &v).unwrap();
            // The integration has a tolerance of 1e-14 in a step and takes some thousand.
            near(&found.velocity, &exact.velocity, 1e-11);
        }
    }
}

fn cradle(masses: &[f64], stiffness: &[f64], e: f64, exponent: f64) -> Blow {
    let n = masses.len();
    let mut all = Blow::new(masses);
    for i in 0..n - 1 {
        let mut row = vec![0.0; n];
        (row[i], row[i + 1]) = (-1.0, 1.0);
        all = all.contact(&[&row], Law::Frictionless, e, stiffness[i]);
    }
    all.exponent = exponent;
    all
}

/// The law as its authors write it, in energies and impulses with the largest force as the clock, by Runge's and Kutta's
/// method of order four with small equal steps of that clock.
fn by_energies(masses: &[f64], stiffness: &[f64], e: f64, eta: f64, v: &[f64]) -> Vec<f64> {
    let (n, c) = (masses.len(), stiffness.len());
    let force = |i: usize, energy: f64| {
        let power = eta / (eta + 1.0);
        stiffness[i].powf(1.0 / (eta + 1.0)) * ((eta + 1.0) * energy.max(0.0)).powf(power)
    };
    let slope = |y: &[f64]| -> Vec<f64> {
        let (v, energy) = y.split_at(n);
        let mut d = vec![0.0; n + c];
        for i in 0..c {
            let (f, u) = (force(i, energy[i]), v[i + 1] - v[i]);
            d[i] -= f / masses[i];
            d[i + 1] += f / masses[i + 1];
            d[n + i] = if u < 0.0 { -u * f } else { -u * f / (e * e) };
        }
        d
    };
    // E = 0 stays 0 for ever: the law starts from seeds.
    let mut y: Vec<f64> = v.iter().copied().chain(vec![0.0; c]).collect();
    let h = 1e-4;
    loop {
        for i in 0..c {
            if y[i + 1] - y[i] < 0.0 {
                y[n + i] = y[n + i].max(1e-18);
            }
        }
        let k1 = slope(&y);
        let at = |k: &[f64], f: f64| -> Vec<f64> {
            y.iter().zip(k).map(|(y, k)| y + f * h * k).collect()
        };
        let k2 = slope(&at(&k1, 0.5));
        let k3 = slope(&at(&k2, 0.5));
        let k4 = slope(&at(&k3, 1.0));
        for i in 0..n + c {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        for i in 0..c {
            if y[n + i] < 1e-18 && y[i + 1] >= y[i] {
                y[n + i] = 0.0;
            }
        }
        let open = (0..c).all(|i| y[n + i] <= 1e-17 && y[i + 1] - y[i] >= 0.0);
        if open {
            return y[..n].to_vec();
        }
    }
}

#[test]
fn the_lzb_law_agrees_with_its_equations_in_energies() {
    for (masses, stiffness, e, eta) in [
        (vec![1.0, 1.0, 1.0], vec![1.0, 1.0], 1.0, 1.5),
        (vec![1.0, 1.0, 1.0], vec![1.0, 1.0], 1.0, 1.0),
        (vec![1.0, 2.0, 0.5], vec![1.0, 3.0], 0.8, 1.5),
        (vec![1.0; 5], vec![1.0; 4], 0.9, 1.5),
    ] {
        let mut v = vec![0.0; masses.len()];
        v[0] = 1.0;
        let found = cradle(&masses, &stiffness, e, eta)
            .blow(ImpactLaw::Lzb, &v)
            .unwrap();
        let own = by_energies(&masses, &stiffness, e, eta, &v);
        // The seeds of 1e-18 delay a contact by the cube root of their size, 1e-6 or so of its impulse.
        near(&found.velocity, &own, 2e-5);
        let momentum: f64 = masses.iter().zip(&found.velocity).map(|(m, v)| m * v).sum();
        assert!((momentum - masses[0]).abs() < 1e-12);
        if e == 1.0 {
            // Each contact gives back what it took: errors of the integration alone.
            assert!((found.energy_after - 0.5).abs() < 1e-11);
        }
    }
}

/// With a contact that is much stiffer than the next, the chain is one pair after the other.
#[test]
fn stiffness_ratios_lead_to_the_sequential_law() {
    let mut rows = cradle(&[1.0, 1.0, 1.0], &[1e8, 1.0], 1.0, 1.0);
    let found = rows.blow(ImpactLaw::Lzb, &[1.0, 0.0, 0.0]).unwrap();
    // The duration of the first impact over that of the second is 1e-4.
    near(&found.velocity, &[0.0, 0.0, 1.0], 1e-3);
    // Only ratios of stiffness matter.
    let a = cradle(&[1.0, 2.0, 3.0], &[1.0, 5.0], 0.7, 1.5).blow(ImpactLaw::Lzb, &[3.0, 0.0, -1.0]);
    let b = cradle(&[1.0, 2.0, 3.0], &[1e6, 5e6], 0.7, 1.5).blow(ImpactLaw::Lzb, &[3.0, 0.0, -1.0]);
    near(&a.unwrap().velocity, &b.unwrap().velocity, 1e-13);
}

/// A rod whose upper end is held by a pin that can only slide along x: with the joint, and in two coordinates.
#[test]
fn joints_are_eliminated_exactly() {
    let (m, l, theta) = (1.0, 0.5, 0.9_f64);
    let (s, c) = theta.sin_cos();
    let inertia = m * l * l / 3.0;
    // ẏ = −l c φ̇ at the upper end, so that y follows φ.
    let normal = [0.0, 1.0, -l * c];
    let tangent = [1.0, 0.0, l * s];
    for law in [ImpactLaw::Energetic, ImpactLaw::Lzb] {
        let phi = 2.0;
        let full = Blow::new(&[m, m, inertia])
            .contact(&[&normal, &tangent], Law::Coulomb { mu: 0.3 }, 0.5, 1.0)
            .with(
                ConstraintKind::Joint,
                &[&[0.0, 1.0, l * c]],
                Law::Bilateral,
                0.0,
                1.0,
            )
            .blow(law, &[0.2, -l * c * phi, phi])
            .unwrap();
        let mut reduced = Blow::new(&[m, inertia + m * l * l * c * c]);
        reduced = reduced.contact(
            &[&[0.0, -2.0 * l * c], &[1.0, l * s]],
            Law::Coulomb { mu: 0.3 },
            0.5,
            1.0,
        );
        let reduced = reduced.blow(law, &[0.2, phi]).unwrap();
        near(
            &[full.velocity[0], full.velocity[2]],
            &reduced.velocity,
            1e-11,
        );
        near(&full.impulse[0].impulse, &reduced.impulse[0].impulse, 1e-11);
        // The joint holds, and its impulse closes the balance of momentum.
        let momentum = m * (full.velocity[1] + l * c * phi);
        let given = full.impulse[0].impulse[0] + full.impulse[1].impulse[0];
        assert!((momentum - given).abs() < 1e-11);
    }
}

#[test]
fn the_energetic_law_refuses_several_contacts_and_names_them() {
    let error = cradle(&[1.0; 3], &[1.0, 1.0], 1.0, 1.5)
        .blow(ImpactLaw::Energetic, &[1.0, 0.0, 0.0])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`c0` and `c1`") && error.contains("lzb"),
        "{error}"
    );
    let error = cradle(&[1.0; 3], &[1.0, 1.0], 0.0, 1.5)
        .blow(ImpactLaw::Lzb, &[1.0, 0.0, 0.0])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("at least 0.01, not 0") && error.contains("`c0`"),
        "{error}"
    );
}

fn mapped(map: impl Fn(&[f64], &[usize]) -> Vec<f64> + 'static) -> Blow {
    let mut all = cradle(&[1.0; 3], &[1.0, 1.0], 1.0, 1.5);
    all.map = Some(Box::new(map));
    all
}

#[test]
fn an_admissible_map_is_taken_with_the_impulses_that_it_needs() {
    // The outcome of figure 1.2b of B02, and one between it and that of figure 1.2c.
    for share in [0.0, 0.4, 1.0] {
        let b = [0.0, 0.0, 1.0];
        let c = [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
        let after: Vec<f64> = (0..3)
            .map(|i| (1.0 - share) * b[i] + share * c[i])
            .collect();
        let wanted = after.clone();
        let mut system = mapped(move |v, closed| {
            assert_eq!((v, closed), (&[1.0, 0.0, 0.0][..], &[0, 1][..]));
            wanted.clone()
        });
        let found = system.blow(ImpactLaw::Map, &[1.0, 0.0, 0.0]).unwrap();
        assert_eq!(found.velocity, after);
        let own = [1.0 - after[0], after[2]];
        // The tolerance of the contact problem is 1e-12.
        near(
            &[found.impulse[0].impulse[0], found.impulse[1].impulse[0]],
            &own,
            1e-10,
        );
    }
}

#[test]
fn a_map_that_violates_a_condition_is_refused_and_says_which() {
    let words = |after: [f64; 3]| {
        let found = mapped(move |_, _| after.to_vec()).blow(ImpactLaw::Map, &[1.0, 0.0, 0.0]);
        found.unwrap_err().to_string()
    };
    let still = words([0.6, 0.2, 0.2]);
    assert!(
        still.contains("`c0` still approaches") && still.contains("1.11"),
        "{still}"
    );
    // The second contact would have to pull.
    let pulls = words([0.5, 0.6, -0.1]);
    assert!(
        pulls.contains("still approaches") || pulls.contains("no impulses"),
        "{pulls}"
    );
    let lost = words([-0.1, 0.5, 0.5]);
    assert!(
        lost.contains("no impulses S >= 0") && lost.contains("1.11"),
        "{lost}"
    );
    let gains = words([-0.5, 0.5, 1.0]);
    assert!(
        gains.contains("raise the kinetic energy") && gains.contains("1.12"),
        "{gains}"
    );
    let wrong = words([0.0, f64::NAN, 1.0]);
    assert!(wrong.contains("a finite number was expected"), "{wrong}");
    let none = cradle(&[1.0; 3], &[1.0, 1.0], 1.0, 1.5).blow(ImpactLaw::Map, &[1.0, 0.0, 0.0]);
    assert!(none.unwrap_err().to_string().contains("none is given"));
}

/// A wall that moves towards a ball: (1.12) is about velocities relative to it, and an elastic map returns v⁻ + 2w.
#[test]
fn a_moving_wall_may_give_energy_but_not_more_than_an_elastic_impact() {
    let wall = |after: f64| {
        let mut ball = Blow::new(&[2.0]).contact(&[&[1.0]], Law::Frictionless, 1.0, 1.0);
        // U = v + 3: the wall comes with the speed 3 from below −x.
        ball.boundary[0] = -3.0;
        ball.map = Some(Box::new(move |_, _| vec![after]));
        ball.blow(ImpactLaw::Map, &[-1.0])
    };
    assert_eq!(wall(7.0).unwrap().velocity, [7.0]);
    assert!(wall(7.1).unwrap_err().to_string().contains("1.12"));
    assert!(
        wall(2.9)
            .unwrap_err()
            .to_string()
            .contains("still approaches")
    );
    for law in [ImpactLaw::Energetic, ImpactLaw::Lzb] {
        let mut ball = Blow::new(&[2.0]).contact(&[&[1.0]], Law::Frictionless, 0.5, 1.0);
        ball.boundary[0] = -3.0;
        // U⁺ = −e U⁻: U goes from −4 to 2.
        near(&ball.blow(law, &[-1.0]).unwrap().velocity, &[5.0], 1e-11);
    }
}

/// Sequential, Poisson's and canonical impacts were refused wherever a moving boundary raised the kinetic energy. The
/// wall of speed 3 gives a ball of mass 2 the work S·3, S = 4(2 + 2e); with e = 1 the energy goes from 1 to 49.
#[test]
fn the_work_of_a_moving_wall_is_no_gain_of_an_impact_law() {
    for law in [
        ImpactLaw::Sequential,
        ImpactLaw::Poisson,
        ImpactLaw::Canonical,
    ] {
        for (e, after) in [(1.0, 7.0), (0.5, 5.0), (0.0, 3.0)] {
            let mut ball = Blow::new(&[2.0]).contact(&[&[1.0]], Law::Frictionless, e, 1.0);
            ball.boundary[0] = -3.0;
            // A dozen operations on numbers below 50, and the solve to 1e-12.
            near(&ball.blow(law, &[-1.0]).unwrap().velocity, &[after], 1e-11);
        }
    }
}
