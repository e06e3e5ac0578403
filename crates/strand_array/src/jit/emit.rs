//! A program's steps as a module of one function: a loop over rows, and in each row a loop over four
//! elements at a time, then over those that are left.

use super::code::{
    BLOCK, BR, BR_IF, Code, EMPTY, END, I32_ADD, I32_CONST, I32_EQZ, I32_GE_U, I32_LOAD, I32_MUL,
    I32_SUB, IF, LOCAL_GET, LOCAL_SET, LOCAL_TEE, LOOP, Place, simd, unsigned,
};
use super::layout::{Access, LENGTH, ROWS, STREAM, STREAMS, Stream};
use super::ops::{Ops, Parts};
use crate::dtype::{DType, Wide};
use crate::expr::program::{Code as What, Program, Step};

/// Elements that are computed at once.
const FOUR: u32 = 4;
/// More steps than this are left to the block kernels: an engine must compile them while a program waits.
const MOST_STEPS: usize = 128;

// Local variables: the parameter, then rows and elements that are left, then of each stream its
// address and its stride, then those of 128 bits.
const WORDS: u32 = 0;
const ROWS_LEFT: u32 = 1;
const LEFT: u32 = 2;
const FIRST_ADDRESS: u32 = 3;

/// What is known of a loop before its arrays are.
pub(super) struct Plan<'a> {
    pub(super) program: &'a Program,
    /// The operands that are used, by their numbers, then the results in order.
    pub(super) streams: &'a [Option<Stream>],
    /// How many of them are operands.
    pub(super) inputs: usize,
}

/// What one pass through a program's steps computes.
#[derive(Clone, Copy)]
enum Pass {
    /// Four elements, so many elements past the addresses.
    Four(u32),
    /// The element at the addresses.
    One,
    /// What is the same in the whole row.
    Invariant,
}

/// Writes one loop.
struct Emitter<'a> {
    plan: &'a Plan<'a>,
    code: Code,
    /// Where each step's value is.
    values: Vec<Parts>,
    /// Steps whose value is the same in a whole row.
    invariant: Vec<bool>,
}

/// The bytes of the module; none where a step has no template.
pub(super) fn module(plan: &Plan<'_>) -> Option<Vec<u8>> {
    let steps = &plan.program.steps;
    if steps.len() > MOST_STEPS {
        return None;
    }
    let first = FIRST_ADDRESS + 2 * plan.streams.len() as u32;
    let mut emitter = Emitter {
        plan,
        code: Code::start(first),
        values: vec![[Place::local(0); 2]; steps.len()],
        invariant: Vec::new(),
    };
    emitter.find_invariant();
    emitter.place_values();
    emitter.function()?;
    let vectors = emitter.code.most() - first;
    Some(wrap(&emitter.code.into_bytes(), first - 1, vectors))
}

/// The type that a step's value is computed in.
fn kind(step: &Step) -> Option<Wide> {
    step.dtype.widened().and_then(DType::wide)
}

