//! Registers for the results of a list of operations.
//!
//! Linear scan: operations are in order of evaluation, a register is taken for each result and
//! given back after the last operation that reads it. Fixed values keep theirs for ever, outputs to
//! the end of the run.

use std::collections::HashMap;

use super::lower::{Code, Lowering, Pattern, TapePhase, Tape};
use super::tape::{Instruction, NARROW, Op};
use crate::node::{Node, NodeId};

/// Registers for the leaves and results of a list of operations.
pub(super) struct Allocation {
    /// Register of each node that has one at present or had one last.
    register: HashMap<NodeId, u32>,
    /// The last operation that reads a node; outputs are read after all.
    last_use: HashMap<NodeId, usize>,
    free: Vec<u32>,
    registers: u32,
    fixed: Vec<NodeId>,
    loads: Vec<(u32, u32)>,
    /// The cosine computed together with each sine, and the reverse.
    partner: HashMap<NodeId, NodeId>,
}

impl Allocation {
    pub(super) fn new(
        lowering: &Lowering<'_>,
        patterns: &[(NodeId, Pattern)],
        leaves: &[NodeId],
        outputs: &[NodeId],
    ) -> Self {
        let mut last_use = HashMap::new();
        for (time, (_, pattern)) in patterns.iter().enumerate() {
            for &operand in pattern.operands.iter().flatten() {
                last_use.insert(operand, time);
            }
        }
        for &output in outputs {
            last_use.insert(output, patterns.len());
        }
        let is_loaded = |id: &NodeId| match lowering.graph.node(*id) {
            Node::Input(slot) => Some(slot),
            Node::Parameter(slot) if lowering.stage == TapePhase::Binding => Some(slot),
            _ => None,
        };
        let (loaded, fixed): (Vec<_>, Vec<_>) = leaves.iter().partition(|x| is_loaded(x).is_some());
        let mut allocation = Allocation {
            register: HashMap::new(),
            last_use,
            free: Vec::new(),
            registers: 0,
            fixed,
            loads: Vec::new(),
            partner: partners(patterns),
        };
        for id in allocation.fixed.clone() {
            // Fixed values outlive the run.
            allocation.last_use.insert(id, usize::MAX);
            allocation.take(id);
        }
        for id in loaded {
            let register = allocation.take(id);
            let slot = is_loaded(&id).unwrap_or(0);
            allocation.loads.push((slot, register));
        }
        allocation
    }

    fn take(&mut self, id: NodeId) -> u32 {
        let register = self.free.pop().unwrap_or_else(|| {
            self.registers += 1;
            self.registers - 1
        });
        self.register.insert(id, register);
        register
    }

    pub(super) fn finish(mut self, patterns: &[(NodeId, Pattern)], outputs: &[NodeId]) -> Code {
        let mut tape = Vec::with_capacity(patterns.len());
        for (time, &(id, pattern)) in patterns.iter().enumerate() {
            if self.register.contains_key(&id) {
                continue; // the partner of a sine or cosine
            }
            tape.push(self.instruction(time, id, pattern));
        }
        let outputs = outputs.iter().map(|output| self.register[output]).collect();
        let registers = self.registers as usize;
        let tape = match registers <= NARROW {
            true => Tape::Narrow(tape.iter().map(narrow).collect()),
            false => Tape::Wide(tape),
        };
        Code {
            tape,
            fixed: self.fixed,
            loads: self.loads,
            outputs,
            registers,
        }
    }

    fn instruction(&mut self, time: usize, id: NodeId, pattern: Pattern) -> Instruction<u32> {
        let at = |x: Option<NodeId>| x.map_or(0, |x| self.register[&x]);
        let [a, b, c, e] = pattern.operands.map(at);
        // Results may go where an operand was: operands are read first. An operand that a skipped
        // partner reads last is kept until then, which is harmless.
        let mut done: Vec<NodeId> = pattern.operands.iter().flatten().copied().collect();
        done.sort_unstable();
        done.dedup();
        for operand in done {
            if self.last_use.get(&operand) == Some(&time) {
                self.free.push(self.register[&operand]);
            }
        }
        let d = self.take(id);
        let op = pattern.op;
        match self.partner.get(&id).copied() {
            Some(partner) => {
                let other = self.take(partner);
                let (sine, cosine) = match op {
                    Op::Sin => (d, other),
                    _ => (other, d),
                };
                let op = Op::SinCos;
                Instruction {
                    op,
                    d: sine,
                    a,
                    b: cosine,
                    c,
                    e,
                }
            }
            None => Instruction { op, d, a, b, c, e },
        }
    }
}

/// Sines and cosines of one angle, each by the other.
fn partners(patterns: &[(NodeId, Pattern)]) -> HashMap<NodeId, NodeId> {
    let angle_of = |pattern: &Pattern, op| match pattern.op == op {
        true => pattern.operands[0],
        false => None,
    };
    let sines: HashMap<NodeId, NodeId> = patterns
        .iter()
        .filter_map(|(id, pattern)| Some((angle_of(pattern, Op::Sin)?, *id)))
        .collect();
    let mut pairs = HashMap::new();
    for (cosine, pattern) in patterns {
        let sine = angle_of(pattern, Op::Cos).and_then(|angle| sines.get(&angle));
        if let Some(&sine) = sine {
            pairs.insert(sine, *cosine);
            pairs.insert(*cosine, sine);
        }
    }
    pairs
}

/// The same instruction for a file of 256 registers; the caller knows that all numbers fit.
fn narrow(wide: &Instruction<u32>) -> Instruction<u8> {
    let Instruction { op, d, a, b, c, e } = *wide;
    let [d, a, b, c, e] = [d, a, b, c, e].map(|register| register as u8);
    Instruction { op, d, a, b, c, e }
}
