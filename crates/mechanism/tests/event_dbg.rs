mod common;
use common::*;
use contact::Law;
use mechanism::*;
#[test]
fn dbg() {
    let (slope, mu) = (0.3, 0.5);
    let g = 9.81;
    let model = Model::new(3, move |_, _, _, k| k.copy_from_slice(&[0.0, g * slope, -g]))
        .constraint("plane", Kind::Contact, 3)
        .gaps(|_, q, gaps| gaps[0] = q[2])
        .rows(|_, _, _, g, _| {
            g[2] = 1.0;
            g[3] = 1.0;
            g[7] = 1.0;
        })
        .law(move |_, _, _, _| Law::Coulomb { mu });
    let speed = 1.0_f64.hypot(-0.4);
    let time = (mu * speed + slope * -0.4) / (g * (mu * mu - slope * slope));
    for step in [0.05, time / 4.0, 0.01] {
    let mut motion = start(model_clone(mu, slope), step, 0.0, &[0.0; 3], &[1.0, -0.4, 0.0]);
    while motion.state().t < 0.4 {
        motion.advance().unwrap();
        let s = motion.state();
        let left = (mu * s.v[0].hypot(s.v[1]) + slope * s.v[1]) / (g * (mu * mu - slope * slope));
        println!("{} v {:?} T {:e} steps {} {:?}", s.t, s.v, s.t + left - time, motion.ledger().iterations, motion.events());
    }
    }
    let _ = model;
}
fn model_clone(mu: f64, slope: f64) -> Model {
    let g = 9.81;
    Model::new(3, move |_, _, _, k| k.copy_from_slice(&[0.0, g * slope, -g]))
        .constraint("plane", Kind::Contact, 3)
        .gaps(|_, q, gaps| gaps[0] = q[2])
        .rows(|_, _, _, g, _| {
            g[2] = 1.0;
            g[3] = 1.0;
            g[7] = 1.0;
        })
        .law(move |_, _, _, _| Law::Coulomb { mu })
}
