//! Instructions of a function that is being written.

use std::cell::{Cell, RefCell};

/// Where an operand comes from: a local variable of 128 bits, or a constant of the engine. One word, so that the
/// mathematics that makes code stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

/// The bit that tells an address from a local.
const ADDRESS: u32 = 1 << 31;

impl Place {
    pub(super) fn local(number: u32) -> Self {
        Self(number)
    }

    /// A constant at an address of the engine's memory, where statics lie low.
    pub(super) fn constant<T>(of: &'static T) -> Self {
        Self(ADDRESS | std::ptr::from_ref(of).addr() as u32)
    }
}

/// The code that is being written: a function's body, and how many locals of 128 bits it has.
///
/// Every operation leaves its result in a local: engines that compile twice keep locals in registers
/// the first time, and forget them the second.
struct State {
    bytes: RefCell<Vec<u8>>,
    next: Cell<u32>,
    most: Cell<u32>,
    /// The local that the last instruction set, and where that instruction starts.
    last_set: Cell<Option<(u32, usize)>>,
}

thread_local! {
    // One function is written at a time, and nothing of the host is called meanwhile. Values of the
    // mathematics would have to carry a reference otherwise, and be twice as large.
    static STATE: State = const {
        State {
            bytes: RefCell::new(Vec::new()),
            next: Cell::new(0),
            most: Cell::new(0),
            last_set: Cell::new(None),
        }
    };
}

/// The writer of the code. It is empty, and what it writes lies in [`STATE`], because the mathematics is one text with
/// that of vectors: its operators take and give values alone, so that each value would have to bring the writer along.
#[derive(Clone, Copy)]
pub(super) struct Code;

pub(super) const LOCAL_GET: u8 = 0x20;
pub(super) const LOCAL_SET: u8 = 0x21;
pub(super) const LOCAL_TEE: u8 = 0x22;
pub(super) const I32_CONST: u8 = 0x41;
pub(super) const I32_LOAD: u8 = 0x28;
pub(super) const I32_GE_U: u8 = 0x4f;
pub(super) const I32_EQZ: u8 = 0x45;
pub(super) const I32_ADD: u8 = 0x6a;
pub(super) const I32_SUB: u8 = 0x6b;
pub(super) const I32_MUL: u8 = 0x6c;
pub(super) const BLOCK: u8 = 0x02;
pub(super) const LOOP: u8 = 0x03;
pub(super) const IF: u8 = 0x04;
pub(super) const END: u8 = 0x0b;
pub(super) const BR: u8 = 0x0c;
pub(super) const BR_IF: u8 = 0x0d;
pub(super) const CALL_INDIRECT: u8 = 0x11;
/// The type of a block without a result.
pub(super) const EMPTY: u8 = 0x40;

