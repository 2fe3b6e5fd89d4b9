//! Roofline of the contact sweeps: their throughput against the limits of the machine, measured in the same
//! run.
//!
//! Bandwidth: read (sum of an array) and triad (a = b + s c, ordinary stores, 32 bytes an element with the
//! write-allocate line). Arithmetic: fused multiply-adds on twelve independent registers. A sweep over balls
//! moves, for each contact, its share of a SIMD pack (read, and the part that changes written back) and the
//! rows of its bodies, each once; what the interfaces between partitions fetch again is not counted.

use percuss_solve::Nlgs;
use serde_json::json;

use crate::clock::{Progress, elapsed, timed};
use crate::engine::words;
use crate::lattice::lattice;
use crate::limits::{multiply_add, read, triad};
use crate::options::Options;
use crate::ratio::{Bound, Ratio};
use crate::report::{Part, Table, aim, short};

/// Bytes of a cache line.
const LINE: usize = 64;

/// Memory traffic of a sweep per contact, counted from the data layout of `percuss_solve::simd`.
///
/// A pack of four contacts of two balls: contact indices (16 B), body indices (32), two axes (192), masses and
/// lever arms (128), 1/H (64), μ and κ (64), the free velocity (96), impulse, search direction and last step
/// (288): 880 B, 14 cache lines; what changes takes the last five lines. A body has three lines, all read and
/// written: its velocity, the one where the sweep began, and the one of the search direction
/// (`motion::ExtrapolateKernel`).
pub mod layout {
    use super::LINE;

    /// Bytes read of a pack.
    pub const PACK: usize = 14 * LINE;
    /// Bytes of a pack written back.
    pub const CHANGED: usize = 5 * LINE;
    /// Bytes of a body, all of them written back.
    pub const BODY: usize = 3 * LINE;

    /// Bytes per contact, given the number of bodies per contact.
    pub fn traffic(bodies_per_contact: f64) -> f64 {
        (PACK + CHANGED) as f64 / 4.0 + (2 * BODY) as f64 * bodies_per_contact
    }
}

/// Million contact updates per second over a lattice of balls, on one thread and on two, and bytes per contact
/// and sweep.
#[derive(Debug, Clone, Copy)]
struct Rate {
    balls: usize,
    contacts: usize,
    million: [f64; 2],
    bytes: f64,
}

/// The minimum over repetitions of a long call less that of a short one, because packing the contacts is no
/// part of a sweep: CPU time on one thread, wall time on two.
fn sweeps(balls: usize, repeats: usize) -> Result<Rate, String> {
    let problem = lattice(balls).map_err(words)?;
    let contacts = problem.num_contacts();
    // Some milliseconds per call: on a busy machine short calls find both cores free now and then.
    let count = (1_000_000 / contacts).clamp(3, 400);
    // Sweeps from memory take tenths of a second each, and fewer repetitions suffice.
    let repeats = (repeats * count / 8).clamp(5, 20 * repeats);
    let mut impulse = vec![0.0; problem.num_rows()];
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .map_err(words)?;
    let mut million = [0.0; 2];
    let mut progress = Progress::new(format!("sweeps over {balls} balls"), 2 * repeats);
    for (threads, million) in million.iter_mut().enumerate() {
        let mut relaxation = Nlgs::default();
        let mut work = |count: usize| {
            let mut sweep = || relaxation.sweep(&problem, &mut impulse, count);
            if threads == 0 {
                timed(sweep).0
            } else {
                elapsed(|| pool.install(&mut sweep)).0
            }
        };
        work(10);
        let mut least = [f64::INFINITY; 2];
        for repeat in 0..repeats {
            for (least, count) in least.iter_mut().zip([1, 1 + count]) {
                *least = least.min(work(count));
            }
            progress.at(threads * repeats + repeat + 1);
        }
        *million = 1e-6 * (contacts * count) as f64 / (least[1] - least[0]);
    }
    Ok(Rate {
        balls,
        contacts,
        million,
        bytes: layout::traffic(balls as f64 / contacts as f64),
    })
}

/// Limits of the machine by number of threads: read, triad, multiply-add.
fn measure(part: &mut Part, repeats: usize) -> [[f64; 3]; 2] {
    let mut progress = Progress::new("limits of the machine", 6);
    let mut limits = [[0.0; 3]; 2];
    for (k, threads) in [1, 2].into_iter().enumerate() {
        // Bandwidths and arithmetic, on one thread and on two.
        limits[k][0] = read(threads, repeats);
        progress.at(3 * k + 1);
        limits[k][1] = triad(threads, repeats);
        progress.at(3 * k + 2);
        limits[k][2] = multiply_add(threads, repeats);
        progress.at(3 * k + 3);
    }
    drop(progress);
    let mut table = Table::new(&["limit", "1 thread", "2 threads"]);
    let names = ["read, GB/s", "triad, GB/s", "fused multiply-add, GFLOP/s"];
    for (k, name) in names.into_iter().enumerate() {
        table.row([name.into(), short(limits[0][k]), short(limits[1][k])]);
    }
    part.table(&table);
    limits
}