impl Emitter<'_> {
    fn find_invariant(&mut self) {
        for step in &self.plan.program.steps {
            let invariant = match step.code {
                What::Const(_) => true,
                What::Load(k) => self.stream(k).is_some_and(|s| s.access == Access::One),
                code => {
                    let mut operands = code.operands().into_iter().flatten();
                    operands.all(|o| self.invariant.get(o) == Some(&true))
                }
            };
            self.invariant.push(invariant);
        }
    }

    /// Gives every value its locals: invariant ones for good, the others those of their register.
    fn place_values(&mut self) {
        let pair = || [self.code.fresh(), self.code.fresh()].map(Place::local);
        let count = self.plan.program.registers.len();
        let registers: Vec<Parts> = (0..count).map(|_| pair()).collect();
        let steps = self.plan.program.steps.iter().zip(&self.invariant);
        self.values = steps
            .map(|(step, invariant)| match invariant {
                true => pair(),
                false => registers
                    .get(step.register)
                    .copied()
                    .unwrap_or([Place::local(0); 2]),
            })
            .collect();
    }

    fn stream(&self, number: usize) -> Option<Stream> {
        self.plan.streams.get(number).copied().flatten()
    }

    fn streams(&self) -> impl Iterator<Item = (u32, Stream)> {
        let found = self.plan.streams.iter().enumerate();
        found.filter_map(|(n, s)| s.map(|s| (n as u32, s)))
    }

    /// The local with a stream's address; the next one has its stride.
    fn address(stream: u32) -> u32 {
        FIRST_ADDRESS + 2 * stream
    }

    /// Puts a word on the stack.
    fn word(&self, offset: u32) {
        self.code.with(LOCAL_GET, WORDS);
        self.code.with(I32_LOAD, 2);
        let mut bytes = vec![];
        unsigned(&mut bytes, offset);
        self.code.raw(&bytes);
    }

    fn function(&self) -> Option<()> {
        let code = self.code;
        for (n, stream) in self.streams() {
            self.word(STREAMS + STREAM * n);
            code.with(LOCAL_SET, Self::address(n));
            if stream.access == Access::Strided {
                self.word(STREAMS + STREAM * n + 8);
                code.with(LOCAL_SET, Self::address(n) + 1);
            }
        }
        self.word(ROWS);
        code.with(LOCAL_SET, ROWS_LEFT);
        self.load_constants();
        code.with(LOOP, EMPTY.into());
        self.steps(Pass::Invariant)?;
        self.word(LENGTH);
        code.with(LOCAL_SET, LEFT);
        let turns = self.turns();
        if turns > 1 {
            self.row(turns)?;
        }
        self.row(1)?;
        self.rest()?;
        for (n, _) in self.streams() {
            code.with(LOCAL_GET, Self::address(n));
            self.word(STREAMS + STREAM * n + 4);
            code.plain(I32_ADD);
            code.with(LOCAL_SET, Self::address(n));
        }
        code.with(LOCAL_GET, ROWS_LEFT);
        code.constant(I32_CONST, 1);
        code.plain(I32_SUB);
        code.with(LOCAL_TEE, ROWS_LEFT);
        code.with(BR_IF, 0);
        code.plain(END);
        code.plain(END);
        Some(())
    }

    /// How many passes of four elements one turn of the first loop makes: the loop's own instructions weigh little beside
    /// long steps.
    fn turns(&self) -> u32 {
        match self.plan.program.steps.len() {
            0..=6 => 4,
            7..=12 => 2,
            _ => 1,
        }
    }

    /// The loop over what a row has of `turns` times four elements.
    fn row(&self, turns: u32) -> Option<()> {
        let code = self.code;
        let elements = turns * FOUR;
        let enough = || {
            code.with(LOCAL_GET, LEFT);
            code.constant(I32_CONST, elements.into());
            code.plain(I32_GE_U);
        };
        enough();
        code.with(IF, EMPTY.into());
        code.with(LOOP, EMPTY.into());
        for turn in 0..turns {
            let pass = Pass::Four(turn * FOUR);
            self.steps(pass)?;
            self.store(pass);
        }
        self.advance(elements);
        enough();
        code.with(BR_IF, 0);
        code.plain(END);
        code.plain(END);
        Some(())
    }

    /// The loop over the elements that are left of a row.
    fn rest(&self) -> Option<()> {
        let code = self.code;
        code.with(BLOCK, EMPTY.into());
        code.with(LOOP, EMPTY.into());
        code.with(LOCAL_GET, LEFT);
        code.plain(I32_EQZ);
        code.with(BR_IF, 1);
        self.steps(Pass::One)?;
        self.store(Pass::One);
        self.advance(1);
        code.with(BR, 0);
        code.plain(END);
        code.plain(END);
        Some(())
    }

    /// Moves every address on by so many elements.
    fn advance(&self, elements: u32) {
        let code = self.code;
        for (n, stream) in self.streams() {
            if stream.access == Access::One {
                continue;
            }
            code.with(LOCAL_GET, Self::address(n));
            match stream.access {
                Access::Strided => {
                    code.with(LOCAL_GET, Self::address(n) + 1);
                    code.constant(I32_CONST, elements.into());
                    code.plain(I32_MUL);
                }
                _ => code.constant(I32_CONST, i64::from(elements) * stream.dtype.size() as i64),
            }
            code.plain(I32_ADD);
            code.with(LOCAL_SET, Self::address(n));
        }
        code.with(LOCAL_GET, LEFT);
        code.constant(I32_CONST, elements.into());
        code.plain(I32_SUB);
        code.with(LOCAL_SET, LEFT);
    }

    fn load_constants(&self) {
        let mut offset = STREAMS + STREAM * self.plan.streams.len() as u32;
        let ops = self.ops(true);
        for (at, step) in self.plan.program.steps.iter().enumerate() {
            let (What::Const(_), Some(kind)) = (step.code, kind(step)) else {
                continue;
            };
            self.code.with(LOCAL_GET, WORDS);
            self.splat(memory_of(kind), offset);
            let raw = self.code.set_fresh();
            self.keep(at, self.widen(ops, memory_of(kind), [raw; 2]), true);
            offset += 8;
        }
    }

    fn ops(&self, single: bool) -> Ops {
        Ops { single }
    }

    /// The steps of a pass: the invariant ones, or the others.
    fn steps(&self, pass: Pass) -> Option<()> {
        let invariant = matches!(pass, Pass::Invariant);
        for (at, step) in self.plan.program.steps.iter().enumerate() {
            let is_invariant = self.invariant.get(at) == Some(&true);
            if is_invariant != invariant || matches!(step.code, What::Const(_)) {
                continue;
            }
            let mark = self.code.mark();
            let value = self.step(step, pass)?;
            self.keep(at, value, invariant);
            self.code.release(mark);
        }
        Some(())
    }

    /// Moves a value to where its step's lies. An invariant one fills both of its locals.
    fn keep(&self, at: usize, value: Parts, invariant: bool) {
        let Some(to) = self.values.get(at) else {
            return;
        };
        let count = if invariant || value[0] != value[1] {
            2
        } else {
            1
        };
        for (from, to) in value.into_iter().zip(to).take(count) {
            self.code.get(from);
            self.code.set(*to);
        }
    }

    fn step(&self, step: &Step, pass: Pass) -> Option<Parts> {
        let ops = self.ops(matches!(pass, Pass::One));
        let value = |at: usize| self.values.get(at).copied();
        let of = |at: usize| self.plan.program.steps.get(at).and_then(kind);
        let own = kind(step)?;
        match step.code {
            What::Load(k) => self.load(k, pass),
            What::Const(_) => None,
            What::Unary(op, a) => ops.unary(op, of(a)?, value(a)?),
            What::Binary(op, a, b) => ops.binary(op, of(a)?, value(a)?, value(b)?),
            What::Select(c, a, b) => Some(ops.select(own, value(c)?, value(a)?, value(b)?)),
            What::Cast(a) => Some(ops.cast(of(a)?, own, value(a)?)),
            What::Round(a) => ops.round(step.dtype, value(a)?),
        }
    }

    /// Puts the element at the address on the stack, and the offset past it, in every lane.
    fn splat(&self, dtype: DType, offset: u32) {
        let size = dtype.size().trailing_zeros();
        self.code.memory(simd::LOAD8_SPLAT + size, offset);
    }

    fn load(&self, k: usize, pass: Pass) -> Option<Parts> {
        let stream = self.stream(k)?;
        let address = Self::address(k as u32);
        let dtype = stream.dtype;
        let size = dtype.size() as u32;
        let from = |offset, op| {
            self.code.with(LOCAL_GET, address);
            self.code.memory(op, offset);
            self.code.set_fresh()
        };
        let raw = match (pass, stream.access) {
            (Pass::Four(past), Access::Run) => match size {
                8 => [from(8 * past, simd::LOAD), from(8 * past + 16, simd::LOAD)],
                4 => [from(4 * past, simd::LOAD); 2],
                2 => [from(2 * past, simd::LOAD64_ZERO); 2],
                _ => [from(past, simd::LOAD32_ZERO); 2],
            },
            (Pass::Four(past), Access::Strided) => self.gather(address, past, dtype),
            _ => {
                self.code.with(LOCAL_GET, address);
                self.splat(dtype, 0);
                [self.code.set_fresh(); 2]
            }
        };
        Some(self.widen(self.ops(matches!(pass, Pass::One)), dtype, raw))
    }

    /// Four elements a stride apart, the first of them so many past the address.
    fn gather(&self, address: u32, past: u32, dtype: DType) -> Parts {
        let code = self.code;
        let load = simd::LOAD8_LANE + dtype.size().trailing_zeros();
        let vector = |elements: std::ops::Range<u32>| {
            let to = Place::local(code.fresh());
            for (lane, element) in elements.enumerate() {
                code.with(LOCAL_GET, address);
                self.past(address, past + element);
                if lane == 0 {
                    self.splat(dtype, 0);
                } else {
                    code.get(to);
                    code.memory_lane(load, 0, lane as u8);
                }
                code.set(to);
            }
            to
        };
        match dtype.size() {
            8 => [vector(0..2), vector(2..4)],
            _ => [vector(0..4); 2],
        }
    }

    /// Moves the address on the stack on by so many strides.
    fn past(&self, address: u32, elements: u32) {
        if elements == 0 {
            return;
        }
        self.code.with(LOCAL_GET, address + 1);
        if elements > 1 {
            self.code.constant(I32_CONST, elements.into());
            self.code.plain(I32_MUL);
        }
        self.code.plain(I32_ADD);
    }

    /// Elements as they lie in memory as values.
    fn widen(&self, ops: Ops, dtype: DType, raw: Parts) -> Parts {
        let code = self.code;
        let unsigned = if dtype.is_unsigned() { 2 } else { 0 };
        let mut narrow = raw[0];
        match dtype {
            DType::Bool => {
                let zero = code.bits(0);
                narrow = code.apply(simd::I8X16_NE, &[narrow, zero]);
                for op in [simd::I16X8_EXTEND_LOW, simd::I32X4_EXTEND_LOW] {
                    narrow = code.apply(op, &[narrow]);
                }
                return [narrow; 2];
            }
            _ if dtype.is_integer() && dtype.size() < 8 => {}
            _ => return raw,
        }
        if dtype.size() == 1 {
            narrow = code.apply(simd::I16X8_EXTEND_LOW + unsigned, &[narrow]);
        }
        if dtype.size() <= 2 {
            narrow = code.apply(simd::I32X4_EXTEND_LOW + unsigned, &[narrow]);
        }
        let low = code.apply(simd::I64X2_EXTEND_LOW + unsigned, &[narrow]);
        match ops.single {
            true => [low; 2],
            false => [
                low,
                code.apply(simd::I64X2_EXTEND_HIGH + unsigned, &[narrow]),
            ],
        }
    }

    fn store(&self, pass: Pass) {
        let results = self.plan.program.results.iter();
        for (number, &step) in results.enumerate() {
            let place = self.plan.inputs + number;
            if let (Some(stream), Some(value)) = (self.stream(place), self.values.get(step)) {
                let mark = self.code.mark();
                self.store_one(place as u32, stream.dtype, *value, pass);
                self.code.release(mark);
            }
        }
    }

    fn store_one(&self, stream: u32, dtype: DType, value: Parts, pass: Pass) {
        let code = self.code;
        let size = dtype.size();
        let past = match pass {
            Pass::Four(past) => past * size as u32,
            _ => 0,
        };
        let mut first = value[0];
        if dtype == DType::Bool {
            // A choice of all bits of a lane is 1.
            let one = code.bits(0x0000_0001_0000_0001);
            first = code.apply(simd::AND, &[first, one]);
        }
        let to = |place: Place, offset: u32, op: u32, is_lane: bool| {
            code.with(LOCAL_GET, Self::address(stream));
            code.get(place);
            match is_lane {
                true => code.memory_lane(op, past + offset, 0),
                false => code.memory(op, past + offset),
            }
        };
        let lane = simd::STORE8_LANE + size.trailing_zeros();
        if matches!(pass, Pass::One) {
            return to(first, 0, lane, true);
        }
        match dtype {
            DType::Bool => {
                let halves = code.apply(simd::I16X8_NARROW, &[first, first]);
                let bytes = code.apply(simd::I8X16_NARROW, &[halves, halves]);
                to(bytes, 0, simd::STORE8_LANE + 2, true);
            }
            _ if size == 8 => {
                to(first, 0, simd::STORE, false);
                to(value[1], 16, simd::STORE, false);
            }
            _ if dtype.is_integer() => {
                // The low bytes of each element, after each other.
                let mut lanes = [0; 16];
                for (i, to) in lanes.iter_mut().enumerate().take(4 * size) {
                    *to = (i / size * 8 + i % size) as u8;
                }
                let packed = code.shuffle(first, value[1], lanes);
                match size {
                    4 => to(packed, 0, simd::STORE, false),
                    _ => to(
                        packed,
                        0,
                        simd::STORE8_LANE + (4 * size).trailing_zeros(),
                        true,
                    ),
                }
            }
            _ => to(first, 0, simd::STORE, false),
        }
    }
}

