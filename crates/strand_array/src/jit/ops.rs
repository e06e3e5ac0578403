//! The templates: what the block kernels compute, operation by operation.

use super::code::{Code, Place, simd};
use super::terms::{F4, asked, narrow, widen};
use crate::dtype::{DType, Wide};
use crate::kernels::{lanes, vector_math as vector};
use crate::ops::{BinaryOp, UnaryOp};

/// The vectors of a value: two where four elements are of 64 bits, else the first alone. A bool is a
/// choice of four lanes of 32 bits.
pub(super) type Parts = [Place; 2];

/// Instructions on one element type.
#[derive(Clone, Copy)]
pub(super) struct Ops {
    /// Whether elements are computed one at a time, in the first lane.
    pub(super) single: bool,
}

const ONE_F32: u64 = 0x3f80_0000_3f80_0000;
const ONE_F64: u64 = 0x3ff0_0000_0000_0000;
const INFINITY_F32: u64 = 0x7f80_0000_7f80_0000;
const INFINITY_F64: u64 = 0x7ff0_0000_0000_0000;

const I64_TRUNC_SAT_F64: [u8; 2] = [0xfc, 6];
const F32_CONVERT_I64: u8 = 0xb4;
const F64_CONVERT_I64: u8 = 0xb9;

/// The instruction for f64 that is like one for f32.
fn widened(op: u32) -> u32 {
    match op {
        simd::F32X4_CEIL => simd::F64X2_CEIL,
        simd::F32X4_FLOOR => simd::F64X2_FLOOR,
        simd::F32X4_TRUNC => simd::F64X2_TRUNC,
        simd::F32X4_NEAREST => simd::F64X2_NEAREST,
        simd::F32X4_EQ..=simd::F32X4_GE => op + 6,
        // From the absolute value to the last.
        _ => op + (simd::F64X2_ADD - simd::F32X4_ADD),
    }
}

impl Ops {
    /// Whether the type's value has a second vector.
    pub(super) fn has_second(self, kind: Wide) -> bool {
        !self.single && matches!(kind, Wide::I64 | Wide::F64)
    }

    /// A value whose parts `make` makes.
    fn parts(self, kind: Wide, make: impl Fn(usize) -> Place) -> Parts {
        let first = make(0);
        match self.has_second(kind) {
            true => [first, make(1)],
            false => [first; 2],
        }
    }

    /// One instruction on each part.
    fn each(self, kind: Wide, op: u32, operands: &[Parts]) -> Parts {
        let op = if kind == Wide::F64 { widened(op) } else { op };
        self.parts(kind, |part| {
            let mut places = [Place::local(0); 3];
            for (place, operand) in places.iter_mut().zip(operands) {
                *place = operand[part];
            }
            Code.apply(op, places.get(..operands.len()).unwrap_or_default())
        })
    }

    /// A constant in all lanes.
    fn all(self, f32: u64, f64: u64, kind: Wide) -> Parts {
        [Code.bits(if kind == Wide::F64 { f64 } else { f32 }); 2]
    }

    fn zero(self) -> Parts {
        [Code.bits(0); 2]
    }

    /// Choices of lanes of 64 bits as those of 32.
    fn narrow_mask(self, kind: Wide, [low, high]: Parts) -> Parts {
        match self.has_second(kind) {
            true => {
                let lanes = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
                [Code.shuffle(low, high, lanes); 2]
            }
            false => [low; 2],
        }
    }

    /// Choices of lanes of 32 bits as those of the type.
    fn fit_mask(self, kind: Wide, mask: Parts) -> Parts {
        match kind {
            Wide::Bool | Wide::F32 => mask,
            Wide::I64 | Wide::F64 => self.parts(kind, |part| {
                let op = [simd::I64X2_EXTEND_LOW, simd::I64X2_EXTEND_HIGH][part];
                Code.apply(op, &[mask[0]])
            }),
        }
    }

