use scene::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    for name in &args[1..] {
        let t0 = std::time::Instant::now();
        let scene = match Scene::load(name) {
            Ok(s) => s,
            Err(e) => {
                println!("{name}: LOAD {e}");
                continue;
            }
        };
        if let Err(e) = check_findings(&scene) {
            println!("{name}: CHECK {e}");
            continue;
        }
        if std::env::var("CHECK").is_ok() {
            println!("{name}: ok");
            continue;
        }
        let built = match scene.build() {
            Ok(b) => b,
            Err(e) => {
                println!("{name}: BUILD {e}");
                continue;
            }
        };
        let out = run(built, &mut Discard, &mut |_| true);
        println!(
            "{name}: {:?}\n  stopped {:?} {:.2}s",
            out.certificate,
            out.stopped.as_ref().map(|s| s.to_string()),
            t0.elapsed().as_secs_f64()
        );
        match evaluate_findings(&scene, &out, Threads::all(), &mut |_, _| true) {
            Err(e) => println!("{name}: FIND {e}"),
            Ok(found) => {
                for f in found {
                    println!(
                        "   {:5} {} = {} expected {:?} tol {:?} most {:?} least {:?} {}",
                        f.ok.map_or("-".into(), |o| if o {
                            "ok".to_string()
                        } else {
                            "NOT".to_string()
                        }),
                        f.name,
                        f.value.map_or("null".into(), |v| v.to_string()),
                        f.expected.map(|v| v.to_string()),
                        f.tolerance,
                        f.at_most,
                        f.at_least,
                        f.reason.unwrap_or_default()
                    );
                }
            }
        }
        println!("  total {:.2}s", t0.elapsed().as_secs_f64());
    }
}
