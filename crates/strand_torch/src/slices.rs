//! Slices and host indices: their ends, and the checks of those that the sizes don't prove.

use strand_ir::{Expr, ExprKind, Size, TensorType, Type};

use crate::linear::Linear;
use crate::py::{Arg, Item, Py};
use crate::rows::{Code, text_literal};
use crate::writer::{Writer, is_cheap, shape_of};

/// A slice with its ends written.
#[derive(Clone)]
pub(crate) enum Cut {
    /// As Python writes it: start, end, step.
    Forward([Option<Py>; 3]),
    /// A negative step: the elements from `low` up to `high`, the last one first, every `step`-th.
    Backward {
        low: Option<Py>,
        high: Option<Py>,
        step: i64,
    },
    /// The positions as a tensor, where only running the program tells the step's sign.
    Listed(Py),
}

/// An end of a slice.
struct End {
    /// What stands in the brackets.
    py: Option<Py>,
    /// Where that is, counted from the axis's start.
    place: Place,
    linear: Option<Linear>,
}

#[derive(Clone)]
enum Place {
    At(Py),
    /// The axis's size less a number.
    BeforeEnd(i64),
}

/// The axis that is cut: where it is in the tensor of some type.
pub(crate) struct Side<'a> {
    pub(crate) ty: &'a Type,
    pub(crate) axis: usize,
}

/// What must hold where no statement could check it, with the message.
pub(crate) type Guard = Option<(Py, String)>;

impl Side<'_> {
    fn size(&self) -> Option<Size> {
        Some(self.ty.tensor()?.axes.get(self.axis)?.size.clone())
    }

    fn place(&self) -> String {
        let rank = self.ty.tensor().map_or(0, TensorType::rank);
        strand_ir::axis_place(self.axis, rank)
    }

    fn outside(&self, line: u32) -> String {
        format!("line {line}: index outside the {}", self.place())
    }
}

