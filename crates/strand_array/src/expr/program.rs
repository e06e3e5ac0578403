//! From nodes to steps with explicit casts and registers.

use std::cell::Cell;

use super::{Expr, Node};
use crate::dtype::{DType, Scalar};
use crate::error::{ArrayError, Result};
use crate::ops::{BinaryOp, UnaryOp};

/// What a step computes. Operands are numbers of earlier steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Code {
    Load(usize),
    Const(Scalar),
    Unary(UnaryOp, usize),
    Binary(BinaryOp, usize, usize),
    Select(usize, usize, usize),
    Cast(usize),
    /// Rounds a value of the wider type to one that the step's type has.
    Round(usize),
}

/// One value of the evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) code: Code,
    pub(crate) dtype: DType,
    /// The register that the value lies in, of `Program::registers`.
    pub(crate) register: usize,
}

/// Steps in order, with only what the results need.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    /// Steps that are results, in the order asked for.
    pub(crate) results: Vec<usize>,
    /// Dtype of each register.
    pub(crate) registers: Vec<DType>,
    /// Names of the operations.
    pub(crate) names: Vec<&'static str>,
    /// Whether a compiled loop ran it.
    pub(crate) was_compiled: Cell<bool>,
}

impl Code {
    pub(crate) fn uses(self, step: usize) -> bool {
        self.operands().contains(&Some(step))
    }

    pub(crate) fn operands(self) -> [Option<usize>; 3] {
        match self {
            Self::Load(_) | Self::Const(_) => [None; 3],
            Self::Unary(_, a) | Self::Cast(a) | Self::Round(a) => [Some(a), None, None],
            Self::Binary(_, a, b) => [Some(a), Some(b), None],
            Self::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        }
    }
}

impl Program {
    /// Compiles the nodes that `results` need; each result is a node, perhaps cast.
    pub(crate) fn compile(expr: &Expr, results: &[(usize, Option<DType>)]) -> Result<Self> {
        let needed = reachable(expr, results)?;
        let mut program = Self::default();
        let mut place = vec![0; expr.nodes.len()];
        for (n, node) in expr.nodes.iter().enumerate() {
            if needed.get(n) == Some(&true) {
                let at = program.add(expr, *node, &place)?;
                if let Some(p) = place.get_mut(n) {
                    *p = at;
                }
            }
        }
        for &(node, dtype) in results {
            let at = place.get(node).copied().unwrap_or_default();
            let at = match dtype {
                Some(dtype) => program.cast(at, dtype)?,
                None => at,
            };
            program.results.push(at);
        }
        program.assign_registers();
        Ok(program)
    }

    /// How many steps compute something.
    pub(crate) fn computed(&self) -> usize {
        let given = |step: &&Step| matches!(step.code, Code::Load(_) | Code::Const(_));
        self.steps.len() - self.steps.iter().filter(given).count()
    }

    fn add(&mut self, expr: &Expr, node: Node, place: &[usize]) -> Result<usize> {
        let at = |n: usize| place.get(n).copied().unwrap_or_default();
        match node {
            Node::Input(k) => {
                let input = expr.inputs.get(k).ok_or(ArrayError::BadExpr {
                    why: "a node refers to an input that isn't there",
                })?;
                let dtype = input.dtype();
                if input.descr().is_swapped() || dtype.widened().is_none() {
                    return Err(ArrayError::Unsupported { op: "load", dtype });
                }
                Ok(self.push(Code::Load(k), dtype))
            }
            Node::Const(value) => Ok(self.push(Code::Const(value), value.dtype())),
            Node::Unary(op, a) => {
                let (operand, result) = op.types(self.dtype(at(a))?)?;
                let a = self.operand(at(a), operand)?;
                self.names.push(op.name());
                Ok(self.push_rounded(Code::Unary(op, a), result))
            }
            Node::Binary(op, a, b) => {
                let (operand, result) = op.types(self.dtype(at(a))?, self.dtype(at(b))?)?;
                let a = self.operand(at(a), operand)?;
                let b = self.operand(at(b), operand)?;
                self.names.push(op.name());
                if let Some(simpler) = self.power_by_constant(op, a, b, result) {
                    return Ok(simpler);
                }
                Ok(self.push_rounded(Code::Binary(op, a, b), result))
            }
            Node::Select(c, a, b) => {
                let result = self.dtype(at(a))?.promote(self.dtype(at(b))?);
                let c = self.operand(at(c), DType::Bool)?;
                let a = self.operand(at(a), result)?;
                let b = self.operand(at(b), result)?;
                self.names.push("where");
                Ok(self.push(Code::Select(c, a, b), result))
            }
            Node::Cast(dtype, a) => {
                if self.dtype(at(a))? != dtype {
                    self.names.push(dtype.conversion());
                }
                self.cast(at(a), dtype)
            }
        }
    }