/// Instructions on 128 bits, after their prefix.
pub(super) mod simd {
    pub(crate) const LOAD: u32 = 0;
    pub(crate) const LOAD8_SPLAT: u32 = 7;
    pub(crate) const STORE: u32 = 11;
    pub(crate) const CONST: u32 = 12;
    pub(crate) const SHUFFLE: u32 = 13;
    pub(crate) const F32X4_SPLAT: u32 = 19;
    pub(crate) const F64X2_SPLAT: u32 = 20;
    pub(crate) const I64X2_SPLAT: u32 = 18;
    pub(crate) const I64X2_EXTRACT: u32 = 29;
    pub(crate) const I64X2_REPLACE: u32 = 30;
    pub(crate) const F32X4_REPLACE: u32 = 32;
    pub(crate) const F64X2_EXTRACT: u32 = 33;
    pub(crate) const F64X2_REPLACE: u32 = 34;
    pub(crate) const I8X16_NE: u32 = 36;
    pub(crate) const I32X4_EQ: u32 = 55;
    pub(crate) const F32X4_EQ: u32 = 65;
    pub(crate) const F32X4_NE: u32 = 66;
    pub(crate) const F32X4_LT: u32 = 67;
    pub(crate) const F32X4_GT: u32 = 68;
    pub(crate) const F32X4_LE: u32 = 69;
    pub(crate) const F32X4_GE: u32 = 70;
    pub(crate) const NOT: u32 = 77;
    pub(crate) const AND: u32 = 78;
    pub(crate) const AND_NOT: u32 = 79;
    pub(crate) const OR: u32 = 80;
    pub(crate) const XOR: u32 = 81;
    pub(crate) const BITSELECT: u32 = 82;
    pub(crate) const LOAD8_LANE: u32 = 84;
    pub(crate) const STORE8_LANE: u32 = 88;
    pub(crate) const LOAD32_ZERO: u32 = 92;
    pub(crate) const LOAD64_ZERO: u32 = 93;
    pub(crate) const F32X4_DEMOTE: u32 = 94;
    pub(crate) const F64X2_PROMOTE: u32 = 95;
    pub(crate) const I8X16_NARROW: u32 = 101;
    pub(crate) const F32X4_CEIL: u32 = 103;
    pub(crate) const F32X4_FLOOR: u32 = 104;
    pub(crate) const F32X4_TRUNC: u32 = 105;
    pub(crate) const F32X4_NEAREST: u32 = 106;
    pub(crate) const F64X2_CEIL: u32 = 116;
    pub(crate) const F64X2_FLOOR: u32 = 117;
    pub(crate) const F64X2_TRUNC: u32 = 122;
    pub(crate) const F64X2_NEAREST: u32 = 148;
    pub(crate) const I16X8_NARROW: u32 = 133;
    /// With the sign; without it two further.
    pub(crate) const I16X8_EXTEND_LOW: u32 = 135;
    pub(crate) const I32X4_ALL_TRUE: u32 = 163;
    pub(crate) const I32X4_EXTEND_LOW: u32 = 167;
    pub(crate) const I32X4_SHL: u32 = 171;
    pub(crate) const I32X4_SHR: u32 = 172;
    pub(crate) const I32X4_ADD: u32 = 174;
    pub(crate) const I32X4_SUB: u32 = 177;
    pub(crate) const I64X2_ABS: u32 = 192;
    pub(crate) const I64X2_NEG: u32 = 193;
    pub(crate) const I64X2_EXTEND_LOW: u32 = 199;
    pub(crate) const I64X2_EXTEND_HIGH: u32 = 200;
    pub(crate) const I64X2_SHL: u32 = 203;
    /// With the sign; without it one further.
    pub(crate) const I64X2_SHR: u32 = 204;
    pub(crate) const I64X2_ADD: u32 = 206;
    pub(crate) const I64X2_SUB: u32 = 209;
    pub(crate) const I64X2_MUL: u32 = 213;
    pub(crate) const I64X2_EQ: u32 = 214;
    pub(crate) const I64X2_NE: u32 = 215;
    pub(crate) const I64X2_LT: u32 = 216;
    pub(crate) const I64X2_GT: u32 = 217;
    pub(crate) const I64X2_LE: u32 = 218;
    pub(crate) const I64X2_GE: u32 = 219;
    /// From here to the last each has its like for f64 twelve further.
    pub(crate) const F32X4_ABS: u32 = 224;
    pub(crate) const F32X4_NEG: u32 = 225;
    pub(crate) const F32X4_SQRT: u32 = 227;
    pub(crate) const F32X4_ADD: u32 = 228;
    pub(crate) const F32X4_SUB: u32 = 229;
    pub(crate) const F32X4_MUL: u32 = 230;
    pub(crate) const F32X4_DIV: u32 = 231;
    pub(crate) const F32X4_PMIN: u32 = 234;
    pub(crate) const F32X4_PMAX: u32 = 235;
    pub(crate) const F64X2_ADD: u32 = 240;
    pub(crate) const F64X2_SUB: u32 = 241;
    pub(crate) const F64X2_MUL: u32 = 242;
    pub(crate) const F64X2_DIV: u32 = 243;
    pub(crate) const F64X2_PMIN: u32 = 246;
    pub(crate) const F64X2_PMAX: u32 = 247;
    pub(crate) const F32X4_CONVERT: u32 = 250;
}

