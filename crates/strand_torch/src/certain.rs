//! Value checks that can't fail, which the text leaves out.

use strand_ir::{Domain, Expr, ExprKind, LocalId, LocalKind, Size, StmtKind};
use strand_ops::{DType, OpId};

use crate::linear::changes;
use crate::writer::Writer;

impl Writer<'_, '_> {
    /// Whether every element of a value belongs to a domain, whatever the inputs are.
    pub(crate) fn is_certain(&self, value: &Expr, domain: &Domain) -> bool {
        match &value.kind {
            ExprKind::Int(number) => match domain {
                Domain::Index(axis) => {
                    *number >= 0 && self.is_below(&Size::constant(*number), &axis.size)
                }
                _ => float_belongs(*number as f64, domain),
            },
            ExprKind::Float(number) => float_belongs(*number, domain),
            ExprKind::Literal { elements, .. } => {
                elements.iter().all(|e| self.is_certain(e, domain))
            }
            ExprKind::Lift(inner)
            | ExprKind::As { value: inner, .. }
            | ExprKind::Rearrange { value: inner, .. } => self.is_certain(inner, domain),
            ExprKind::Map { lambda, .. } => self.is_certain(&lambda.body, domain),
            ExprKind::Local(local) => {
                let only = self.only_value(*local);
                only.is_some_and(|value| self.is_certain(value, domain))
            }
            ExprKind::Op {
                op, args, params, ..
            } => {
                let Domain::Index(axis) = domain else {
                    return false;
                };
                self.indexes(*op, args, params, &axis.size)
            }
            _ => false,
        }
    }

    /// Whether an operation gives whole numbers from 0 up to, without, a size.
    fn indexes(&self, op: OpId, args: &[Expr], params: &[(&str, Expr)], size: &Size) -> bool {
        let given = |name: &str| params.iter().find(|(key, _)| *key == name);
        let number = |e: &Expr| match &e.kind {
            ExprKind::Lift(inner) => self.cx.program.size_of(inner),
            _ => self.cx.program.size_of(e),
        };
        match op {
            OpId::Remainder => {
                // Nothing remains of a division by 0, which fails.
                let most = args.get(1).and_then(&number);
                let dtype = args.first().and_then(|e| e.ty.tensor()).map(|ty| ty.dtype);
                most.is_some_and(|most| {
                    let ground = most.ground(self.cx.symbols());
                    let stays = match ground.as_constant() {
                        Some(most) => most > 0 && dtype.is_none_or(|dtype| holds(dtype, most)),
                        None => {
                            most.as_symbol().is_some() && matches!(dtype, None | Some(DType::I64))
                        }
                    };
                    stays && self.reaches(size, &most)
                })
            }
            OpId::Clamp => {
                let bounds = args
                    .get(1)
                    .and_then(&number)
                    .zip(args.get(2).and_then(&number));
                let belongs = |bound: &Size| {
                    self.reaches(bound, &Size::default()) && self.is_below(bound, size)
                };
                bounds.is_some_and(|(low, high)| belongs(&low) && belongs(&high))
            }
            OpId::RandInt => {
                let bounds = given("low").zip(given("high"));
                let bounds = bounds.and_then(|(low, high)| number(&low.1).zip(number(&high.1)));
                bounds.is_some_and(|(low, high)| {
                    self.reaches(&low, &Size::default()) && self.reaches(size, &high)
                })
            }
            _ => false,
        }
    }

    /// Whether one size is less than another for certain.
    fn is_below(&self, size: &Size, other: &Size) -> bool {
        let next = size.add(&Size::constant(1));
        next.is_ok_and(|next| self.reaches(other, &next))
    }

    /// Whether one size is at least another for certain: dims have their values, and what else is
    /// in them is in both.
    fn reaches(&self, size: &Size, other: &Size) -> bool {
        let symbols = self.cx.symbols();
        let more = size.ground(symbols).sub(&other.ground(symbols));
        more.is_ok_and(|more| more.as_constant().is_some_and(|more| more >= 0))
    }

    /// The value of a variable that one statement binds, and nothing else changes.
    fn only_value(&self, local: LocalId) -> Option<&Expr> {
        if self.body.local(local).kind != LocalKind::Variable {
            return None;
        }
        let mut values = Vec::new();
        let mut is_changed = false;
        for stmt in &self.body.stmts {
            stmt.each(&mut |stmt| match &stmt.kind {
                StmtKind::Bind {
                    local: Some(bound),
                    value,
                } if *bound == local => values.push(value),
                StmtKind::Unpack { locals, .. } => is_changed |= locals.contains(&Some(local)),
                StmtKind::SetIndex { local: changed, .. } => is_changed |= *changed == local,
                _ => {}
            });
            stmt.each_expr(&mut |e| is_changed |= changes(e, local, self.cx.program));
        }
        match values.as_slice() {
            [value] if !is_changed => Some(value),
            _ => None,
        }
    }
}

/// Whether a number that isn't negative is the same as an element of a dtype of whole numbers.
fn holds(dtype: DType, number: i64) -> bool {
    match dtype {
        DType::U8 => number <= i64::from(u8::MAX),
        DType::I8 => number <= i64::from(i8::MAX),
        DType::I16 => number <= i64::from(i16::MAX),
        DType::I32 => number <= i64::from(i32::MAX),
        DType::I64 => true,
        _ => false,
    }
}

/// Whether a written number belongs to a domain of floats, whatever dtype it is rounded to.
fn float_belongs(number: f64, domain: &Domain) -> bool {
    match domain {
        Domain::Plain => true,
        Domain::Prob => (0.0..=1.0).contains(&number),
        Domain::NonNegative => number >= 0.0,
        Domain::Index(_) | Domain::Positive | Domain::Finite => false,
    }
}
