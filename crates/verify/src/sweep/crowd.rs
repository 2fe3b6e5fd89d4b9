//! Crowd motion: discs that do not overlap, each step a projection of the desired displacement.
//!
//! ```text
//! D_ij = |q_j − q_i| − 2r ≥ 0,   D_iw = dist(q_i, wall) − r ≥ 0
//! q_I + h U(q_I) − q_F = −Σ λ ∇D(q_I),   λ ≥ 0,   λ (D(q_I) + ∇D(q_I)·(q_F − q_I)) = 0
//! ```
//!
//! Multipliers of a crowd are not recorded: whether some exist is decided by the distance to the cone of the closed
//! contacts, cluster by cluster of people in contact.

use percuss_scene::model::sweep::apps::crowd::Room;

use super::cone::Cone;
use super::metric::Metric;

/// Contacts of a cluster up to which its cone is evaluated: the cost grows with the fourth power.
const MOST: usize = 160;

/// A contact at the beginning of a step.
struct CrowdContact {
    one: usize,
    other: Option<usize>,
    /// Unit vector from `one` to the other.
    towards: [f64; 2],
    gap: f64,
}

fn centre(q: &[f64], i: usize) -> [f64; 2] {
    [q[2 * i], q[2 * i + 1]]
}

/// End points of the walls.
fn walls(room: &Room) -> [[[f64; 2]; 2]; 5] {
    let (back, side, post) = (-room.depth, 0.5 * room.width, 0.5 * room.door);
    [
        [[back, -side], [back, side]],
        [[back, -side], [0.0, -side]],
        [[back, side], [0.0, side]],
        [[0.0, -side], [0.0, -post]],
        [[0.0, post], [0.0, side]],
    ]
}

/// Contacts with a gap up to `reach`.
fn contacts(room: &Room, q: &[f64], reach: f64) -> Vec<CrowdContact> {
    let count = q.len() / 2;
    let mut all = Vec::new();
    let towards = |from: [f64; 2], to: [f64; 2]| {
        let d = [to[0] - from[0], to[1] - from[1]];
        let length = d[0].hypot(d[1]);
        ([d[0] / length, d[1] / length], length)
    };
    for one in 0..count {
        let x = centre(q, one);
        // Person to person.
        for other in one + 1..count {
            let (towards, length) = towards(x, centre(q, other));
            let gap = length - 2.0 * room.radius;
            if gap <= reach {
                all.push(CrowdContact {
                    one,
                    other: Some(other),
                    towards,
                    gap,
                });
            }
        }
        // Person to wall: nearest point of the segment.
        for [a, b] in walls(room) {
            let along = [b[0] - a[0], b[1] - a[1]];
            let square = along[0] * along[0] + along[1] * along[1];
            let s = ((x[0] - a[0]) * along[0] + (x[1] - a[1]) * along[1]) / square;
            let s = s.clamp(0.0, 1.0);
            let (towards, length) = towards(x, [a[0] + s * along[0], a[1] + s * along[1]]);
            let gap = length - room.radius;
            if gap <= reach {
                all.push(CrowdContact {
                    one,
                    other: None,
                    towards,
                    gap,
                });
            }
        }
    }
    all
}

/// The largest overlap, 0 where there is none, and the names of those concerned.
pub(super) fn overlap(room: &Room, q: &[f64]) -> (f64, String) {
    let all = contacts(room, q, 0.0);
    let worst = all.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
    worst.map_or((0.0, "all people".into()), |near| {
        let whom = match near.other {
            Some(other) => format!("people {} and {}", near.one + 1, other + 1),
            None => format!("person {} and a wall", near.one + 1),
        };
        ((-near.gap).max(0.0), whom)
    })
}

/// Desired velocity of everyone: to the door, and straight on behind it.
pub(super) fn desired_positions(room: &Room, q: &[f64]) -> Vec<f64> {
    let reach = 0.5 * (0.5 * room.door - room.radius);
    let each = (0..q.len() / 2).flat_map(|i| {
        let [x, y] = centre(q, i);
        let to = match x < 0.0 {
            true => [room.radius - x, y.clamp(-reach, reach) - y],
            false => [1.0, 0.0],
        };
        let length = to[0].hypot(to[1]).max(f64::MIN_POSITIVE);
        to.map(|d| room.speed * d / length)
    });
    each.collect()
}

/// A cluster of people in contact, and the distance of the step from the cone of its contacts; `None` where the
/// cluster is too large.
pub(super) struct CrowdCluster {
    pub people: Vec<usize>,
    pub off: Option<f64>,
}

/// The clusters of a step from `first` to `last` with the desired positions `goal`.
pub(super) fn groups(room: &Room, first: &[f64], goal: &[f64], last: &[f64]) -> Vec<CrowdCluster> {
    let count = first.len() / 2;
    // No gap closes by more than twice the longest displacement.
    let way = (0..count).fold(0.0_f64, |m, i| {
        let (a, b) = (centre(first, i), centre(last, i));
        m.max((a[0] - b[0]).hypot(a[1] - b[1]))
    });
    let mut closed = contacts(room, first, 2.0 * way + 1e-6 * room.radius);
    closed.retain(|near| {
        let rate = |i: usize| {
            let (a, b) = (centre(first, i), centre(last, i));
            near.towards[0] * (b[0] - a[0]) + near.towards[1] * (b[1] - a[1])
        };
        let change = near.other.map_or(0.0, rate) - rate(near.one);
        // The linearised constraint is active; a thousand times the rounding of a projection.
        near.gap + change <= 1e-11 * (1.0 + room.depth + room.width)
    });
    // Connected clusters by union–find.
    let mut head: Vec<usize> = (0..count).collect();
    fn root(head: &[usize], mut i: usize) -> usize {
        while head[i] != i {
            i = head[i];
        }
        i
    }
    for near in &closed {
        if let Some(other) = near.other {
            let (a, b) = (root(&head, near.one), root(&head, other));
            head[a.max(b)] = a.min(b);
        }
    }
    let heads: Vec<usize> = (0..count).map(|i| root(&head, i)).collect();
    let of = |lead: usize| (0..count).filter(|i| heads[*i] == lead).collect::<Vec<_>>();
    let leads = (0..count).filter(|i| heads[*i] == *i);
    leads
        .map(|lead| {
            let people = of(lead);
            let rows: Vec<&CrowdContact> = closed.iter().filter(|n| heads[n.one] == lead).collect();
            let off = (rows.len() <= MOST).then(|| remainder(&people, &rows, goal, last));
            CrowdCluster { people, off }
        })
        .collect()
}

fn remainder(people: &[usize], rows: &[&CrowdContact], goal: &[f64], last: &[f64]) -> f64 {
    let place = |i: usize| people.iter().position(|p| *p == i);
    let rows = rows.iter().map(|near| {
        let mut row = vec![0.0; 2 * people.len()];
        let sides = [(Some(near.one), 1.0), (near.other, -1.0)];
        for (who, sign) in sides {
            if let Some(at) = who.and_then(place) {
                row[2 * at] = sign * near.towards[0];
                row[2 * at + 1] = sign * near.towards[1];
            }
        }
        (row, false)
    });
    let both = people.iter().flat_map(|i| [2 * i, 2 * i + 1]);
    let y: Vec<f64> = both.map(|k| goal[k] - last[k]).collect();
    let cone = Cone {
        form: &Metric::Unit,
        rows: rows.collect(),
    };
    cone.distance(&y)
}