    /// PyTorch computes these powers by multiplication, division and square root.
    fn power_by_constant(
        &mut self,
        op: BinaryOp,
        a: usize,
        b: usize,
        dtype: DType,
    ) -> Option<usize> {
        let Code::Const(exponent) = self.steps.get(b)?.code else {
            return None;
        };
        if op != BinaryOp::Pow || !dtype.is_float() {
            return None;
        }
        let exponent = exponent.to_f64();
        let unary = |program: &mut Self, op, a| program.push_rounded(Code::Unary(op, a), dtype);
        Some(match exponent {
            2.0 => unary(self, UnaryOp::Square, a),
            3.0 => {
                let square = unary(self, UnaryOp::Square, a);
                self.push_rounded(Code::Binary(BinaryOp::Mul, square, a), dtype)
            }
            0.5 => unary(self, UnaryOp::Sqrt, a),
            -0.5 => unary(self, UnaryOp::Rsqrt, a),
            -1.0 => unary(self, UnaryOp::Reciprocal, a),
            -2.0 => {
                let square = unary(self, UnaryOp::Square, a);
                unary(self, UnaryOp::Reciprocal, square)
            }
            _ => return None,
        })
    }

    fn dtype(&self, step: usize) -> Result<DType> {
        self.steps
            .get(step)
            .map(|s| s.dtype)
            .ok_or(ArrayError::BadExpr {
                why: "no such step",
            })
    }

    fn push(&mut self, code: Code, dtype: DType) -> usize {
        self.steps.push(Step {
            code,
            dtype,
            register: 0,
        });
        self.steps.len() - 1
    }

    /// As `push`, with the result rounded if its type is computed in a wider one.
    fn push_rounded(&mut self, code: Code, dtype: DType) -> usize {
        let at = self.push(code, dtype);
        if dtype.wide().is_some() {
            at
        } else {
            self.push(Code::Round(at), dtype)
        }
    }

    /// An operand in the type that an operation takes, with the conversion among the names if there is one.
    fn operand(&mut self, step: usize, dtype: DType) -> Result<usize> {
        let before = self.steps.len();
        let made = self.cast(step, dtype)?;
        let converts = self
            .steps
            .get(before..)
            .is_some_and(|new| new.iter().any(|step| matches!(step.code, Code::Cast(_))));
        if converts {
            self.names.push(dtype.conversion());
        }
        Ok(made)
    }

    fn cast(&mut self, step: usize, dtype: DType) -> Result<usize> {
        let found = self.dtype(step)?;
        if dtype.widened().is_none() {
            return Err(ArrayError::Unsupported { op: "to", dtype });
        }
        Ok(match self.steps.get(step).map(|s| s.code) {
            _ if found == dtype => step,
            Some(Code::Const(value)) => self.push(Code::Const(value.cast(dtype)), dtype),
            // A value in its own wider type is there already.
            _ if found.widened() == Some(dtype) => self.push(Code::Cast(step), dtype),
            _ if found.widened() == dtype.widened() => self.push(Code::Round(step), dtype),
            _ => self.push_rounded(Code::Cast(step), dtype),
        })
    }

    /// Gives each value a register and reuses one after its value's last use. Constants, which are
    /// filled once, and results keep theirs.
    fn assign_registers(&mut self) {
        let mut last = vec![0; self.steps.len()];
        for (i, step) in self.steps.iter().enumerate() {
            for operand in step.code.operands().into_iter().flatten() {
                if let Some(l) = last.get_mut(operand) {
                    *l = i;
                }
            }
        }
        for (i, step) in self.steps.iter().enumerate() {
            let lasting = matches!(step.code, Code::Const(_)) || self.results.contains(&i);
            if let (true, Some(l)) = (lasting, last.get_mut(i)) {
                *l = usize::MAX;
            }
        }
        let mut free: Vec<usize> = Vec::new();
        for i in 0..self.steps.len() {
            let Some(step) = self.steps.get(i).copied() else {
                continue;
            };
            let wide = step.dtype.widened().unwrap_or(step.dtype);
            // A constant's register holds its value from the start, so it can't be a used one.
            let reusable = if matches!(step.code, Code::Const(_)) {
                None
            } else {
                free.iter()
                    .position(|r| self.registers.get(*r) == Some(&wide))
            };
            let register = match reusable {
                Some(p) => free.swap_remove(p),
                None => {
                    self.registers.push(wide);
                    self.registers.len() - 1
                }
            };
            if let Some(s) = self.steps.get_mut(i) {
                s.register = register;
            }
            let operands = step.code.operands();
            for (at, operand) in operands.iter().enumerate() {
                let Some(operand) = *operand else { continue };
                let is_first = !operands.iter().take(at).any(|o| *o == Some(operand));
                if is_first && last.get(operand) == Some(&i) {
                    free.extend(self.steps.get(operand).map(|s| s.register));
                }
            }
        }
    }
}

/// Which nodes the results depend on.
fn reachable(expr: &Expr, results: &[(usize, Option<DType>)]) -> Result<Vec<bool>> {
    let mut needed = vec![false; expr.nodes.len()];
    for (node, _) in results {
        *needed.get_mut(*node).ok_or(ArrayError::BadExpr {
            why: "a result refers to no node",
        })? = true;
    }
    for n in (0..expr.nodes.len()).rev() {
        if needed.get(n) != Some(&true) {
            continue;
        }
        let operands = match expr.nodes.get(n) {
            Some(Node::Unary(_, a) | Node::Cast(_, a)) => [Some(*a), None, None],
            Some(Node::Binary(_, a, b)) => [Some(*a), Some(*b), None],
            Some(Node::Select(c, a, b)) => [Some(*c), Some(*a), Some(*b)],
            _ => [None; 3],
        };
        for operand in operands.into_iter().flatten() {
            if let Some(flag) = needed.get_mut(operand) {
                *flag = true;
            }
        }
    }
    Ok(needed)
}