/// Appends a number in groups of seven bits.
pub(super) fn unsigned(to: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn signed(to: &mut Vec<u8>, mut value: i64) {
    loop {
        let group = value as u8 & 0x7f;
        value >>= 7;
        let sign = group & 0x40 != 0;
        if (value == 0 && !sign) || (value == -1 && sign) {
            return to.push(group);
        }
        to.push(group | 0x80);
    }
}

impl Code {
    /// Starts a function whose locals of 128 bits are numbered from `first` on.
    pub(super) fn start(first: u32) -> Self {
        STATE.with(|state| {
            state.bytes.borrow_mut().clear();
            state.next.set(first);
            state.most.set(first);
            state.last_set.set(None);
        });
        Self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        STATE.with(|state| state.bytes.take())
    }

    fn push(self, bytes: &[u8]) {
        STATE.with(|state| {
            state.last_set.set(None);
            state.bytes.borrow_mut().extend_from_slice(bytes);
        });
    }

    fn number(self, value: u32) {
        STATE.with(|state| unsigned(&mut state.bytes.borrow_mut(), value));
    }

    /// The number after the last local.
    pub(super) fn most(self) -> u32 {
        STATE.with(|state| state.most.get())
    }

    /// A local that nothing else uses until [`Self::release`].
    pub(super) fn fresh(self) -> u32 {
        STATE.with(|state| {
            let local = state.next.get();
            state.next.set(local + 1);
            state.most.set(state.most.get().max(local + 1));
            local
        })
    }

    pub(super) fn mark(self) -> u32 {
        STATE.with(|state| state.next.get())
    }

    /// Frees the locals made since the mark.
    pub(super) fn release(self, mark: u32) {
        STATE.with(|state| state.next.set(mark));
    }

    /// An instruction without operands in its code.
    pub(super) fn plain(self, op: u8) {
        self.push(&[op]);
    }

    /// An instruction with one number in its code.
    pub(super) fn with(self, op: u8, value: u32) {
        self.plain(op);
        self.number(value);
    }

    pub(super) fn constant(self, op: u8, value: i64) {
        self.plain(op);
        STATE.with(|state| signed(&mut state.bytes.borrow_mut(), value));
    }

    pub(super) fn raw(self, bytes: &[u8]) {
        self.push(bytes);
    }

    pub(super) fn simd(self, op: u32) {
        self.plain(0xfd);
        self.number(op);
    }

    /// A load or store, `offset` bytes past the address.
    pub(super) fn memory(self, op: u32, offset: u32) {
        self.simd(op);
        self.push(&[0]);
        self.number(offset);
    }

    /// As [`Self::memory`], of one lane.
    pub(super) fn memory_lane(self, op: u32, offset: u32, lane: u8) {
        self.memory(op, offset);
        self.raw(&[lane]);
    }

    pub(super) fn get(self, Place(place): Place) {
        if place & ADDRESS != 0 {
            self.constant(I32_CONST, i64::from(place ^ ADDRESS));
            self.memory(simd::LOAD, 0);
            return;
        }
        let set_now = STATE.with(|state| match state.last_set.take() {
            Some((set, at)) if set == place => {
                if let Some(op) = state.bytes.borrow_mut().get_mut(at) {
                    *op = LOCAL_TEE;
                }
                true
            }
            _ => false,
        });
        if !set_now {
            self.with(LOCAL_GET, place);
        }
    }

    pub(super) fn set(self, Place(local): Place) {
        let at = STATE.with(|state| state.bytes.borrow().len());
        self.with(LOCAL_SET, local);
        STATE.with(|state| state.last_set.set(Some((local, at))));
    }

    pub(super) fn set_fresh(self) -> Place {
        let place = Place::local(self.fresh());
        self.set(place);
        place
    }

    pub(super) fn apply(self, op: u32, operands: &[Place]) -> Place {
        operands.iter().for_each(|operand| self.get(*operand));
        self.simd(op);
        self.set_fresh()
    }

    #[inline(never)]
    pub(super) fn one(self, op: u32, a: Place) -> Place {
        self.apply(op, &[a])
    }

    #[inline(never)]
    pub(super) fn two(self, op: u32, a: Place, b: Place) -> Place {
        self.apply(op, &[a, b])
    }

    #[inline(never)]
    pub(super) fn choice(self, mask: Place, yes: Place, no: Place) -> Place {
        self.apply(simd::BITSELECT, &[yes, no, mask])
    }

    #[inline(never)]
    pub(super) fn shift(self, op: u32, operand: Place, by: u32) -> Place {
        self.get(operand);
        self.constant(I32_CONST, i64::from(by));
        self.simd(op);
        self.set_fresh()
    }

    /// The same 64 bits in both halves.
    pub(super) fn bits(self, bits: u64) -> Place {
        self.simd(simd::CONST);
        for _ in 0..2 {
            self.raw(&bits.to_le_bytes());
        }
        self.set_fresh()
    }

    /// Bytes of two operands, by their numbers.
    pub(super) fn shuffle(self, a: Place, b: Place, lanes: [u8; 16]) -> Place {
        self.get(a);
        self.get(b);
        self.simd(simd::SHUFFLE);
        self.raw(&lanes);
        self.set_fresh()
    }
}