    /// A comparison, as choices of four lanes; the instruction is that of f32 for floats.
    fn compare(self, kind: Wide, op: u32, a: Parts, b: Parts) -> Parts {
        let found = self.each(kind, op, &[a, b]);
        self.narrow_mask(kind, found)
    }

    /// The lanes that aren't zero.
    fn truth(self, kind: Wide, a: Parts) -> Parts {
        let op = match kind {
            Wide::Bool => return a,
            Wide::I64 => simd::I64X2_NE,
            Wide::F32 | Wide::F64 => simd::F32X4_NE,
        };
        self.compare(kind, op, a, self.zero())
    }

    fn not(self, a: Parts) -> Parts {
        [Code.apply(simd::NOT, &[a[0]]); 2]
    }

    pub(super) fn select(self, kind: Wide, mask: Parts, yes: Parts, no: Parts) -> Parts {
        let mask = self.fit_mask(kind, mask);
        self.each_bits(kind, simd::BITSELECT, &[yes, no, mask])
    }

    /// As [`Self::each`], of an instruction that is the same for all types.
    fn each_bits(self, kind: Wide, op: u32, operands: &[Parts]) -> Parts {
        let kind = if self.has_second(kind) {
            Wide::I64
        } else {
            Wide::F32
        };
        self.each(kind, op, operands)
    }

    pub(super) fn unary(self, op: UnaryOp, kind: Wide, a: Parts) -> Option<Parts> {
        match kind {
            Wide::F32 | Wide::F64 => self.float(op, kind, a),
            Wide::I64 => self.integer(op, a),
            Wide::Bool => self.bool(op, a),
        }
    }

    fn float(self, op: UnaryOp, kind: Wide, a: Parts) -> Option<Parts> {
        use UnaryOp as U;
        let each = |op, operands: &[Parts]| self.each(kind, op, operands);
        let one = || self.all(ONE_F32, ONE_F64, kind);
        let infinity = || self.all(INFINITY_F32, INFINITY_F64, kind);
        Some(match op {
            U::Abs => each(simd::F32X4_ABS, &[a]),
            U::Neg => each(simd::F32X4_NEG, &[a]),
            U::Sqrt => each(simd::F32X4_SQRT, &[a]),
            U::Rsqrt => each(simd::F32X4_DIV, &[one(), each(simd::F32X4_SQRT, &[a])]),
            U::Square => each(simd::F32X4_MUL, &[a, a]),
            U::Reciprocal => each(simd::F32X4_DIV, &[one(), a]),
            U::Relu => {
                let zero = self.zero();
                let below = each(simd::F32X4_LT, &[a, zero]);
                self.each_bits(kind, simd::BITSELECT, &[zero, a, below])
            }
            U::Floor => each(simd::F32X4_FLOOR, &[a]),
            U::Ceil => each(simd::F32X4_CEIL, &[a]),
            U::Round => each(simd::F32X4_NEAREST, &[a]),
            U::Trunc => each(simd::F32X4_TRUNC, &[a]),
            U::Sign => {
                let (zero, one) = (self.zero(), one());
                let [up, down] = [simd::F32X4_GT, simd::F32X4_LT]
                    .map(|op| self.each_bits(kind, simd::AND, &[each(op, &[a, zero]), one]));
                each(simd::F32X4_SUB, &[up, down])
            }
            U::IsNan => self.compare(kind, simd::F32X4_NE, a, a),
            U::IsInf => self.compare(
                kind,
                simd::F32X4_EQ,
                each(simd::F32X4_ABS, &[a]),
                infinity(),
            ),
            U::IsFinite => self.compare(
                kind,
                simd::F32X4_LT,
                each(simd::F32X4_ABS, &[a]),
                infinity(),
            ),
            U::LogicalNot => self.compare(kind, simd::F32X4_EQ, a, self.zero()),
            U::Exp => self.function(op, kind, a, vector::exp),
            U::Log => self.function(op, kind, a, vector::log),
            U::Sin => self.function(op, kind, a, vector::sin),
            U::Cos => self.function(op, kind, a, vector::cos),
            U::Tanh => self.function(op, kind, a, vector::tanh),
            U::Sigmoid => self.function(op, kind, a, vector::sigmoid),
            U::Silu => self.function(op, kind, a, vector::silu),
            U::Gelu => self.function(op, kind, a, vector::gelu),
            U::Erf => self.function(op, kind, a, vector::erf),
            U::Softplus => self.function(op, kind, a, vector::softplus),
            U::Expm1
            | U::Log1p
            | U::Log2
            | U::Log10
            | U::Tan
            | U::Asin
            | U::Acos
            | U::Atan
            | U::Sinh
            | U::Cosh => self.asked(kind, lanes::unary(op, kind == Wide::F64), &[a]),
            U::BitwiseNot => return None,
        })
    }