/// Targets: small problems from the caches, the largest from memory, two threads.
fn aims(rates: &[(Rate, [f64; 2])]) -> String {
    let ([(small, _), ..], [.., (large, share)]) = (rates, rates) else {
        return String::new();
    };
    // Parallel speed-up of the largest problem.
    let gain = large.million[1] / large.million[0];
    [
        aim(
            "50 million contact sweeps a second and core in the caches",
            small.million[0] >= 50.0,
        ),
        aim(
            &format!("60 % of one thread's bandwidth with {} balls", large.balls),
            share[0] >= 0.6,
        ),
        aim("60 % of the machine's there, two threads", share[1] >= 0.6),
        aim("two threads 1.8 times as fast as one there", gain >= 1.8),
    ]
    .join(" ")
}

/// Ratios of sweeps to the machine's bandwidth, and of two threads to one.
fn ratios(part: &mut Part, rates: &[(Rate, [f64; 2])], limits: &[[f64; 3]; 2]) {
    for (at, (rate, _)) in rates.iter().enumerate() {
        let name = |what: &str| format!("sweeps.{}.{what}", rate.balls);
        let large = at + 1 == rates.len();
        // Share of the triad bandwidth; the target holds for the largest problem.
        for (k, threads) in ["one_thread", "two_threads"].into_iter().enumerate() {
            let own = 1e-3 * rate.million[k] * rate.bytes;
            let name = name(&format!("bandwidth.{threads}"));
            let ratio = Ratio::new(&name, "GB/s", own, ("triad", limits[k][1]));
            let aim = Bound::AtLeast(0.6);
            part.ratios.push(if large { ratio.aim(aim) } else { ratio });
        }
        let unit = "million contact sweeps/s";
        let one = ("percuss on one thread", rate.million[0]);
        let gain = Ratio::new(&name("gain_of_two_threads"), unit, rate.million[1], one);
        let aim = Bound::AtLeast(1.8);
        part.ratios.push(if large { gain.aim(aim) } else { gain });
        // The rate from the caches has a target of its own.
        if at == 0 {
            let aimed = ("what is aimed at in the caches", 50.0);
            let rate = Ratio::new(&name("rate"), unit, rate.million[0], aimed);
            part.ratios.push(rate.aim(Bound::AtLeast(1.0)));
        }
    }
}

/// Measures the limits of the machine, then the sweeps.
pub fn part(options: &Options) -> Result<Part, String> {
    let mut part = Part::new("roofline");
    let repeats = if options.quick { 5 } else { 15 };
    // Limits of the machine.
    let limits = measure(&mut part, 4 * repeats);
    let sizes: &[usize] = if options.quick {
        &[512, 8_000, 125_000]
    } else {
        &[512, 1_000, 8_000, 64_000, 1_000_000]
    };
    let mut table = Table::new(&[
        "balls",
        "contacts",
        "million contact sweeps/s, 1 thread",
        "2 threads",
        "gain",
        "bytes per contact and sweep",
        "GB/s, 1 thread",
        "of the triad's bandwidth, 1 thread, %",
        "2 threads, %",
    ]);
    let mut rates = Vec::new();
    // Throughput and its share of the triad bandwidth.
    for &balls in sizes {
        let rate = sweeps(balls, repeats)?;
        let bandwidth = rate.million.map(|million| 1e-3 * million * rate.bytes);
        let share = [0, 1].map(|k| bandwidth[k] / limits[k][1]);
        table.row([
            rate.balls.to_string(),
            rate.contacts.to_string(),
            short(rate.million[0]),
            short(rate.million[1]),
            short(rate.million[1] / rate.million[0]),
            short(rate.bytes),
            short(bandwidth[0]),
            short(100.0 * share[0]),
            short(100.0 * share[1]),
        ]);
        rates.push((rate, share));
    }
    part.table(&table);
    part.say(aims(&rates));
    ratios(&mut part, &rates, &limits);
    part.figures = json!({
        "read_GB_s": [limits[0][0], limits[1][0]],
        "triad_GB_s": [limits[0][1], limits[1][1]],
        "fma_GFLOP_s": [limits[0][2], limits[1][2]],
        "sweeps": rates.iter().map(|(rate, share)| json!({
            "balls": rate.balls,
            "contacts": rate.contacts,
            "million_contact_sweeps_per_second": rate.million,
            "bytes": rate.bytes,
            "share_of_triad": share,
        })).collect::<Vec<_>>(),
    });
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_of_a_lattice_is_that_of_its_lines() {
        // (14 + 5) lines for four contacts, and a quarter of a body per contact.
        assert_eq!(layout::traffic(1.0 / 4.0), 19.0 * 16.0 + 96.0);
    }
}
