//! Draws, equal to those of torch's CPU generator.

use strand_array::random::Generator;
use strand_array::{Array, BinaryOp, Context, DType, Expr as EngineExpr, Node as Step, Out};
use strand_array::{ArrayError, Scalar, UnaryOp};
use strand_ir::Expr;
use strand_ops::OpId;
use strand_source::Code;

use crate::error::{Run, fail, malformed};
use crate::machine::{Frame, Machine};
use crate::op::Params;
use crate::value::{Data, Tensor};

/// The seed of dropout's draws, which nothing compares: any that is the same in every run.
const DROPOUT_SEED: u64 = 0x5354_524e;

impl<'p> Machine<'p, '_> {
    /// `normal(T, std, mean, seed)`, `uniform(T, low, high, seed)`
    #[inline(never)]
    pub(crate) fn draw(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        params: &'p Params,
    ) -> Run<Tensor> {
        let (shape, dtype) = self.shape_of(e)?;
        let seed = match params.iter().find(|(name, _)| *name == "seed") {
            Some((_, seed)) => self.int(frame, seed)?,
            None => return Err(malformed(e.span, "a draw without a seed")),
        };
        let mut generator = Generator::new(seed as u64);
        let array = if op == OpId::RandInt {
            let mut bounds = [0; 2];
            for (bound, (_, value)) in bounds.iter_mut().zip(params) {
                *bound = self.int(frame, value)?;
            }
            if bounds[0] >= bounds[1] {
                let [low, high] = bounds;
                let message = format!("there is no whole number from {low} below {high}");
                return Err(fail(Code::R02, e.span, message));
            }
            let (least, greatest) = dtype.bounds();
            if bounds[0] < least || bounds[1] - 1 > greatest {
                let message = format!("{dtype} holds {least} to {greatest} only");
                return Err(fail(Code::R02, e.span, message));
            }
            generator
                .randint(&self.graph.ctx, bounds[0], bounds[1], &shape)
                .and_then(|drawn| drawn.cast(&self.graph.ctx, dtype))
        } else if op == OpId::Normal {
            let std = self.number(frame, params, "std", 1.0)?;
            let mean = self.number(frame, params, "mean", 0.0)?;
            if std < 0.0 {
                return Err(fail(Code::R02, e.span, "the deviation is negative"));
            }
            normal(&self.graph.ctx, &mut generator, &shape, dtype, mean, std)
        } else {
            let low = self.number(frame, params, "low", 0.0)?;
            let high = self.number(frame, params, "high", 1.0)?;
            if low > high {
                return Err(fail(Code::R02, e.span, "low is above high"));
            }
            uniform(&self.graph.ctx, &mut generator, &shape, dtype, low, high)
        };
        self.made(array, e.span)
    }

    pub(crate) fn number(
        &mut self,
        frame: &mut Frame<'p>,
        params: &'p Params,
        name: &str,
        default: f64,
    ) -> Run<f64> {
        match params.iter().find(|(given, _)| *given == name) {
            Some((_, value)) => self.float(frame, value),
            None => Ok(default),
        }
    }

    /// `dropout(x, p)` in the mode that `with` set.
    #[inline(never)]
    pub(crate) fn dropout(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
        params: &'p Params,
    ) -> Run<Tensor> {
        let [arg] = args else {
            return Err(malformed(e.span, "dropout of other than one"));
        };
        let tensor = self.tensor(frame, arg)?;
        let p = self.number(frame, params, "p", 0.5)?;
        if !(0.0..=1.0).contains(&p) {
            return Err(fail(Code::R02, e.span, "p isn't between 0 and 1"));
        }
        match self.training {
            Some(true) => self.drop_out(tensor, p, e),
            Some(false) => Ok(tensor),
            None => Err(malformed(e.span, "dropout without a mode")),
        }
    }

    fn drop_out(&mut self, tensor: Tensor, p: f64, e: &'p Expr) -> Run<Tensor> {
        let mut generator = Generator::new(DROPOUT_SEED.wrapping_add(self.draws));
        self.draws = self.draws.wrapping_add(1);
        let dtype = tensor.dtype();
        let drawn = generator.uniform(&self.graph.ctx, tensor.shape());
        let drawn = self.made(drawn, e.span)?;
        let p = Tensor::scalar(Scalar::F32(p as f32));
        let kept = self.elementwise(OpId::Ge, vec![drawn, p.clone()], e.span)?;
        let kept = Tensor {
            levels: tensor.levels,
            ..kept
        };
        let keep = match p.data {
            Data::Scalar(p) => 1.0 - p.to_f64(),
            Data::Node(_) => 1.0,
        };
        let scale = if keep > 0.0 { 1.0 / keep } else { 0.0 };
        let scale = Tensor::scalar(Scalar::F64(scale).cast(dtype));
        let scaled = self.elementwise(OpId::Mul, vec![tensor, scale], e.span)?;
        let zero = Tensor::scalar(Scalar::I64(0).cast(dtype));
        self.elementwise(OpId::Where, vec![kept, scaled, zero], e.span)
    }
}

