//! The emitter's values, of which the mathematics makes code.

use std::ops::{Add, BitAnd, Div, Mul, Neg, Sub};

use super::code::{
    CALL_INDIRECT, Code, EMPTY, END, I32_ADD, I32_CONST, I32_EQZ, I32_LOAD, IF, LOCAL_GET, Place,
    simd,
};
use super::layout::{HELPER, SCRATCH};
use crate::kernels::terms::{Bits, Choice, Double, Far, Numbers, Single};
use crate::kernels::{Splat, WideSplat};

/// A value of some kind, and the code that made it.
macro_rules! values {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name<'a>(pub(super) &'a Code, pub(super) Place);
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
        impl<'a> $trait for $v<'a> {
            type Output = Self;
            fn $method(self, b: Self) -> Self {
                Self(self.0, self.0.apply($op, &[self.1, b.1]))
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
    ($($name:ident($($b:ident)?) -> $r:ident $op:expr;)*) => {$(
        fn $name(self $(, $b: Self)?) -> $r<'a> {
            $r(self.0, self.0.apply($op, &[self.1 $(, $b.1)?]))
        }
    )*};
}

impl<'a> Numbers for F4<'a> {
    methods! {
        larger(b) -> F4 simd::F32X4_PMAX;
        smaller(b) -> F4 simd::F32X4_PMIN;
        nearest() -> F4 simd::F32X4_NEAREST;
    }
}

impl<'a> Numbers for D2<'a> {
    methods! {
        larger(b) -> D2 simd::F64X2_PMAX;
        smaller(b) -> D2 simd::F64X2_PMIN;
        nearest() -> D2 simd::F64X2_NEAREST;
    }
}

impl<'a> Neg for F4<'a> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0, self.0.apply(simd::F32X4_NEG, &[self.1]))
    }
}

/// The address of a constant, in the engine's memory.
fn address<T>(of: &'static T) -> Place {
    Place::Number(std::ptr::from_ref(of).addr() as u32)
}

impl<'a> Single for F4<'a> {
    type Bits = I4<'a>;
    type Mask = M4<'a>;
    type Wide = D2<'a>;
    methods! {
        abs() -> F4 simd::F32X4_ABS;
        less(b) -> M4 simd::F32X4_LT;
        at_most(b) -> M4 simd::F32X4_LE;
        equal(b) -> M4 simd::F32X4_EQ;
    }
    fn number(self, of: &'static Splat) -> Self {
        Self(self.0, address(of))
    }
    fn copysign(self, sign: Self) -> Self {
        let mask = self.0.bits(0x8000_0000_8000_0000);
        Self(
            self.0,
            self.0.apply(simd::BITSELECT, &[sign.1, self.1, mask]),
        )
    }
    fn bits(self) -> I4<'a> {
        I4(self.0, self.1)
    }
    fn widen(self) -> [D2<'a>; 2] {
        widen(self.0, self.1).map(|place| D2(self.0, place))
    }
    fn narrow([a, b]: [D2<'a>; 2]) -> Self {
        Self(a.0, narrow(a.0, [a.1, b.1]))
    }
    fn rescued(self, near: M4<'a>, function: Far, x: Self, y: Self) -> Self {
        let code = self.0;
        code.get(self.1);
        let Place::Local(result) = code.set_fresh() else {
            return self;
        };
        code.get(near.1);
        code.simd(simd::I32X4_ALL_TRUE);
        code.plain(I32_EQZ);
        code.with(IF, EMPTY.into());
        ask(code, function.code(), &[x.1, y.1]);
        code.set(result);
        code.plain(END);
        Self(code, Place::Local(result))
    }
}

/// Puts what the engine's own function gives for one or two operands on the stack.
fn ask(code: &Code, function: u32, operands: &[Place]) {
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
pub(super) fn asked(code: &Code, function: u32, operands: &[Place]) -> Place {
    ask(code, function, operands);
    code.set_fresh()
}

/// Four f32 as two times two f64.
pub(super) fn widen(code: &Code, x: Place) -> [Place; 2] {
    let high = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];
    let low = code.apply(simd::F64X2_PROMOTE, &[x]);
    let upper = code.shuffle(x, x, high);
    [low, code.apply(simd::F64X2_PROMOTE, &[upper])]
}

/// Two times two f64 as four f32, rounded.
pub(super) fn narrow(code: &Code, pair: [Place; 2]) -> Place {
    let [low, high] = pair.map(|x| code.apply(simd::F32X4_DEMOTE, &[x]));
    code.shuffle(
        low,
        high,
        [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23],
    )
}

impl<'a> Double for D2<'a> {
    type Bits = L2<'a>;
    fn wide(self, of: &'static WideSplat) -> Self {
        Self(self.0, address(of))
    }
    fn bits(self) -> L2<'a> {
        L2(self.0, self.1)
    }
    fn to_exponent(bits: L2<'a>) -> L2<'a> {
        L2(bits.0, bits.0.shift(simd::I64X2_SHL, bits.1, 52))
    }
    fn of_bits(bits: L2<'a>) -> Self {
        Self(bits.0, bits.1)
    }
}

impl<'a> Bits for I4<'a> {
    type Float = F4<'a>;
    type Mask = M4<'a>;
    fn shift_left<const BITS: u32>(self) -> Self {
        Self(self.0, self.0.shift(simd::I32X4_SHL, self.1, BITS))
    }
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0, self.0.shift(simd::I32X4_SHR, self.1, BITS))
    }
    fn plus(self, n: i32) -> Self {
        match n {
            0 => self,
            n => self + Self(self.0, lanes(self.0, n)),
        }
    }
    fn as_float(self) -> F4<'a> {
        F4(self.0, self.1)
    }
    fn to_float(self) -> F4<'a> {
        F4(self.0, self.0.apply(simd::F32X4_CONVERT, &[self.1]))
    }
    fn has_bit(self, bit: i32) -> M4<'a> {
        let bit = lanes(self.0, bit);
        let found = self.0.apply(simd::AND, &[self.1, bit]);
        M4(self.0, self.0.apply(simd::I32X4_EQ, &[found, bit]))
    }
}

/// A number of 32 bits in four lanes.
fn lanes(code: &Code, n: i32) -> Place {
    let bits = u64::from(n as u32);
    code.bits(bits << 32 | bits)
}

impl<'a> Choice<F4<'a>> for M4<'a> {
    fn select(self, yes: F4<'a>, no: F4<'a>) -> F4<'a> {
        F4(
            self.0,
            self.0.apply(simd::BITSELECT, &[yes.1, no.1, self.1]),
        )
    }
}