/// How a constant of the type lies among the words.
pub(super) fn memory_of(kind: Wide) -> DType {
    match kind {
        Wide::Bool => DType::Bool,
        Wide::I64 => DType::I64,
        Wide::F32 => DType::F32,
        Wide::F64 => DType::F64,
    }
}

/// The module around a function's body: it takes the engine's memory and table of functions, and
/// gives the function as `f`.
fn wrap(body: &[u8], words: u32, vectors: u32) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    let mut section = |id: u8, content: &[u8]| {
        module.push(id);
        unsigned(&mut module, content.len() as u32);
        module.extend_from_slice(content);
    };
    // Functions of one and of two i32, without results.
    section(1, &[2, 0x60, 1, 0x7f, 0, 0x60, 2, 0x7f, 0x7f, 0]);
    section(2, b"\x02\x01e\x01m\x02\x00\x00\x01e\x01t\x01\x70\x00\x00");
    section(3, &[1, 0]);
    section(7, b"\x01\x01f\x00\x00");
    let mut locals = vec![2];
    for (count, kind) in [(words, 0x7f), (vectors, 0x7b)] {
        unsigned(&mut locals, count);
        locals.push(kind);
    }
    let mut function = vec![1];
    unsigned(&mut function, (locals.len() + body.len()) as u32);
    function.extend_from_slice(&locals);
    function.extend_from_slice(body);
    section(10, &function);
    module
}
