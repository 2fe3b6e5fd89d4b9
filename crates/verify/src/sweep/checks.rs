//! The checks of a sweeping process, and their bounds.

use super::super::report::Report;

/// Name, meaning and bound of every check of a time-stepping method. Bounds are at least a hundred times the effect
/// of rounding and of the accuracy of projections (1e-12 of 1 + |u|).
const CHECKS: [(&str, &str, f64); 18] = [
    (
        "rows",
        "rows of a recorded step against the number of constraints of its account",
        0.0,
    ),
    (
        "times",
        "t_F - t_I = h, and instants of fixed steps; relative to t and h",
        1e-12,
    ),
    (
        "start",
        "the first state is that of the scene; relative to coordinates",
        1e-12,
    ),
    ("velocity", "v = (u_F - u_I)/h; relative to v", 1e-12),
    (
        "set",
        "how far u is outside C(t), where the method puts it inside; over 1 + |u|",
        1e-11,
    ),
    (
        "inclusion",
        "A(u_F - u_I) = hAw + sum of S grad gap, where the method takes them; relative to the terms, \
         coordinate by coordinate",
        1e-12,
    ),
    (
        "laws",
        "S >= 0, and gap = 0 where S > 0; over the sum of S, and over 1 + |u|",
        1e-11,
    ),
    (
        "cone",
        "parts of steps whose multipliers are not recorded: distance to the cone of normals of the closed \
         constraints; over 1 + |u|",
        1e-10,
    ),
    (
        "gap",
        "gaps and joints at the end against contacts and account; over 1 + |u|",
        1e-11,
    ),
    (
        "begin",
        "begin = G v of the step before + W; relative to its terms",
        1e-11,
    ),
    ("end", "end = G v + W; relative to its terms", 1e-11),
    (
        "penetration",
        "distance of u_F outside C(t_F) against the account; over 1 + |u|",
        1e-11,
    ),
    (
        "residual",
        "distance to the normal cone against the account, and what `reached` claims",
        1e-10,
    ),
    (
        "retraction",
        "by how much a step is longer than C retracted and the drift explain; over 1 + |u|",
        1e-11,
    ),
    (
        "variation",
        "length of the path from the start, against the account; relative to it",
        1e-10,
    ),
    (
        "retracted",
        "retraction of C from the start: against the account where it is computed here, else that it never falls \
         and that no step is longer than it and the drift; relative to it and to 1 + |u|",
        1e-9,
    ),
    (
        "gain",
        "variation beyond retraction of the whole run against the account",
        1e-9,
    ),
    (
        "events",
        "contacts that begin or cease to act against the events of the step",
        0.0,
    ),
];

/// Declares all checks.
pub(super) fn declare_checks(report: &mut Report, event: bool) {
    for (name, meaning, bound) in CHECKS {
        let time_stepper = ["inclusion", "cone", "retraction", "events"];
        if !(event && time_stepper.contains(&name)) {
            report.declare(name, meaning, bound);
        }
    }
    if event {
        let rate = "rates of the gaps of closed contacts under the forces at the end; relative to their terms";
        report.declare("rate", rate, 1e-10);
        report.skip(
            "event-driven: the path between recorded instants is an integral that the records do not hold; \
             what is compared is the point, the forces and the velocity of the gaps at these instants",
        );
    }
}