impl<'a> Writer<'_, 'a> {
    /// A slice of an axis of `base`, with its check.
    pub(crate) fn cut(
        &mut self,
        base: &mut Py,
        side: &Side<'a>,
        [start, end, step]: [Option<&'a Expr>; 3],
        guard: &mut Guard,
    ) -> Cut {
        let by = step.map_or(Some(1), |step| self.fixed_step(step));
        let [start_py, end_py] = [start, end].map(|end| end.map(|end| self.pinned(end)));
        if by.is_none() && !step.is_some_and(|step| self.is_positive(step)) {
            let step = step.map(|step| self.expr(step));
            self.check_inside(
                base,
                side,
                [start.zip(start_py.clone()), end.zip(end_py.clone())],
            );
            return self.listed(base, side, [start_py, end_py, step]);
        }
        let line = start.or(end).map_or(0, |end| self.cx.source.line(end.span));
        let backward = by.is_some_and(|by| by < 0);
        let (start, end) = (start.zip(start_py), end.zip(end_py));
        let (low, high, more) = match backward {
            true => (end, start, 1),
            false => (start, end, 0),
        };
        let mut low = low.map(|(e, py)| self.end(side, e, py, more));
        let high = high.map(|(e, py)| self.end(side, e, py, more));
        if let Some(End {
            py: py @ None,
            place: Place::BeforeEnd(0),
            ..
        }) = &mut low
        {
            *py = self.axis_size(base, side);
        }
        let cut = |end: &Option<End>| end.as_ref().and_then(|end| end.py.clone());
        let (low_py, high_py) = (cut(&low), cut(&high));
        self.check_ends(base, side, [low, high], line, guard);
        match by {
            Some(by) if by < 0 => Cut::Backward {
                low: low_py,
                high: high_py,
                step: by.saturating_neg(),
            },
            _ => Cut::Forward([low_py, high_py, step.map(|step| self.expr(step))]),
        }
    }

    /// A step whose value is known.
    fn fixed_step(&self, step: &Expr) -> Option<i64> {
        let linear = Linear::new(self.cx.program, step)?;
        linear.as_size()?.ground(self.cx.symbols()).as_constant()
    }

    fn is_positive(&self, step: &Expr) -> bool {
        let above =
            Linear::new(self.cx.program, step).and_then(|step| step.minus(&Linear::constant(1)));
        above.is_some_and(|above| self.is_proven(&above))
    }

    fn is_proven(&self, value: &Linear) -> bool {
        value.is_never_negative(&self.counted, self.cx.symbols())
    }

    /// A host int that is written several times: what computes more than that gets a name.
    fn pinned(&mut self, e: &'a Expr) -> Py {
        let py = self.expr(e);
        let mut computes = false;
        e.each(&mut |piece| {
            computes |= match &piece.kind {
                ExprKind::Call { .. } | ExprKind::Extern { .. } | ExprKind::Py(_) => true,
                ExprKind::Op { args, .. } => {
                    args.iter().any(|arg| matches!(arg.ty, Type::Tensor(_)))
                }
                _ => false,
            };
        });
        if !computes || !self.can_bind() || is_cheap(&py) {
            return py;
        }
        let name = self.fresh("place");
        self.code(Code::assign(Py::name(name.clone()), py));
        Py::name(name)
    }

    /// The size of an axis as the checks name it; the tensor gets a name where it needs one.
    fn axis_size(&mut self, base: &mut Py, side: &Side<'a>) -> Option<Py> {
        let size = side.size()?;
        let fixed = size.ground(self.cx.symbols()).as_constant().is_some();
        if fixed && let Some(py) = self.try_size(&size) {
            return Some(py);
        }
        if base.as_name().is_some() {
            return Some(shape_of(base.clone(), side.axis));
        }
        if let Some(py) = self.try_size(&size) {
            return Some(py);
        }
        if !self.can_bind() {
            return None;
        }
        let name = self.fresh("value");
        let value = std::mem::replace(base, Py::name(name.clone()));
        self.code(Code::assign(Py::name(name.clone()), value));
        Some(shape_of(Py::name(name), side.axis))
    }

    /// An end of a slice; `more` is added to its place.
    fn end(&mut self, side: &Side<'a>, e: &'a Expr, py: Py, more: i64) -> End {
        if let ExprKind::Int(value) = e.kind {
            let moved = value.saturating_add(more);
            let py = match more {
                0 => py,
                _ => Py::int(moved).at(Some(e.span)),
            };
            if value >= 0 {
                return End {
                    place: Place::At(py.clone()),
                    py: Some(py),
                    linear: Some(Linear::constant(moved)),
                };
            }
            let size = side.size().map(Linear::of);
            return End {
                py: (moved != 0).then_some(py),
                place: Place::BeforeEnd(moved.saturating_neg()),
                linear: size.and_then(|size| size.plus(&Linear::constant(moved))),
            };
        }
        let linear =
            Linear::new(self.cx.program, e).and_then(|linear| linear.plus(&Linear::constant(more)));
        let size = linear.as_ref().and_then(Linear::as_size).cloned();
        let py = match (more, size.and_then(|size| self.try_size(&size))) {
            (0, _) => py,
            (_, Some(size)) => size,
            _ => plus_one(e, py),
        };
        End {
            place: Place::At(py.clone()),
            py: Some(py),
            linear,
        }
    }

    /// Checks 0 <= low <= high <= size, as far as it isn't proven.
    fn check_ends(
        &mut self,
        base: &mut Py,
        side: &Side<'a>,
        ends: [Option<End>; 2],
        line: u32,
        guard: &mut Guard,
    ) {
        let Some(size) = side.size().map(Linear::of) else {
            return;
        };
        let mut places = vec![(Place::At(Py::int(0)), Some(Linear::constant(0)))];
        let ends = ends.into_iter().flatten();
        places.extend(ends.map(|end| (end.place, end.linear)));
        places.push((Place::BeforeEnd(0), Some(size.clone())));
        // The size that the axis must have for those that ask for no more than that.
        let mut least = 0;
        let mut open = Vec::new();
        for pair in places.windows(2) {
            let room = match (&pair[0].1, &pair[1].1) {
                (Some(left), Some(right)) => right.minus(left),
                _ => None,
            };
            let is_proven = room.as_ref().is_some_and(|room| self.is_proven(room));
            let missing = room.and_then(|room| room.minus(&size)?.as_constant());
            if let (false, Some(missing)) = (is_proven, missing) {
                least = least.max(missing.saturating_neg());
            }
            open.push(!is_proven && missing.is_none());
        }
        if least == 0 && !open.contains(&true) {
            return;
        }
        let Some(size) = self.axis_size(base, side) else {
            return;
        };
        let place = |(place, _): (Place, _)| match place {
            Place::At(py) => py,
            Place::BeforeEnd(0) => size.clone(),
            Place::BeforeEnd(count) => Py::binary("-", size.clone(), Py::int(count), None),
        };
        let places: Vec<Py> = places.into_iter().map(place).collect();
        let holds = chained(&places, &open);
        let message = format!("line {line}: the slice doesn't fit the {}", side.place());
        let least = (least > 0).then_some((size, least));
        self.require_place(holds, least, &message, guard);
    }

    /// Raises unless a place lies in its axis and the axis has at least some size.
    fn require_place(
        &mut self,
        holds: Option<Py>,
        least: Option<(Py, i64)>,
        message: &str,
        guard: &mut Guard,
    ) {
        if self.can_bind() {
            if let Some((size, least)) = least {
                let fails = Py::binary("<", size, Py::int(least), None);
                self.raise_once(fails, message);
            }
            if let Some(holds) = holds {
                self.raise_once(Py::negated(holds, None), message);
            }
            return;
        }
        let long = least.map(|(size, least)| Py::binary(">=", size, Py::int(least), None));
        let before = guard.take().map(|(holds, _)| holds);
        let all = [before, long, holds].into_iter().flatten();
        let all = all.reduce(|left, right| Py::binary("and", left, right, None));
        *guard = all.map(|holds| (holds, message.to_owned()));
    }

    /// The check, unless the statement has it already.
    fn raise_once(&mut self, fails: Py, message: &str) {
        let key = format!("{} {message}", crate::expr::flat(&fails));
        if self.checked.insert(key) {
            self.raise_if(fails, "IndexError", Py::text(text_literal(message)));
        }
    }

    /// Checks that ends lie in the axis, whichever way the slice runs.
    fn check_inside(&mut self, base: &mut Py, side: &Side<'a>, ends: [Option<(&'a Expr, Py)>; 2]) {
        let variable = |(e, _): &(&Expr, Py)| is_open(e);
        for (e, py) in ends.into_iter().flatten().filter(variable) {
            if !self.can_bind() {
                return;
            }
            let Some(size) = self.axis_size(base, side) else {
                return;
            };
            let holds = Py::compared(Py::int(0), vec![("<=", py), ("<=", size)]);
            let message = side.outside(self.cx.source.line(e.span));
            self.raise_once(Py::negated(holds, None), &message);
        }
    }

    /// Every position of a slice by Python's `range`, for a step of either sign.
    fn listed(&mut self, base: &mut Py, side: &Side<'a>, parts: [Option<Py>; 3]) -> Cut {
        let Some(size) = self.axis_size(base, side) else {
            return Cut::Forward(parts);
        };
        let [start, end, step] = parts;
        let range = Py::call_path("range", None, vec![size]);
        let range = range.index(vec![Item::Slice { start, end, step }]);
        let dtype = Arg::keyword("dtype", Py::path("torch.int64", None));
        Cut::Listed(Py::path("torch.tensor", None).call(vec![range.into(), dtype]))
    }

    /// A host index, checked where it may lie outside its axis. PyTorch itself refuses literals.
    pub(crate) fn host_index(&mut self, base: &mut Py, side: &Side<'a>, e: &'a Expr) -> Py {
        let py = self.pinned(e);
        let Some(size) = side.size().map(Linear::of) else {
            return py;
        };
        if !self.can_bind() || !is_open(e) {
            return py;
        }
        let index = Linear::new(self.cx.program, e);
        let proven = |room: Option<Linear>| room.is_some_and(|room| self.is_proven(&room));
        let after = |index: &Linear| size.minus(index)?.minus(&Linear::constant(1));
        let fits = proven(index.as_ref().and_then(after));
        let from_end = |index: &Linear| index.plus(&size);
        let starts = proven(index.clone()) || proven(index.as_ref().and_then(from_end));
        if fits && starts {
            return py;
        }
        let Some(size) = self.axis_size(base, side) else {
            return py;
        };
        let low = Py::unary("-", size.clone(), None);
        let holds = match (starts, fits) {
            (true, _) => Py::binary("<", py.clone(), size, None),
            (_, true) => Py::binary("<=", low, py.clone(), None),
            _ => Py::compared(low, vec![("<=", py.clone()), ("<", size)]),
        };
        let message = side.outside(self.cx.source.line(e.span));
        self.raise_once(Py::negated(holds, None), &message);
        py
    }

    /// `i + k` of an index tensor, checked where it may lie outside the axis.
    pub(crate) fn moved_index(
        &mut self,
        base: &mut Py,
        side: &Side<'a>,
        index: &'a Expr,
        py: Py,
        offset: i64,
    ) -> Py {
        let by = |py: Py| match offset {
            0 => py,
            ..=-1 => Py::binary("-", py, Py::int(offset.saturating_neg()), None),
            1.. => Py::binary("+", py, Py::int(offset), None),
        };
        let Some(size) = side.size() else {
            return by(py);
        };
        // An axis that has an index has an element, so that its index less 1 counts from the end.
        let room = size.sub(&Size::constant(offset.saturating_neg())).ok();
        let fits = room.is_some_and(|room| self.is_proven(&Linear::of(room)));
        if matches!(offset, -1 | 0) || (offset < 0 && fits) {
            return by(py);
        }
        let Some(size_py) = self.axis_size(base, side) else {
            return by(py);
        };
        let message = side.outside(self.cx.source.line(index.span));
        let (first, later) = self.twice(py, "index");
        let limit = match size.as_constant() {
            Some(size) => Py::int(size.saturating_sub(offset)),
            None => Py::binary("-", size_py.clone(), Py::int(offset), None),
        };
        let last = Py::unary("-", size_py, None);
        if self.must_pass_on() {
            let holds = match offset {
                1.. => Py::binary("<", later, limit, None),
                _ => Py::binary(">=", by(later), last, None),
            };
            return self.passed_on(by(first), holds, &message);
        }
        let fails = match offset {
            1.. => Py::binary(">=", later, limit, None),
            _ => Py::binary("<", by(later), last, None),
        };
        let is_scalar = index.ty.tensor().is_some_and(|ty| ty.rank() == 0);
        let fails = match is_scalar {
            true => fails,
            false => fails.method("any", None, Vec::new()),
        };
        self.raise_once(fails, &message);
        by(first)
    }
}