/// Normally distributed numbers of `dtype`.
pub(crate) fn normal(
    ctx: &Context,
    generator: &mut Generator,
    shape: &[usize],
    dtype: DType,
    mean: f64,
    std: f64,
) -> Result<Array, ArrayError> {
    match dtype {
        DType::F64 => normal_f64(ctx, generator, shape, mean, std),
        DType::F32 => generator.normal(ctx, shape, mean, std),
        DType::F16 | DType::BF16 => normal_half(ctx, generator, shape, mean, std)?.cast(ctx, dtype),
        dtype => Err(ArrayError::Unsupported {
            op: "normal",
            dtype,
        }),
    }
}

/// The numbers of halves before they are rounded. From 16 on they are drawn in whole blocks of 16,
/// and the last block's are the last 16 numbers.
fn normal_half(
    ctx: &Context,
    generator: &mut Generator,
    shape: &[usize],
    mean: f64,
    std: f64,
) -> Result<Array, ArrayError> {
    let count = shape
        .iter()
        .try_fold(1usize, |all, size| all.checked_mul(*size));
    let drawn = match count {
        Some(count) if count > 16 => count.checked_next_multiple_of(16),
        count => count,
    };
    let (Some(count), Some(drawn)) = (count, drawn) else {
        return Err(ArrayError::TooLarge { what: "the shape" });
    };
    if count == drawn {
        return generator.normal(ctx, shape, mean, std);
    }
    let all = generator.normal(ctx, &[drawn], mean, std)?;
    let (first, last) = ((count - 16) as i64, (drawn - 16) as i64);
    let parts = [
        all.slice(0, None, Some(first), 1)?,
        all.slice(0, Some(last), None, 1)?,
    ];
    strand_array::concat(ctx, &parts, 0)?.reshape(ctx, shape)
}

/// Evenly distributed numbers of `dtype`, from `low` up to `high`.
pub(crate) fn uniform(
    ctx: &Context,
    generator: &mut Generator,
    shape: &[usize],
    dtype: DType,
    low: f64,
    high: f64,
) -> Result<Array, ArrayError> {
    let unit = match dtype {
        DType::F64 => {
            let count = shape
                .iter()
                .try_fold(1usize, |all, size| all.checked_mul(*size));
            let count = count.ok_or(ArrayError::TooLarge { what: "the shape" })?;
            // Made first, so that the memory limit is asked before any number is drawn.
            drop(Array::zeros(ctx, shape, dtype)?);
            let drawn: Vec<f64> = (0..count).map(|_| unit_f64(generator)).collect();
            crate::value::floats(ctx, &drawn, shape, dtype)?
        }
        // Halves are drawn and scaled as f32, and rounded once.
        DType::F32 | DType::F16 | DType::BF16 => generator.uniform(ctx, shape)?,
        dtype => {
            return Err(ArrayError::Unsupported {
                op: "uniform",
                dtype,
            });
        }
    };
    if low == 0.0 && high == 1.0 && unit.dtype() == dtype {
        return Ok(unit);
    }
    let (low, high) = (Scalar::F64(low).cast(dtype), Scalar::F64(high).cast(dtype));
    let width = match (low, high) {
        (Scalar::F32(low), Scalar::F32(high)) | (Scalar::Half(_, low), Scalar::Half(_, high)) => {
            Scalar::F32(high - low)
        }
        (low, high) => Scalar::F64(high.to_f64() - low.to_f64()),
    };
    let mut expr = EngineExpr::new();
    let x = expr.input(&unit);
    let width = expr.push(Step::Const(width));
    let low = expr.push(Step::Const(low.cast(unit.dtype())));
    let scaled = expr.push(Step::Binary(BinaryOp::Mul, x, width));
    let moved = expr.push(Step::Binary(BinaryOp::Add, scaled, low));
    let rounded = expr.push(Step::Cast(dtype, moved));
    expr.outs.push(Out::Store(rounded));
    one(expr.eval(ctx)?)
}