    /// What the engine's own function gives, vector by vector.
    fn asked(self, kind: Wide, function: u32, operands: &[Parts]) -> Parts {
        self.parts(kind, |part| {
            let operands: Vec<Place> = operands.iter().map(|o| o[part]).collect();
            asked(function, &operands)
        })
    }

    /// A function that vectors of f32 compute, and that the engine is asked for of f64.
    fn function(self, op: UnaryOp, kind: Wide, a: Parts, vectors: fn(F4) -> F4) -> Parts {
        match kind {
            Wide::F32 => [vectors(F4(a[0])).0; 2],
            _ => self.asked(kind, lanes::unary(op, kind == Wide::F64), &[a]),
        }
    }

    fn integer(self, op: UnaryOp, a: Parts) -> Option<Parts> {
        use UnaryOp as U;
        let each = |op, operands: &[Parts]| self.each(Wide::I64, op, operands);
        Some(match op {
            U::Abs => each(simd::I64X2_ABS, &[a]),
            U::Neg => each(simd::I64X2_NEG, &[a]),
            U::Sign => {
                let zero = self.zero();
                let [below, above] =
                    [simd::I64X2_LT, simd::I64X2_GT].map(|op| each(op, &[a, zero]));
                each(simd::I64X2_SUB, &[below, above])
            }
            U::Square => each(simd::I64X2_MUL, &[a, a]),
            U::Relu => {
                let above = each(simd::I64X2_GT, &[a, self.zero()]);
                each(simd::AND, &[a, above])
            }
            U::Floor | U::Ceil | U::Round | U::Trunc => a,
            U::BitwiseNot => each(simd::NOT, &[a]),
            U::IsNan | U::IsInf => self.zero(),
            U::IsFinite => self.all(u64::MAX, u64::MAX, Wide::F32),
            U::LogicalNot => self.compare(Wide::I64, simd::I64X2_EQ, a, self.zero()),
            _ => return None,
        })
    }

    fn bool(self, op: UnaryOp, a: Parts) -> Option<Parts> {
        use UnaryOp as U;
        Some(match op {
            U::IsNan | U::IsInf => self.zero(),
            U::IsFinite => self.all(u64::MAX, u64::MAX, Wide::F32),
            U::LogicalNot | U::BitwiseNot => self.not(a),
            U::Sign => a,
            _ => return None,
        })
    }

    pub(super) fn binary(self, op: BinaryOp, kind: Wide, a: Parts, b: Parts) -> Option<Parts> {
        use BinaryOp as B;
        let bits = |op| self.each_bits(Wide::Bool, op, &[self.truth(kind, a), self.truth(kind, b)]);
        match op {
            B::LogicalAnd => return Some(bits(simd::AND)),
            B::LogicalOr => return Some(bits(simd::OR)),
            B::LogicalXor => return Some(bits(simd::XOR)),
            _ => {}
        }
        match kind {
            Wide::F32 | Wide::F64 => self.floats(op, kind, a, b),
            Wide::I64 => self.integers(op, a, b),
            Wide::Bool => self.bools(op, a, b),
        }
    }