/// `k + 1`, without a `- 1` that it takes back.
fn plus_one(e: &Expr, py: Py) -> Py {
    let is_one = |e: &Expr| matches!(e.kind, ExprKind::Int(1));
    if let ExprKind::Op {
        op: strand_ops::OpId::Sub,
        args,
        ..
    } = &e.kind
        && let [_, one] = args.as_slice()
        && is_one(one)
        && let [.., minus, last] = py.leaves.as_slice()
        && minus.text == "-"
        && last.text == "1"
    {
        let mut py = py;
        py.leaves.truncate(py.leaves.len() - 2);
        let end = py.leaves.len();
        py.regions.retain(|region| region.end <= end);
        return py;
    }
    Py::binary("+", py, Py::int(1), None)
}

/// `a <= b` of the neighbours that are open, chained as far as they follow each other.
fn chained(places: &[Py], open: &[bool]) -> Option<Py> {
    let mut runs: Vec<(Py, Vec<(&str, Py)>)> = Vec::new();
    for (at, _) in open.iter().enumerate().filter(|(_, open)| **open) {
        let next = ("<=", places[at + 1].clone());
        match runs.last_mut() {
            Some((_, run)) if at > 0 && open[at - 1] => run.push(next),
            _ => runs.push((places[at].clone(), vec![next])),
        }
    }
    let runs = runs
        .into_iter()
        .map(|(first, rest)| Py::compared(first, rest));
    runs.reduce(|left, right| Py::binary("and", left, right, None))
}

/// Whether a host number's value isn't certain.
fn is_open(e: &Expr) -> bool {
    let mut open = false;
    e.each(&mut |piece| {
        open |= matches!(
            piece.kind,
            ExprKind::Local(_) | ExprKind::Call { .. } | ExprKind::Extern { .. } | ExprKind::Py(_)
        );
    });
    open
}
