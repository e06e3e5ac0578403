//! Built-ins with rules of their own, on arrays whose chain levels stand in front.

use strand_array::{Array, BinaryOp, DType, ReduceOp, Scalar, UnaryOp};
use strand_ir::{Expr, ExprKind, Over};
use strand_ops::OpId;
use strand_source::{Code, Span};

use crate::chain::{greatest, least};
use crate::element::element_op;
use crate::error::{Run, fail, from_array, malformed};
use crate::graph::ElementOp;
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::op::{Params, own_axes};
use crate::value::{Tensor, Val, whole_numbers};

/// A call of such a built-in.
#[derive(Clone, Copy)]
struct Call<'p> {
    e: &'p Expr,
    over: &'p Over,
    params: &'p Params,
}

impl<'p> Machine<'p, '_> {
    /// A built-in with a rule of its own, or a method of a binary function.
    #[inline(never)]
    pub(crate) fn special(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
        over: &'p Over,
        params: &'p Params,
    ) -> Run<Val> {
        let mut tensors = Vec::with_capacity(args.len());
        for arg in args {
            tensors.push(self.tensor(frame, arg)?);
        }
        let call = Call { e, over, params };
        let tensor = match (op, tensors.as_slice()) {
            (OpId::TopK, [x]) => return self.topk(frame, call, x),
            (OpId::Diff, [x]) => self.diff(call, x)?,
            (OpId::NonZero | OpId::Unique, [x]) => self.found(call, op, x)?,
            (OpId::BinCount, [x]) => self.bincount(call, x)?,
            (OpId::SearchSorted, [sorted, values]) => {
                let (arrays, levels) = self.together(&[sorted, values], e.span)?;
                let [sorted, values] = arrays.as_slice() else {
                    return Err(malformed(e.span, "searchsorted of other than two"));
                };
                let ctx = &self.graph.ctx;
                let places = strand_array::searchsorted(ctx, sorted, values, levels.count());
                self.made_at(places, levels, e.span)?
            }
            (OpId::Dot, [a, b]) => self.matmul(a, b, e.span)?,
            (OpId::Expand, [x]) => self.expand(call, x)?,
            (OpId::Linspace, []) => self.linspace(frame, call)?,
            (OpId::Einsum, operands) => self.einsum(call, operands)?,
            (OpId::Conv1d | OpId::Conv2d, [x, w, ..]) => {
                self.convolve(frame, call, x, w, tensors.get(2))?
            }
            (OpId::MaxPool2d, [x]) => self.pool(frame, call, x)?,
            (OpId::At, [x, index, values]) => self.put_at(call, [x, index, values])?,
            (OpId::ReduceAt, [x, offsets]) => self.reduce_at(call, x, offsets)?,
            _ => return Err(malformed(e.span, op.name())),
        };
        let value = Val::Tensor(tensor);
        self.bind_births(&e.ty, &value);
        Ok(value)
    }

    /// The arrays of tensors, all with the same levels in front.
    fn together(&mut self, tensors: &[&Tensor], span: Span) -> Run<(Vec<Array>, Levels)> {
        let none = Levels::NONE;
        let levels = tensors.iter().fold(none, |all, one| all.union(one.levels));
        let mut arrays = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            let whole = self.spread(tensor, levels, span)?;
            arrays.push(self.array(&whole, span)?);
        }
        Ok((arrays, levels))
    }

    fn made_at(
        &mut self,
        array: strand_array::Result<Array>,
        levels: Levels,
        span: Span,
    ) -> Run<Tensor> {
        let made = self.made(array, span)?;
        Ok(Tensor { levels, ..made })
    }

    fn whole_param(
        &mut self,
        frame: &mut Frame<'p>,
        call: Call<'p>,
        name: &str,
    ) -> Run<Option<i64>> {
        match call.params.iter().find(|(given, _)| *given == name) {
            Some((_, value)) => self.int(frame, value).map(Some),
            None => Ok(None),
        }
    }

    /// The place in the array of the axis that a call works over.
    fn axis_of(&self, call: Call<'p>, tensor: &Tensor) -> Run<usize> {
        match own_axes(tensor, call.over, call.e.span)?[..] {
            [axis] => Ok(tensor.levels.count() + axis),
            _ => Err(malformed(call.e.span, "an operation along several axes")),
        }
    }

    // Along an axis

    fn topk(&mut self, frame: &mut Frame<'p>, call: Call<'p>, x: &Tensor) -> Run<Val> {
        let span = call.e.span;
        let axis = self.axis_of(call, x)?;
        let k = self.whole_param(frame, call, "k")?.unwrap_or(0);
        let array = self.array(x, span)?;
        let size = array.shape().get(axis).copied().unwrap_or(0);
        let Some(k) = usize::try_from(k).ok().filter(|k| *k <= size) else {
            let message = format!("topk can't take {k} of {size}");
            return Err(fail(Code::R03, span, message));
        };
        let found = strand_array::topk(&self.graph.ctx, &array, k, axis);
        let (values, places) = found.map_err(|e| from_array(&e, span))?;
        let parts = [values, places].map(|part| self.made_at(Ok(part), x.levels, span));
        let [values, places] = parts;
        let parts = vec![Val::Tensor(values?), Val::Tensor(places?)];
        if let strand_ir::Type::Tuple(types) = &call.e.ty {
            for (ty, part) in types.iter().zip(&parts) {
                self.bind_births(ty, part);
            }
        }
        Ok(Val::Tuple(parts.into()))
    }

    fn diff(&mut self, call: Call<'p>, x: &Tensor) -> Run<Tensor> {
        let span = call.e.span;
        let axis = self.axis_of(call, x)?;
        let array = self.array(x, span)?;
        if array.shape().get(axis) == Some(&0) {
            let message = "diff of an axis without elements";
            return Err(fail(Code::R01, span, message));
        }
        let later = self.made_at(array.slice(axis, Some(1), None, 1), x.levels, span)?;
        let before = self.made_at(array.slice(axis, None, Some(-1), 1), x.levels, span)?;
        self.apply(ElementOp::Binary(BinaryOp::Sub), vec![later, before], span)
    }

    /// The middle of an axis, or of all own axes: the lower one of two, NaN where one is.
    pub(crate) fn median(&mut self, x: &Tensor, over: &Over, span: Span) -> Run<Tensor> {
        let lead = x.levels.count();
        let mut array = self.array(x, span)?;
        let axis = match over {
            Over::Axes(axes) => lead + axes.first().copied().unwrap_or(0),
            _ => {
                let mut shape = array.shape().get(..lead).unwrap_or(&[]).to_vec();
                shape.push(x.own_shape().iter().product());
                let flat = array.reshape(&self.graph.ctx, &shape);
                array = flat.map_err(|e| from_array(&e, span))?;
                lead
            }
        };
        let size = array.shape().get(axis).copied().unwrap_or(0);
        let sorted = strand_array::sort(&self.graph.ctx, &array, axis, false);
        let sorted = sorted.map_err(|e| from_array(&e, span))?;
        if size == 0 && matches!(over, Over::All) && array.dtype().is_float() {
            let shape = array.shape().get(..lead).unwrap_or(&[]);
            let nan = Scalar::F64(f64::NAN).cast(array.dtype());
            let nan = Array::full(&self.graph.ctx, shape, nan);
            return self.made_at(nan, x.levels, span);
        }
        if size == 0 {
            let message = "median of no elements has no value";
            return Err(fail(Code::R02, span, message));
        }
        let at = |place: usize| sorted.select(axis, place as i64);
        let middle = self.made_at(at((size - 1) / 2), x.levels, span)?;
        if !array.dtype().is_float() {
            return Ok(middle);
        }
        let last = self.made_at(at(size - 1), x.levels, span)?;
        let nan = self.apply(ElementOp::Unary(UnaryOp::IsNan), vec![last.clone()], span)?;
        self.apply(ElementOp::Select, vec![nan, last, middle], span)
    }

    // What the values decide

    fn found(&mut self, call: Call<'p>, op: OpId, x: &Tensor) -> Run<Tensor> {
        let span = call.e.span;
        if !x.levels.is_empty() {
            return Err(malformed(span, "a number of elements per element"));
        }
        let array = self.array(x, span)?;
        let ctx = &self.graph.ctx;
        let made = if op == OpId::NonZero {
            strand_array::nonzero(ctx, &array)
                .and_then(|places| strand_array::stack(ctx, &places, 1))
        } else {
            unique(ctx, &array)
        };
        self.made(made, span)
    }

    fn bincount(&mut self, call: Call<'p>, x: &Tensor) -> Run<Tensor> {
        let span = call.e.span;
        let ty = call.e.ty.tensor();
        let size = ty.and_then(|ty| self.known_size(&ty.axes.first()?.size));
        let array = self.array(x, span)?;
        let numbers = array.to_vec_i64();
        if let Some(odd) = numbers.iter().find(|number| **number < 0) {
            let message = format!("bincount counts numbers from 0 on, not {odd}");
            return Err(fail(Code::R02, span, message));
        }
        let is_index = ty.is_some_and(|ty| {
            let symbol = ty.axes.first().and_then(|axis| axis.size.as_symbol());
            let kind = symbol.map(|symbol| self.program.symbols.get(symbol).kind);
            kind != Some(strand_ir::SymbolKind::Birth)
        });
        let size = match size {
            Some(size) if is_index => size,
            _ => numbers
                .iter()
                .max()
                .map_or(0, |most| most.saturating_add(1)),
        };
        let size = usize::try_from(size).map_err(|_| malformed(span, "a negative size"))?;
        let mut shape = array
            .shape()
            .get(..x.levels.count())
            .unwrap_or(&[])
            .to_vec();
        shape.push(size);
        let (ctx, lead) = (&self.graph.ctx, x.levels.count());
        let counts = Array::zeros(ctx, &shape, DType::I64).and_then(|zeros| {
            let ones = Array::ones(ctx, array.shape(), DType::I64)?;
            strand_array::put_at(ctx, BinaryOp::Add, &zeros, &array, &ones, lead)
        });
        self.made_at(counts, x.levels, span)
    }

    // Other shapes

    fn expand(&mut self, call: Call<'p>, x: &Tensor) -> Run<Tensor> {
        let span = call.e.span;
        let (own, _) = self.shape_of(call.e)?;
        let array = self.aligned_array(x, x.levels, own.len(), span)?;
        let mut shape = array
            .shape()
            .get(..x.levels.count())
            .unwrap_or(&[])
            .to_vec();
        shape.extend(own);
        let wide = array.broadcast_to(&shape);
        self.made_at(wide, x.levels, span)
    }

    fn linspace(&mut self, frame: &mut Frame<'p>, call: Call<'p>) -> Run<Tensor> {
        let (shape, dtype) = self.shape_of(call.e)?;
        let mut ends = [0.0; 2];
        for (end, (_, value)) in ends.iter_mut().zip(call.params) {
            *end = self.float(frame, value)?;
        }
        let count = shape.first().copied().unwrap_or(0);
        let array = Array::linspace(&self.graph.ctx, ends[0], ends[1], count, dtype);
        self.made(array, call.e.span)
    }

    /// The product of operands whose axes are lined up by their letters, summed over those that the
    /// result lacks.
    fn einsum(&mut self, call: Call<'p>, operands: &[Tensor]) -> Run<Tensor> {
        let span = call.e.span;
        let equation = match call.params.first() {
            Some((
                _,
                Expr {
                    kind: ExprKind::Str(text),
                    ..
                },
            )) => text.as_str(),
            _ => return Err(malformed(span, "an einsum without its equation")),
        };
        let (from, to) = equation.split_once("->").unwrap_or((equation, ""));
        // The result's axes, then those that are summed.
        let mut letters: Vec<char> = to.chars().collect();
        for letter in from.chars().filter(|letter| *letter != ',') {
            if !letters.contains(&letter) {
                letters.push(letter);
            }
        }
        let mut product: Option<Tensor> = None;
        for (operand, term) in operands.iter().zip(from.split(',')) {
            let lined = self.lined_up(operand, term, &letters, span)?;
            product = Some(match product {
                None => lined,
                Some(product) => {
                    let times = ElementOp::Binary(BinaryOp::Mul);
                    self.apply(times, vec![product, lined], span)?
                }
            });
        }
        let product = product.ok_or_else(|| malformed(span, "an einsum of nothing"))?;
        let summed: Vec<usize> = (to.chars().count()..letters.len()).collect();
        if summed.is_empty() {
            return Ok(product);
        }
        self.reduce(OpId::Sum, &product, &summed, span)
    }

    /// An operand with its axes in the letters' order, of size 1 where it lacks one.
    fn lined_up(&mut self, x: &Tensor, term: &str, letters: &[char], span: Span) -> Run<Tensor> {
        let lead = x.levels.count();
        let array = self.array(x, span)?;
        let mut order: Vec<usize> = (0..lead).collect();
        for letter in letters {
            order.extend(
                term.chars()
                    .position(|own| own == *letter)
                    .map(|at| lead + at),
            );
        }
        let turned = array.permute(&order).and_then(|mut turned| {
            for (at, letter) in letters.iter().enumerate() {
                if !term.contains(*letter) {
                    turned = turned.insert_axis(lead + at)?;
                }
            }
            Ok(turned)
        });
        self.made_at(turned, x.levels, span)
    }

    // Windows

    /// The stride and the padding of a call.
    fn steps(
        &mut self,
        frame: &mut Frame<'p>,
        call: Call<'p>,
        default: usize,
    ) -> Run<(usize, usize)> {
        let stride = self.whole_param(frame, call, "stride")?;
        let padding = self.whole_param(frame, call, "padding")?.unwrap_or(0);
        let stride = match stride {
            Some(stride) => usize::try_from(stride).ok().filter(|stride| *stride > 0),
            None => Some(default),
        };
        match (stride, usize::try_from(padding)) {
            (Some(stride), Ok(padding)) => Ok((stride, padding)),
            _ => {
                let message = "the stride is at least 1 and the padding at least 0";
                Err(fail(Code::R02, call.e.span, message))
            }
        }
    }

    /// The windows along the last axes of an array, padded at both ends: `[…, places, windows]`.
    fn windows(
        &mut self,
        x: &Tensor,
        sizes: &[usize],
        (stride, padding): (usize, usize),
        fill: Scalar,
        span: Span,
    ) -> Run<Array> {
        let mut array = self.array(x, span)?;
        let first = array.rank() - sizes.len();
        let ctx = &self.graph.ctx;
        // Padded whole: a window has what is beside it more than once.
        for axis in first..array.rank() {
            if padding > 0 {
                let mut shape = array.shape().to_vec();
                if let Some(size) = shape.get_mut(axis) {
                    *size = padding;
                }
                let padded = Array::full(ctx, &shape, fill)
                    .and_then(|ends| strand_array::concat(ctx, &[ends.clone(), array, ends], axis));
                array = padded.map_err(|e| from_array(&e, span))?;
            }
        }
        for (at, size) in sizes.iter().enumerate() {
            let axis = first + at;
            let room = array.shape().get(axis).copied().unwrap_or(0);
            if *size > room {
                let message = format!("a window of {size} doesn't fit into {room}");
                return Err(fail(Code::R01, span, message));
            }
            let windows = array.windows(axis, *size, stride);
            array = windows.map_err(|e| from_array(&e, span))?;
        }
        Ok(array)
    }

    fn convolve(
        &mut self,
        frame: &mut Frame<'p>,
        call: Call<'p>,
        x: &Tensor,
        w: &Tensor,
        bias: Option<&Tensor>,
    ) -> Run<Tensor> {
        let span = call.e.span;
        let steps = self.steps(frame, call, 1)?;
        let sizes = w.own_shape().get(2..).unwrap_or(&[]).to_vec();
        let along = sizes.len();
        let zero = Scalar::I64(0).cast(x.dtype());
        let windows = self.windows(x, &sizes, steps, zero, span)?;
        // [batch, channels, places, windows] to [batch, places, channels * windows].
        let channels = windows.rank() - 2 * along - 1;
        let mut order: Vec<usize> = (0..windows.rank()).collect();
        order.remove(channels);
        order.insert(channels + along, channels);
        let turned = windows.permute(&order).map_err(|e| from_array(&e, span))?;
        let (outer, places) = turned.shape().split_at(channels);
        let places = places.get(..along).unwrap_or(&[]).to_vec();
        let deep: usize = w.own_shape().iter().skip(1).product();
        let outer = outer.to_vec();
        let shape = [outer.as_slice(), &[places.iter().product(), deep]].concat();
        let rows = turned.reshape(&self.graph.ctx, &shape);
        // The rows hold all of it.
        drop((turned, windows));
        let rows = self.made_at(rows, x.levels, span)?;
        let weights = self.array(w, span)?;
        let lead = w.levels.count();
        let out = w.own_shape().first().copied().unwrap_or(0);
        let mut shape = weights.shape().get(..lead).unwrap_or(&[]).to_vec();
        shape.extend([out, deep]);
        let columns = weights
            .reshape(&self.graph.ctx, &shape)
            .and_then(|flat| flat.transpose(lead, lead + 1));
        let columns = self.made_at(columns, w.levels, span)?;
        let sums = self.matmul(&rows, &columns, span)?;
        let sums = match bias {
            Some(bias) => {
                let add = ElementOp::Binary(BinaryOp::Add);
                self.apply(add, vec![sums, bias.clone()], span)?
            }
            None => sums,
        };
        // [batch, places, out] to [batch, out, places].
        let array = self.array(&sums, span)?;
        let last = array.rank() - 1;
        let made = array.move_axis(last, last - 1).and_then(|turned| {
            let mut shape = turned.shape().get(..last).unwrap_or(&[]).to_vec();
            shape.extend(&places);
            turned.reshape(&self.graph.ctx, &shape)
        });
        self.made_at(made, sums.levels, span)
    }

    fn pool(&mut self, frame: &mut Frame<'p>, call: Call<'p>, x: &Tensor) -> Run<Tensor> {
        let span = call.e.span;
        let size = self.whole_param(frame, call, "kernel")?.unwrap_or(0);
        let size = usize::try_from(size).ok().filter(|size| *size > 0);
        let Some(size) = size else {
            return Err(fail(Code::R02, span, "a window has a positive size"));
        };
        let steps = self.steps(frame, call, size)?;
        if steps.1 > size / 2 {
            let message = "max_pool2d pads by at most half of its window";
            return Err(fail(Code::R02, span, message));
        }
        let windows = self.windows(x, &[size, size], steps, least(x.dtype()), span)?;
        let rank = windows.rank();
        let windows = self.graph.ready(windows, span);
        let node = self
            .graph
            .reduce(ReduceOp::Max, windows, vec![rank - 2, rank - 1], span)?;
        Ok(Tensor::node(node, x.levels))
    }

    // Methods of binary functions

    /// The function that a method's call names.
    fn function_of(&self, call: Call<'p>) -> Run<(OpId, BinaryOp)> {
        let named = match call.params.first() {
            Some((
                _,
                Expr {
                    kind: ExprKind::Str(name),
                    ..
                },
            )) => strand_ops::find(name),
            _ => None,
        };
        let found = named.and_then(|op| match element_op(op.id) {
            Some(ElementOp::Binary(binary)) => Some((op.id, binary)),
            _ => None,
        });
        found.ok_or_else(|| malformed(call.e.span, "a method without its function"))
    }

    fn put_at(&mut self, call: Call<'p>, parts: [&Tensor; 3]) -> Run<Tensor> {
        let span = call.e.span;
        let (_, function) = self.function_of(call)?;
        let (arrays, levels) = self.together(&parts, span)?;
        let [x, index, values] = arrays.as_slice() else {
            return Err(malformed(span, "at of other than three"));
        };
        let ctx = &self.graph.ctx;
        let made = strand_array::put_at(ctx, function, x, index, values, levels.count());
        self.made_at(made, levels, span)
    }

    /// A function over the part of an axis from each offset to the next, which is one element where
    /// the next isn't greater, and to the end from the last.
    fn reduce_at(&mut self, call: Call<'p>, x: &Tensor, offsets: &Tensor) -> Run<Tensor> {
        let span = call.e.span;
        let (id, _) = self.function_of(call)?;
        let (reduction, fill) = match id {
            OpId::Mul => (OpId::Prod, Scalar::I64(1).cast(x.dtype())),
            OpId::Maximum => (OpId::Max, least(x.dtype())),
            OpId::Minimum => (OpId::Min, greatest(x.dtype())),
            _ => (OpId::Sum, Scalar::I64(0).cast(x.dtype())),
        };
        let lead = x.levels.count();
        let axis = self.axis_of(call, x)?;
        let array = self.array(x, span)?;
        let size = array.shape().get(axis).copied().unwrap_or(0);
        // The axis goes last, behind one for the offsets.
        let last = array.rank() - 1;
        let moved = array
            .move_axis(axis, last)
            .and_then(|moved| moved.insert_axis(last));
        let moved = self.made_at(moved, x.levels, span)?;
        let own = offsets.levels.count();
        let starts = self.array(offsets, span)?;
        let ctx = &self.graph.ctx;
        let ends = starts.slice(own, Some(1), None, 1).and_then(|next| {
            let mut shape = next.shape().to_vec();
            if let Some(count) = shape.get_mut(own) {
                *count = usize::from(starts.shape().get(own) != Some(&0));
            }
            let end = whole_numbers(ctx, &[size as i64], &[1], DType::I64)?;
            strand_array::concat(ctx, &[next, end.broadcast_to(&shape)?], own)
        });
        let column =
            |array: strand_array::Result<Array>| array.and_then(|a| a.insert_axis(own + 1));
        let starts = self.made_at(column(Ok(starts)), offsets.levels, span)?;
        let ends = self.made_at(column(ends), offsets.levels, span)?;
        let binary = |op| ElementOp::Binary(op);
        let one = Tensor::scalar(Scalar::I64(1));
        let least_end = self.apply(binary(BinaryOp::Add), vec![starts.clone(), one], span)?;
        let ends = self.apply(binary(BinaryOp::Maximum), vec![ends, least_end], span)?;
        let places = self.range(0, size as i64, span)?;
        let after = vec![places.clone(), starts];
        let after = self.apply(binary(BinaryOp::Ge), after, span)?;
        let before = self.apply(binary(BinaryOp::Lt), vec![places, ends], span)?;
        let inside = self.apply(binary(BinaryOp::LogicalAnd), vec![after, before], span)?;
        let fill = Tensor::scalar(fill);
        let parts = self.apply(ElementOp::Select, vec![inside, moved, fill], span)?;
        let reduced = self.reduce(reduction, &parts, &[parts.rank() - 1], span)?;
        // Nothing else wants the elements of every part: they are made as they are joined.
        drop(parts);
        let array = self.array(&reduced, span)?;
        let lead = reduced.levels.count() + axis - lead;
        let made = array.move_axis(array.rank() - 1, lead);
        self.made_at(made, reduced.levels, span)
    }

    // Elementwise ones that are several steps

    /// `isclose`, `nan_to_num`, `zeros_like`, `ones_like`, of values of one dtype.
    pub(crate) fn element_special(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        mut args: Vec<Tensor>,
        params: &'p Params,
    ) -> Run<Tensor> {
        let x = args.swap_remove(0);
        match (op, args.pop()) {
            (OpId::IsClose, Some(y)) => self.is_close(frame, e, [x, y], params),
            (OpId::NanToNum, _) => self.nan_to_num(frame, e, x, params),
            _ => {
                let value = Scalar::I64(i64::from(op == OpId::OnesLike)).cast(x.dtype());
                if x.shape().is_empty() {
                    return Ok(Tensor::scalar(value));
                }
                let array = Array::full(&self.graph.ctx, &[], value)
                    .and_then(|one| one.broadcast_to(x.shape()));
                self.made_at(array, x.levels, e.span)
            }
        }
    }

    fn is_close(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        [x, y]: [Tensor; 2],
        params: &'p Params,
    ) -> Run<Tensor> {
        let span = e.span;
        let same = ElementOp::Binary(BinaryOp::Eq);
        let same = self.apply(same, vec![x.clone(), y.clone()], span)?;
        let dtype = match x.dtype() {
            float if float.is_float() => float,
            _ => DType::F32,
        };
        let (x, y) = (self.cast(x, dtype, span)?, self.cast(y, dtype, span)?);
        let scalar = |value| Tensor::scalar(Scalar::F64(value).cast(dtype));
        let rtol = self.number(frame, params, "rtol", 1e-5)?;
        // Halves are multiplied by the number itself, not by its nearest half.
        let rtol = match crate::element::is_half(dtype) {
            true => Tensor::scalar(Scalar::Half(dtype, rtol as f32)),
            false => scalar(rtol),
        };
        let atol = scalar(self.number(frame, params, "atol", 1e-8)?);
        let binary = |op| ElementOp::Binary(op);
        let abs = ElementOp::Unary(UnaryOp::Abs);
        let apart = self.apply(binary(BinaryOp::Sub), vec![x, y.clone()], span)?;
        let apart = self.apply(abs, vec![apart], span)?;
        let share = self.apply(binary(BinaryOp::Mul), vec![rtol, y], span)?;
        let share = self.apply(abs, vec![share], span)?;
        let most = self.apply(binary(BinaryOp::Add), vec![atol, share], span)?;
        let finite = ElementOp::Unary(UnaryOp::IsFinite);
        let finite = self.apply(finite, vec![apart.clone()], span)?;
        let near = self.apply(binary(BinaryOp::Le), vec![apart, most], span)?;
        let near = self.apply(binary(BinaryOp::LogicalAnd), vec![finite, near], span)?;
        self.apply(binary(BinaryOp::LogicalOr), vec![same, near], span)
    }

    fn nan_to_num(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        x: Tensor,
        params: &'p Params,
    ) -> Run<Tensor> {
        let (span, dtype) = (e.span, x.dtype());
        let most = match dtype {
            DType::F32 => f64::from(f32::MAX),
            DType::F64 => f64::MAX,
            DType::F16 => 65_504.0,
            DType::BF16 => f64::from(f32::from_bits(0x7f7f_0000)),
            _ => return Ok(x),
        };
        let infinity = f64::INFINITY;
        let mut result = x.clone();
        let kinds = [
            ("nan", 0.0, f64::NAN),
            ("posinf", most, infinity),
            ("neginf", -most, -infinity),
        ];
        for (name, default, odd) in kinds {
            let value = self.number(frame, params, name, default)?;
            let value = Tensor::scalar(Scalar::F64(value).cast(dtype));
            let is_odd = if odd.is_nan() {
                self.apply(ElementOp::Unary(UnaryOp::IsNan), vec![x.clone()], span)?
            } else {
                let odd = Tensor::scalar(Scalar::F64(odd).cast(dtype));
                self.apply(ElementOp::Binary(BinaryOp::Eq), vec![x.clone(), odd], span)?
            };
            result = self.apply(ElementOp::Select, vec![is_odd, value, result], span)?;
        }
        Ok(result)
    }
}

/// The elements that occur, each once, in rising order; every NaN is one of its own, as torch has it.
fn unique(ctx: &strand_array::Context, array: &Array) -> strand_array::Result<Array> {
    let flat = array.reshape(ctx, &[array.len()])?;
    let sorted = strand_array::sort(ctx, &flat, 0, false)?;
    if sorted.is_empty() {
        return Ok(sorted);
    }
    let later = sorted.slice(0, Some(1), None, 1)?;
    let before = sorted.slice(0, None, Some(-1), 1)?;
    let other = strand_array::binary(ctx, BinaryOp::Ne, &later, &before)?;
    let first = Array::ones(ctx, &[1], DType::Bool)?;
    let mask = strand_array::concat(ctx, &[first, other], 0)?;
    strand_array::compress(ctx, &sorted, &mask, 0)
}