    fn floats(self, op: BinaryOp, kind: Wide, a: Parts, b: Parts) -> Option<Parts> {
        use BinaryOp as B;
        let each = |op| self.each(kind, op, &[a, b]);
        // Of NaN in `b` nothing would stay.
        let watched = |found: Parts| {
            let nan = self.each(kind, simd::F32X4_NE, &[b, b]);
            self.each_bits(kind, simd::BITSELECT, &[b, found, nan])
        };
        let compare = |op| self.compare(kind, op, a, b);
        Some(match op {
            B::Add => each(simd::F32X4_ADD),
            B::Sub => each(simd::F32X4_SUB),
            B::Mul => each(simd::F32X4_MUL),
            B::Div => each(simd::F32X4_DIV),
            B::Maximum => watched(each(simd::F32X4_PMAX)),
            B::Minimum => watched(each(simd::F32X4_PMIN)),
            B::Eq => compare(simd::F32X4_EQ),
            B::Ne => compare(simd::F32X4_NE),
            B::Lt => compare(simd::F32X4_LT),
            B::Le => compare(simd::F32X4_LE),
            B::Gt => compare(simd::F32X4_GT),
            B::Ge => compare(simd::F32X4_GE),
            B::Pow if kind == Wide::F32 => [vector::pow(F4(a[0]), F4(b[0])).0; 2],
            B::FloorDiv | B::Remainder | B::Fmod | B::Pow | B::Atan2 | B::Hypot => {
                self.asked(kind, lanes::binary(op, kind == Wide::F64), &[a, b])
            }
            B::LogicalAnd
            | B::LogicalOr
            | B::LogicalXor
            | B::BitwiseAnd
            | B::BitwiseOr
            | B::BitwiseXor => return None,
        })
    }

    fn integers(self, op: BinaryOp, a: Parts, b: Parts) -> Option<Parts> {
        use BinaryOp as B;
        let each = |op| self.each(Wide::I64, op, &[a, b]);
        let compare = |op| self.compare(Wide::I64, op, a, b);
        let chosen = |mask| self.each(Wide::I64, simd::BITSELECT, &[a, b, mask]);
        Some(match op {
            B::Add => each(simd::I64X2_ADD),
            B::Sub => each(simd::I64X2_SUB),
            B::Mul => each(simd::I64X2_MUL),
            B::Maximum => chosen(each(simd::I64X2_GT)),
            B::Minimum => chosen(each(simd::I64X2_LT)),
            B::BitwiseAnd => each(simd::AND),
            B::BitwiseOr => each(simd::OR),
            B::BitwiseXor => each(simd::XOR),
            B::Eq => compare(simd::I64X2_EQ),
            B::Ne => compare(simd::I64X2_NE),
            B::Lt => compare(simd::I64X2_LT),
            B::Le => compare(simd::I64X2_LE),
            B::Gt => compare(simd::I64X2_GT),
            B::Ge => compare(simd::I64X2_GE),
            _ => return None,
        })
    }

    fn bools(self, op: BinaryOp, a: Parts, b: Parts) -> Option<Parts> {
        use BinaryOp as B;
        let bits = |op, a: Parts, b: Parts| self.each_bits(Wide::Bool, op, &[a, b]);
        Some(match op {
            B::Add | B::Maximum | B::BitwiseOr => bits(simd::OR, a, b),
            B::Mul | B::Minimum | B::BitwiseAnd => bits(simd::AND, a, b),
            B::BitwiseXor | B::Ne => bits(simd::XOR, a, b),
            B::Eq => self.not(bits(simd::XOR, a, b)),
            B::Lt => bits(simd::AND_NOT, b, a),
            B::Gt => bits(simd::AND_NOT, a, b),
            B::Le => self.not(bits(simd::AND_NOT, a, b)),
            B::Ge => self.not(bits(simd::AND_NOT, b, a)),
            _ => return None,
        })
    }

