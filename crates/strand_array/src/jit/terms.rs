//! The emitter's values, of which the mathematics makes code.

use std::ops::{Add, BitAnd, Div, Mul, Neg, Sub};

use super::code::{
    CALL_INDIRECT, Code, EMPTY, END, I32_ADD, I32_CONST, I32_EQZ, I32_LOAD, IF, LOCAL_GET, Place,
    simd,
};
use super::layout::{HELPER, SCRATCH};
use crate::kernels::terms::{Bits, Choice, Double, Fallback, Numbers, Single};
use crate::kernels::{Splat, WideSplat};

/// A value of some kind.
macro_rules! values {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(pub(super) Place);
    )*};
}
values! {
    /// Four f32.
    F4;
    /// Two f64.
    D2;
    /// Four i32.
    I4;
    /// Two i64.
    L2;
    /// A choice for each of four lanes.
    M4;
}

/// Methods and operators that are one instruction.
macro_rules! instructions {
    ($($v:ident: $($trait:ident $method:ident $op:expr),*;)*) => {$($(
        impl $trait for $v {
            type Output = Self;
            fn $method(self, b: Self) -> Self {
                Self(Code.two($op, self.0, b.0))
            }
        }
    )*)*};
}
instructions! {
    F4: Add add simd::F32X4_ADD, Sub sub simd::F32X4_SUB, Mul mul simd::F32X4_MUL, Div div simd::F32X4_DIV;
    D2: Add add simd::F64X2_ADD, Sub sub simd::F64X2_SUB, Mul mul simd::F64X2_MUL,
        Div div simd::F64X2_DIV;
    I4: Add add simd::I32X4_ADD, Sub sub simd::I32X4_SUB;
    L2: Add add simd::I64X2_ADD;
    M4: BitAnd bitand simd::AND;
}

macro_rules! methods {
    ($($name:ident($($b:ident)?) -> $r:ident $op:expr;)*) => {
        $(methods!(@ $name ($($b)?) $r $op);)*
    };
    (@ $name:ident () $r:ident $op:expr) => {
        fn $name(self) -> $r {
            $r(Code.one($op, self.0))
        }
    };
    (@ $name:ident ($b:ident) $r:ident $op:expr) => {
        fn $name(self, $b: Self) -> $r {
            $r(Code.two($op, self.0, $b.0))
        }
    };
}

impl Numbers for F4 {
    methods! {
        larger(b) -> F4 simd::F32X4_PMAX;
        smaller(b) -> F4 simd::F32X4_PMIN;
        nearest() -> F4 simd::F32X4_NEAREST;
    }
}

impl Numbers for D2 {
    methods! {
        larger(b) -> D2 simd::F64X2_PMAX;
        smaller(b) -> D2 simd::F64X2_PMIN;
        nearest() -> D2 simd::F64X2_NEAREST;
    }
}

impl Neg for F4 {
    type Output = Self;
    fn neg(self) -> Self {
        Self(Code.one(simd::F32X4_NEG, self.0))
    }
}

impl Single for F4 {
    type Bits = I4;
    type Mask = M4;
    type Wide = D2;
    methods! {
        abs() -> F4 simd::F32X4_ABS;
        less(b) -> M4 simd::F32X4_LT;
        at_most(b) -> M4 simd::F32X4_LE;
        equal(b) -> M4 simd::F32X4_EQ;
    }
    fn number(self, of: &'static Splat) -> Self {
        Self(Place::constant(of))
    }
    fn copysign(self, sign: Self) -> Self {
        let mask = Code.bits(0x8000_0000_8000_0000);
        Self(Code.choice(mask, sign.0, self.0))
    }
    fn bits(self) -> I4 {
        I4(self.0)
    }
    fn widen(self) -> [D2; 2] {
        widen(self.0).map(D2)
    }
    fn narrow([a, b]: [D2; 2]) -> Self {
        Self(narrow([a.0, b.0]))
    }
    fn rescued(self, near: M4, function: Fallback, x: Self, y: Self) -> Self {
        let code = Code;
        code.get(self.0);
        let result = code.set_fresh();
        code.get(near.0);
        code.simd(simd::I32X4_ALL_TRUE);
        code.plain(I32_EQZ);
        code.with(IF, EMPTY.into());
        ask(function.code(), &[x.0, y.0]);
        code.set(result);
        code.plain(END);
        Self(result)
    }
}

/// Puts what the engine's own function gives for one or two operands on the stack.
fn ask(function: u32, operands: &[Place]) {
    let code = Code;
    for (operand, offset) in operands.iter().zip([SCRATCH, SCRATCH + 16]) {
        code.with(LOCAL_GET, 0);
        code.get(*operand);
        code.memory(simd::STORE, offset);
    }
    code.constant(I32_CONST, function.into());
    code.with(LOCAL_GET, 0);
    code.constant(I32_CONST, SCRATCH.into());
    code.plain(I32_ADD);
    code.with(LOCAL_GET, 0);
    code.with(I32_LOAD, 2);
    code.raw(&[HELPER as u8]);
    code.with(CALL_INDIRECT, 1);
    code.raw(&[0]);
    code.with(LOCAL_GET, 0);
    code.memory(simd::LOAD, SCRATCH);
}

/// What the engine's own function gives.
pub(super) fn asked(function: u32, operands: &[Place]) -> Place {
    ask(function, operands);
    Code.set_fresh()
}

/// Four f32 as two times two f64.
pub(super) fn widen(x: Place) -> [Place; 2] {
    let high = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];
    let low = Code.one(simd::F64X2_PROMOTE, x);
    let upper = Code.shuffle(x, x, high);
    [low, Code.one(simd::F64X2_PROMOTE, upper)]
}

/// Two times two f64 as four f32, rounded.
pub(super) fn narrow(pair: [Place; 2]) -> Place {
    let [low, high] = pair.map(|x| Code.one(simd::F32X4_DEMOTE, x));
    Code.shuffle(
        low,
        high,
        [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23],
    )
}

impl Double for D2 {
    type Bits = L2;
    fn wide(self, of: &'static WideSplat) -> Self {
        Self(Place::constant(of))
    }
    fn bits(self) -> L2 {
        L2(self.0)
    }
    fn to_exponent(bits: L2) -> L2 {
        L2(Code.shift(simd::I64X2_SHL, bits.0, 52))
    }
    fn of_bits(bits: L2) -> Self {
        Self(bits.0)
    }
}

impl Bits for I4 {
    type Float = F4;
    type Mask = M4;
    fn shift_left<const BITS: u32>(self) -> Self {
        Self(Code.shift(simd::I32X4_SHL, self.0, BITS))
    }
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(Code.shift(simd::I32X4_SHR, self.0, BITS))
    }
    fn plus(self, n: i32) -> Self {
        match n {
            0 => self,
            n => self + Self(lanes(n)),
        }
    }
    fn as_float(self) -> F4 {
        F4(self.0)
    }
    fn to_float(self) -> F4 {
        F4(Code.one(simd::F32X4_CONVERT, self.0))
    }
    fn has_bit(self, bit: i32) -> M4 {
        let bit = lanes(bit);
        M4(Code.two(simd::I32X4_EQ, Code.two(simd::AND, self.0, bit), bit))
    }
}

/// A number of 32 bits in four lanes.
fn lanes(n: i32) -> Place {
    let bits = u64::from(n as u32);
    Code.bits(bits << 32 | bits)
}

impl Choice<F4> for M4 {
    fn select(self, yes: F4, no: F4) -> F4 {
        F4(Code.choice(self.0, yes.0, no.0))
    }
}
