use contact::*;
use solve::*;
fn load(path: &str) -> Problem {
    let f = fclib::read(path.as_ref()).unwrap();
    match f.form {
        fclib::Form::Local(l) => Problem::from_matrix(l.spacedim, &l.w.row_ptr, &l.w.col, &l.w.val, l.q, &l.mu).unwrap(),
        fclib::Form::Global(g) => {
            let n = g.m.rows;
            let mut b = Kinetic::builder();
            let mut diag = vec![0.0; n];
            for i in 0..n { for k in g.m.row_ptr[i]..g.m.row_ptr[i + 1] { if g.m.col[k] == i { diag[i] = g.m.val[k] } } }
            for i in (0..n).step_by(6) {
                let mut m = vec![0.0; 36];
                let mut v = vec![0.0; 6];
                for k in 0..6 { m[k * 6 + k] = diag[i + k]; v[k] = g.f[i + k] / diag[i + k]; }
                b.group(&m, &v, &[0.0; 6]).unwrap();
            }
            let nc = g.mu.len();
            let mut blocks: Vec<std::collections::BTreeMap<usize, Vec<f64>>> = vec![Default::default(); nc];
            for i in 0..n { for k in g.h.row_ptr[i]..g.h.row_ptr[i + 1] {
                let c = g.h.col[k];
                blocks[c / 3].entry(i / 6).or_insert(vec![0.0; 18])[(c % 3) * 6 + i % 6] = g.h.val[k];
            } }
            for a in 0..nc {
                let t: Vec<(usize, &[f64])> = blocks[a].iter().map(|(k, v)| (*k, v.as_slice())).collect();
                b.contact(Law::Coulomb { mu: g.mu[a] }, &t, &g.w[3 * a..3 * a + 3], Restitution::default()).unwrap();
            }
            b.build().unwrap()
        }
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let tol: f64 = args[2].parse().unwrap();
    let max: usize = args[3].parse().unwrap();
    for path in &args[4..] {
        let p = load(path);
        let goal = Goal { tolerance: tol, measure: Measure::File, max_iterations: (max > 0).then_some(max), keep_history: true };
        let mut r = vec![0.0; p.num_rows()];
        let mut s = by_name(&args[1]).unwrap();
        let t = std::time::Instant::now();
        let rep = s.solve(&p, &mut r, &goal);
        let dt = t.elapsed().as_secs_f64();
        let hit = |x: f64| rep.history.iter().find(|h| h.1 <= x).map_or("-".into(), |h| h.0.to_string());
        let j = Judge::new(&p).judge(&p, &r);
        println!("{:38} {:6} {} {:?} it {} R1 {:.1e} R2 {:.1e} 1e-4 {} 1e-6 {} 1e-8 {} {:.3}s", path.rsplit('/').next().unwrap(), p.num_contacts(), rep.method(), rep.outcome, rep.iterations, j.r1, j.r2, hit(1e-4), hit(1e-6), hit(1e-8), dt);
    }
}
