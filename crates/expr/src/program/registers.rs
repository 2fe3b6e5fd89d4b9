//! Register allocation by linear scan.
//!
//! Instructions are in order of evaluation; a register is allocated for each result and released after the last
//! instruction that reads it. Fixed values keep their registers from run to run, outputs to the end of the run.

use std::collections::HashMap;

use super::lower::{Code, Lowering, Pattern, Tape, TapePhase};
use super::tape::{Instruction, NARROW, Op};
use crate::node::{Node, NodeId};

/// State of the register allocation of one tape.
pub(super) struct Allocation {
    /// Register of each node that has one now, or had one last.
    register: HashMap<NodeId, u32>,
    /// Last instruction that reads a node; outputs are read after all.
    last_use: HashMap<NodeId, usize>,
    /// Released registers.
    free: Vec<u32>,
    registers: u32,
    fixed: Vec<NodeId>,
    loads: Vec<(u32, u32)>,
    /// Sine and cosine of the same angle, each by the other: one instruction.
    partner: HashMap<NodeId, NodeId>,
}

impl Allocation {
    /// Computes last uses and allocates the registers of the leaves.
    pub(super) fn new(
        lowering: &Lowering<'_>,
        patterns: &[(NodeId, Pattern)],
        leaves: &[NodeId],
        outputs: &[NodeId],
    ) -> Self {
        // Lifetimes: the last reader of each node.
        let mut last_use = HashMap::new();
        for (time, (_, pattern)) in patterns.iter().enumerate() {
            for &operand in pattern.operands.iter().flatten() {
                last_use.insert(operand, time);
            }
        }
        for &output in outputs {
            last_use.insert(output, patterns.len());
        }
        // Leaves are loaded at each run or fixed.
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

    /// Allocates a register for a node.
    fn take(&mut self, id: NodeId) -> u32 {
        let register = self.free.pop().unwrap_or_else(|| {
            self.registers += 1;
            self.registers - 1
        });
        self.register.insert(id, register);
        register
    }

    /// Allocates all results and emits the tape.
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
        // One-byte register numbers where they suffice.
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

    /// Emits one instruction.
    fn instruction(&mut self, time: usize, id: NodeId, pattern: Pattern) -> Instruction<u32> {
        let at = |x: Option<NodeId>| x.map_or(0, |x| self.register[&x]);
        let [a, b, c, e] = pattern.operands.map(at);
        // A result may take the register of an operand: operands are read first. An operand that a skipped partner
        // reads last is kept until then, which is harmless.
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
        // Sine and cosine of one angle share an instruction.
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
    // Sines by angle, then the cosine of the same angle.
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

/// The same instruction with one-byte register numbers, which the caller knows to fit.
fn narrow(wide: &Instruction<u32>) -> Instruction<u8> {
    let Instruction { op, d, a, b, c, e } = *wide;
    let [d, a, b, c, e] = [d, a, b, c, e].map(|register| register as u8);
    Instruction { op, d, a, b, c, e }
}