    pub(super) fn cast(self, from: Wide, to: Wide, a: Parts) -> Parts {
        match (from, to) {
            (_, Wide::Bool) => self.truth(from, a),
            (Wide::Bool, Wide::I64) => {
                let mask = self.fit_mask(to, a);
                self.each(to, simd::I64X2_NEG, &[mask])
            }
            (Wide::Bool, _) => {
                let mask = self.fit_mask(to, a);
                self.each_bits(to, simd::AND, &[mask, self.all(ONE_F32, ONE_F64, to)])
            }
            (Wide::F32, Wide::F64) => match self.single {
                true => [Code.apply(simd::F64X2_PROMOTE, &[a[0]]); 2],
                false => widen(a[0]),
            },
            (Wide::F64, Wide::F32) => {
                [match self.single {
                    true => Code.apply(simd::F32X4_DEMOTE, &[a[0]]),
                    false => narrow(a),
                }; 2]
            }
            (Wide::F32, Wide::I64) => self.cast(Wide::F64, to, self.cast(from, Wide::F64, a)),
            (Wide::F64, Wide::I64) => {
                let cut = self.lane_by_lane(to, |ops, lane| {
                    ops.extract(simd::F64X2_EXTRACT, a, lane);
                    Code.raw(&I64_TRUNC_SAT_F64);
                });
                let nan = self.each(from, simd::F32X4_NE, &[a, a]);
                let least = self.all(1 << 63, 1 << 63, to);
                self.each_bits(to, simd::BITSELECT, &[least, cut, nan])
            }
            (Wide::I64, Wide::F32 | Wide::F64) => self.lane_by_lane(to, |ops, lane| {
                ops.extract(simd::I64X2_EXTRACT, a, lane);
                Code.plain(if to == Wide::F32 {
                    F32_CONVERT_I64
                } else {
                    F64_CONVERT_I64
                });
            }),
            (Wide::F32, Wide::F32) | (Wide::F64, Wide::F64) | (Wide::I64, Wide::I64) => a,
        }
    }

    /// Puts one of four elements of 64 bits on the stack.
    fn extract(self, op: u32, a: Parts, lane: u8) {
        Code.get(a[usize::from(lane / 2)]);
        Code.simd(op);
        Code.raw(&[lane % 2]);
    }

    /// A value whose elements `make` puts on the stack, by their number.
    fn lane_by_lane(self, to: Wide, make: impl Fn(Self, u8)) -> Parts {
        let (splat, replace, lanes) = match to {
            Wide::F32 => (simd::F32X4_SPLAT, simd::F32X4_REPLACE, 4),
            Wide::F64 => (simd::F64X2_SPLAT, simd::F64X2_REPLACE, 2),
            _ => (simd::I64X2_SPLAT, simd::I64X2_REPLACE, 2),
        };
        self.parts(to, |part| {
            make(self, part as u8 * 2);
            Code.simd(splat);
            for lane in 1..if self.single { 1 } else { lanes } {
                make(self, part as u8 * 2 + lane);
                Code.simd(replace);
                Code.raw(&[lane]);
            }
            Code.set_fresh()
        })
    }

    /// Rounds whole numbers to those of a narrower type; none for types that have another rounding.
    pub(super) fn round(self, dtype: DType, a: Parts) -> Option<Parts> {
        if !dtype.is_integer() {
            return None;
        }
        let unused = 64 - 8 * dtype.size() as u32;
        let back = simd::I64X2_SHR + u32::from(dtype.is_unsigned());
        Some(self.parts(Wide::I64, |part| {
            let raised = Code.shift(simd::I64X2_SHL, a[part], unused);
            Code.shift(back, raised, unused)
        }))
    }
}