fn one(mut arrays: Vec<Array>) -> Result<Array, ArrayError> {
    arrays.pop().ok_or(ArrayError::BadExpr { why: "no result" })
}

/// A number from 0 to 1 with 53 bits.
fn unit_f64(generator: &mut Generator) -> f64 {
    (generator.next_u64() & ((1 << 53) - 1)) as f64 / (1u64 << 53) as f64
}

/// Box-Muller as torch has it: pairs under 16 elements, else blocks of 16, the last drawn again
/// where the length isn't a multiple.
fn normal_f64(
    ctx: &Context,
    generator: &mut Generator,
    shape: &[usize],
    mean: f64,
    std: f64,
) -> Result<Array, ArrayError> {
    let zeros = Array::zeros(ctx, shape, DType::F64)?;
    let count = zeros.len();
    // Places of a pair's numbers, with the angle's draw and the radius's.
    let mut out = vec![0.0; count];
    if count < 16 {
        let mut turns = Vec::new();
        let mut radii = Vec::new();
        for _ in 0..count.div_ceil(2) {
            turns.push(unit_f64(generator));
            radii.push(-unit_f64(generator));
        }
        let (first, second) = pairs(ctx, &turns, &radii, UnaryOp::Log1p, mean, std)?;
        for (at, value) in out.iter_mut().enumerate() {
            let side = if at % 2 == 0 { &first } else { &second };
            *value = side.get(at / 2).copied().unwrap_or(0.0);
        }
    } else {
        let drawn: Vec<f64> = (0..count).map(|_| unit_f64(generator)).collect();
        for (to, from) in out.chunks_exact_mut(16).zip(drawn.chunks_exact(16)) {
            block(ctx, from, to, mean, std)?;
        }
        if count % 16 != 0 {
            let again: Vec<f64> = (0..16).map(|_| unit_f64(generator)).collect();
            if let Some(last) = out.last_chunk_mut::<16>() {
                block(ctx, &again, last, mean, std)?;
            }
        }
    }
    drop(zeros);
    crate::value::floats(ctx, &out, shape, DType::F64)
}

fn block(
    ctx: &Context,
    from: &[f64],
    to: &mut [f64],
    mean: f64,
    std: f64,
) -> Result<(), ArrayError> {
    let radii: Vec<f64> = from.iter().take(8).map(|u| 1.0 - u).collect();
    let turns = from.get(8..).unwrap_or(&[]);
    let (first, second) = pairs(ctx, turns, &radii, UnaryOp::Log, mean, std)?;
    for (to, value) in to.iter_mut().zip(first.into_iter().chain(second)) {
        *to = value;
    }
    Ok(())
}

/// `radius * cos(angle) * std + mean` and the same with sin, by the engine's own functions.
fn pairs(
    ctx: &Context,
    turns: &[f64],
    radii: &[f64],
    log: UnaryOp,
    mean: f64,
    std: f64,
) -> Result<(Vec<f64>, Vec<f64>), ArrayError> {
    let mut expr = EngineExpr::new();
    let turns = expr.input(&crate::value::floats(
        ctx,
        turns,
        &[turns.len()],
        DType::F64,
    )?);
    let radii = expr.input(&crate::value::floats(
        ctx,
        radii,
        &[radii.len()],
        DType::F64,
    )?);
    let constant = |expr: &mut EngineExpr, value| expr.push(Step::Const(Scalar::F64(value)));
    let circle = constant(&mut expr, 2.0 * std::f64::consts::PI);
    let minus_two = constant(&mut expr, -2.0);
    let (mean, std) = (constant(&mut expr, mean), constant(&mut expr, std));
    let angle = expr.push(Step::Binary(BinaryOp::Mul, turns, circle));
    let log = expr.push(Step::Unary(log, radii));
    let square = expr.push(Step::Binary(BinaryOp::Mul, minus_two, log));
    let radius = expr.push(Step::Unary(UnaryOp::Sqrt, square));
    for part in [UnaryOp::Cos, UnaryOp::Sin] {
        let part = expr.push(Step::Unary(part, angle));
        let plain = expr.push(Step::Binary(BinaryOp::Mul, radius, part));
        let wide = expr.push(Step::Binary(BinaryOp::Mul, plain, std));
        let moved = expr.push(Step::Binary(BinaryOp::Add, wide, mean));
        expr.outs.push(Out::Store(moved));
    }
    let mut results = expr.eval(ctx)?;
    let second = results.pop().map(|a| a.to_vec_f64()).unwrap_or_default();
    let first = results.pop().map(|a| a.to_vec_f64()).unwrap_or_default();
    Ok((first, second))
}
