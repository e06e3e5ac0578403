//! What two loops must agree in to be one: steps, types and how operands lie, but not constants.

use super::layout::Stream;
use crate::dtype::DType;
use crate::expr::program::{Code, Program};

fn dtype_code(dtype: DType) -> u8 {
    let place = DType::NUMERIC.iter().position(|d| *d == dtype);
    place.map_or(u8::MAX, |at| at as u8)
}

/// The program and its streams as bytes. Two that differ have different bytes.
pub(super) fn key(program: &Program, streams: &[Option<Stream>]) -> Vec<u8> {
    let mut key = Vec::with_capacity(6 * program.steps.len() + 2 * streams.len() + 8);
    let number = |key: &mut Vec<u8>, n: usize| key.extend_from_slice(&(n as u16).to_le_bytes());
    for step in &program.steps {
        let (tag, op) = match step.code {
            Code::Load(_) => (0, 0),
            Code::Const(_) => (1, 0),
            Code::Unary(op, _) => (2, op as u8),
            Code::Binary(op, ..) => (3, op as u8),
            Code::Select(..) => (4, 0),
            Code::Cast(_) => (5, 0),
            Code::Round(_) => (6, 0),
        };
        key.extend_from_slice(&[tag, op, dtype_code(step.dtype)]);
        if let Code::Load(k) = step.code {
            number(&mut key, k);
        }
        for operand in step.code.operands().into_iter().flatten() {
            number(&mut key, operand);
        }
    }
    key.push(u8::MAX);
    for stream in streams {
        match stream {
            Some(s) => key.extend_from_slice(&[dtype_code(s.dtype), s.access as u8]),
            None => key.push(u8::MAX),
        }
    }
    for step in &program.results {
        number(&mut key, *step);
    }
    key
}

/// FNV-1a of 64 bits.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
