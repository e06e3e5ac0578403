//! Deferred tensor values: a graph of elementwise operations and the reductions that end them.
//!
//! A node is computed when something needs its elements, together with the deferred operations
//! that it is made of, in one pass. What a group shares with the rest of the program is kept, so
//! nothing is computed twice, and groups are bounded, so that a loop builds no endless graph.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::{Rc, Weak};

use strand_array::{Array, BinaryOp, Context, DType, ReduceOp, Scalar, UnaryOp, broadcast_shapes};
use strand_source::{Map, Span};

use crate::error::{Run, from_array};
use crate::group::Group;
use crate::host::StepKind;
use crate::trace::Recorder;

/// More deferred operations than this in one group are computed at once.
pub const MAX_OPS: u32 = 64;
/// More arrays than this under one group are computed at once: they are kept alive by it.
pub const MAX_LEAVES: u32 = 12;
/// How many nodes are remembered for finding equal ones.
const MAX_KNOWN: usize = 512;

/// An elementwise operation of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ElementOp {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Select,
    Cast(DType),
}

/// An operand of a deferred operation.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Scalar(Scalar),
    Node(Rc<Node>),
}

/// A tensor value that may not have been computed yet. Its shape is that of its array.
pub(crate) struct Node {
    id: u64,
    shape: Box<[usize]>,
    dtype: DType,
    span: Span,
    /// Deferred operations and arrays below it, when it was made.
    weight: (u32, u32),
    /// `start, start + 1, …`, for which indexing needs no gather.
    iota: Option<i64>,
    state: RefCell<State>,
}

/// How a node's elements come about.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Ready(Array),
    Element {
        op: ElementOp,
        args: Vec<Operand>,
    },
    Reduce {
        op: ReduceOp,
        arg: Rc<Node>,
        axes: Vec<usize>,
    },
    /// The same elements with axes of size 1 added.
    Alias(Rc<Node>),
    Iota(i64, i64),
    /// Being computed: what it is computed from is let go already.
    Pending,
}

/// What makes two nodes equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Element(ElementOp, Vec<ArgKey>),
    Reduce(ReduceOp, u64, Vec<usize>),
    Alias(u64, Box<[usize]>),
    /// An operation that isn't deferred, with its operands and numbers.
    Other(&'static str, Vec<u64>, Vec<i64>),
}

impl Key {
    fn digest(&self) -> u64 {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// Fowler, Noll and Vo's hash 1a: keys are short, and nobody chooses them to collide.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// An operand in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArgKey {
    Node(u64),
    Scalar(DType, u64),
}

impl Operand {
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Self::Scalar(value) => value.dtype(),
            Self::Node(node) => node.dtype,
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Self::Scalar(_) => &[],
            Self::Node(node) => &node.shape,
        }
    }

    fn key(&self) -> ArgKey {
        match self {
            Self::Node(node) => ArgKey::Node(node.id),
            Self::Scalar(value) => ArgKey::Scalar(value.dtype(), scalar_bits(*value)),
        }
    }
}

fn scalar_bits(value: Scalar) -> u64 {
    match value {
        Scalar::I64(v) | Scalar::Int(_, v) => v as u64,
        Scalar::F64(v) => v.to_bits(),
        Scalar::F32(v) | Scalar::Half(_, v) => u64::from(v.to_bits()),
        other => u64::from(other.to_bool()),
    }
}

impl Node {
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// The first of `start, start + 1, …`, where it is such a sequence.
    pub(crate) fn iota(&self) -> Option<i64> {
        self.iota
    }

    /// The array, if it has been computed.
    pub(crate) fn ready(&self) -> Option<Array> {
        match &*self.state.borrow() {
            State::Ready(array) => Some(array.clone()),
            _ => None,
        }
    }

    pub(crate) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Lets the operands go, so that those which nothing else holds may give their memory to the result.
    fn begin(&self) {
        drop(self.state.replace(State::Pending));
    }

    pub(crate) fn settle(&self, array: Array) {
        // The operands are let go after the borrow ends: their own drop may be deep.
        let before = self.state.replace(State::Ready(array.or_owner()));
        drop(before);
    }

    fn weight(&self) -> (u32, u32) {
        match &*self.state.borrow() {
            State::Ready(_) => (0, 1),
            _ => self.weight,
        }
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node({}, {:?}, {})", self.id, self.shape, self.dtype)
    }
}

/// Makes nodes and computes them.
pub(crate) struct Graph {
    pub(crate) ctx: Context,
    pub(crate) recorder: Recorder,
    next_id: u64,
    /// By their keys' hashes; of two keys with one hash the later stands.
    known: Map<u64, (Key, Weak<Node>)>,
}

impl Graph {
    pub(crate) fn new(ctx: Context, recorder: Recorder) -> Self {
        ctx.set_tracing(recorder.is_on());
        Self {
            ctx,
            recorder,
            next_id: 0,
            known: Map::new(),
        }
    }

    fn node(&mut self, state: State, shape: Box<[usize]>, dtype: DType, span: Span) -> Rc<Node> {
        let weight = match &state {
            State::Ready(_) | State::Iota(..) | State::Pending => (0, 1),
            State::Element { args, .. } => args.iter().fold((1, 0), |sum, arg| match arg {
                Operand::Scalar(_) => sum,
                Operand::Node(node) => add_weight(sum, node.weight()),
            }),
            State::Reduce { arg, .. } => add_weight((1, 0), arg.weight()),
            State::Alias(arg) => add_weight((1, 0), arg.weight()),
        };
        self.next_id += 1;
        Rc::new(Node {
            id: self.next_id,
            shape,
            dtype,
            span,
            weight,
            iota: None,
            state: RefCell::new(state),
        })
    }

    /// A node of a computed array.
    pub(crate) fn ready(&mut self, array: Array, span: Span) -> Rc<Node> {
        let (shape, dtype) = (array.shape().into(), array.dtype());
        self.node(State::Ready(array.or_owner()), shape, dtype, span)
    }

    /// `start, start + 1, …` up to `end`, made when its elements are needed.
    pub(crate) fn iota(&mut self, start: i64, end: i64, span: Span) -> Rc<Node> {
        self.next_id += 1;
        Rc::new(Node {
            id: self.next_id,
            shape: [end.saturating_sub(start).max(0) as usize].into(),
            dtype: DType::I64,
            span,
            weight: (0, 1),
            iota: Some(start),
            state: RefCell::new(State::Iota(start, end)),
        })
    }

    pub(crate) fn find(&self, key: &Key) -> Option<Rc<Node>> {
        let (known, node) = self.known.get(&key.digest())?;
        (known == key).then(|| node.upgrade())?
    }

    pub(crate) fn remember(&mut self, key: Key, node: &Rc<Node>) {
        if self.known.len() >= MAX_KNOWN {
            self.known.retain(|_, (_, node)| node.strong_count() > 0);
            if self.known.len() >= MAX_KNOWN {
                self.known.clear();
            }
        }
        self.known.insert(key.digest(), (key, Rc::downgrade(node)));
    }

    /// A result that isn't deferred, computed unless an equal one is still there.
    pub(crate) fn other(
        &mut self,
        key: Key,
        span: Span,
        compute: impl FnOnce(&mut Self) -> Run<Array>,
    ) -> Run<Rc<Node>> {
        if let Some(node) = self.find(&key) {
            return Ok(node);
        }
        let array = compute(self)?;
        self.collect(span, &array);
        let node = self.ready(array, span);
        self.remember(key, &node);
        Ok(node)
    }

    /// An elementwise operation over operands whose shapes broadcast; at least one is a node.
    pub(crate) fn element(
        &mut self,
        op: ElementOp,
        args: Vec<Operand>,
        span: Span,
    ) -> Run<Rc<Node>> {
        let dtype = element_dtype(op, &args, span)?;
        let mut shape = Vec::new();
        for arg in &args {
            shape = broadcast_shapes(&shape, arg.shape()).map_err(|e| from_array(&e, span))?;
        }
        let key = Key::Element(op, args.iter().map(Operand::key).collect());
        if let Some(node) = self.find(&key) {
            return Ok(node);
        }
        // The engine checks these as it computes; deferred, they would fail after later output.
        let may_fail = dtype.is_integer()
            && matches!(
                op,
                ElementOp::Binary(
                    BinaryOp::FloorDiv | BinaryOp::Remainder | BinaryOp::Fmod | BinaryOp::Pow
                )
            );
        let node = self.node(
            State::Element { op, args },
            shape.into_boxed_slice(),
            dtype,
            span,
        );
        self.remember(key, &node);
        if may_fail || node.weight.0 > MAX_OPS || node.weight.1 > MAX_LEAVES {
            self.force(&node)?;
        }
        Ok(node)
    }

    /// A reduction over `axes` of the array.
    pub(crate) fn reduce(
        &mut self,
        op: ReduceOp,
        arg: Rc<Node>,
        axes: Vec<usize>,
        span: Span,
    ) -> Run<Rc<Node>> {
        let key = Key::Reduce(op, arg.id, axes.clone());
        if let Some(node) = self.find(&key) {
            return Ok(node);
        }
        let kept = arg.shape.iter().enumerate();
        let shape = kept
            .filter(|(axis, _)| !axes.contains(axis))
            .map(|(_, size)| *size)
            .collect();
        let dtype = reduce_dtype(op, arg.dtype);
        // Over no elements some have no value: that shows at its own place.
        let may_fail = matches!(
            op,
            ReduceOp::Max | ReduceOp::Min | ReduceOp::ArgMax | ReduceOp::ArgMin
        ) && arg.shape.contains(&0);
        let node = self.node(State::Reduce { op, arg, axes }, shape, dtype, span);
        self.remember(key, &node);
        if may_fail {
            self.force(&node)?;
        }
        Ok(node)
    }

    /// The same elements under a shape that differs in axes of size 1 only.
    pub(crate) fn with_ones(
        &mut self,
        node: &Rc<Node>,
        shape: &[usize],
        span: Span,
    ) -> Run<Rc<Node>> {
        if *node.shape == *shape {
            return Ok(Rc::clone(node));
        }
        let key = Key::Alias(node.id, shape.into());
        if let Some(found) = self.find(&key) {
            return Ok(found);
        }
        let made = match node.ready() {
            Some(array) => {
                let view = self.same_elements(&array, shape, span)?;
                self.ready(view, node.span)
            }
            None => self.node(
                State::Alias(Rc::clone(node)),
                shape.into(),
                node.dtype,
                node.span,
            ),
        };
        self.remember(key, &made);
        Ok(made)
    }

    /// A view of the array under a shape that differs in axes of size 1 only.
    pub(crate) fn same_elements(&self, array: &Array, shape: &[usize], span: Span) -> Run<Array> {
        if array.shape() == shape {
            return Ok(array.clone());
        }
        match array.reshape_view(shape) {
            Some(view) => Ok(view),
            None => array
                .reshape(&self.ctx, shape)
                .map_err(|e| from_array(&e, span)),
        }
    }

    /// The node's elements, computed now if they weren't.
    pub(crate) fn force(&mut self, node: &Rc<Node>) -> Run<Array> {
        let state = node.state();
        match state {
            State::Ready(array) => Ok(array),
            State::Alias(arg) => {
                let array = self.force(&arg)?;
                let view = self.same_elements(&array, &node.shape, node.span)?;
                node.settle(view.clone());
                Ok(view)
            }
            State::Element { .. } => {
                // The copy's operands would count as uses from outside the group.
                drop(state);
                self.force_elements(node)
            }
            State::Reduce { op, arg, axes } => self.force_reduce(node, op, &arg, axes),
            State::Pending => Err(crate::error::malformed(node.span, "a value within itself")),
            State::Iota(start, end) => {
                let array = Array::arange(&self.ctx, start, end, 1);
                let array = array.map_err(|e| from_array(&e, node.span))?;
                self.collect(node.span, &array);
                node.settle(array.clone());
                Ok(array)
            }
        }
    }

    fn force_elements(&mut self, node: &Rc<Node>) -> Run<Array> {
        let mut group = Group::new(&node.shape);
        let root = group.visit(self, node)?;
        let mut kept = vec![(Rc::clone(node), root)];
        kept.extend(group.shared(node.id));
        kept.iter().for_each(|(kept, _)| kept.begin());
        let arrays = group.store(&self.ctx, kept.iter().map(|(_, at)| *at).collect());
        let arrays = arrays.map_err(|e| from_array(&e, node.span))?;
        if let Some(array) = arrays.first() {
            self.collect(node.span, array);
        }
        let mut result = None;
        for ((kept, _), array) in kept.iter().zip(arrays) {
            let array = self.same_elements(&array, &kept.shape, kept.span)?;
            kept.settle(array.clone());
            result.get_or_insert(array);
        }
        result.ok_or_else(|| crate::error::malformed(node.span, "a group without results"))
    }

    fn force_reduce(
        &mut self,
        node: &Rc<Node>,
        op: ReduceOp,
        arg: &Rc<Node>,
        axes: Vec<usize>,
    ) -> Run<Array> {
        let mut group = Group::new(&arg.shape);
        let mut root = group.visit(self, arg)?;
        // `arg` is held by the reduction and by this call.
        let shared = group.shared_with(arg.id, 2);
        if !shared.is_empty() {
            // Something else will want these too: they are stored first and then reduced.
            let places = shared.iter().map(|(_, at)| *at).collect();
            shared.iter().for_each(|(kept, _)| kept.begin());
            let arrays = group.store(&self.ctx, places);
            let arrays = arrays.map_err(|e| from_array(&e, arg.span))?;
            if let Some(array) = arrays.last() {
                self.collect(arg.span, array);
            }
            for ((kept, _), array) in shared.iter().zip(arrays) {
                kept.settle(self.same_elements(&array, &kept.shape, kept.span)?);
            }
            drop(shared);
            group = Group::new(&arg.shape);
            root = group.visit(self, arg)?;
        }
        let result = group.reduce(&self.ctx, root, op, axes);
        drop(group);
        let array = result.map_err(|e| from_array(&e, node.span))?;
        self.collect(node.span, &array);
        node.settle(array.clone());
        Ok(array)
    }

    /// Turns the engine's reports since the last call into steps at `span`; the last gave `made`.
    pub(crate) fn collect(&mut self, span: Span, made: &Array) {
        if self.recorder.is_on() {
            let reports = self.ctx.take_reports();
            let some = !reports.is_empty();
            for report in reports {
                self.recorder.report(report, span);
            }
            if some {
                self.recorder.gave(made);
            }
            if !self.recorder.is_on() {
                // Nobody would take the engine's reports any more.
                self.ctx.set_tracing(false);
            }
        }
    }

    /// Records a step that moved elements as they are.
    pub(crate) fn record_copy(&mut self, op: &'static str, made: &Array, span: Span) {
        if self.recorder.is_on() {
            self.recorder.step(vec![op], StepKind::Strided, made, span);
        }
    }

    /// Records a step that moved nothing.
    pub(crate) fn record_view(&mut self, op: &'static str, view: &Array, span: Span) {
        self.collect(span, view);
        if self.recorder.is_on() {
            self.recorder.step(vec![op], StepKind::View, view, span);
        }
    }
}

fn add_weight(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
}

/// The dtype that an elementwise operation gives.
pub(crate) fn element_dtype(op: ElementOp, args: &[Operand], span: Span) -> Run<DType> {
    let found = match (op, args) {
        (ElementOp::Cast(dtype), _) => Ok(dtype),
        (ElementOp::Unary(op), [a]) => op.types(a.dtype()).map(|(_, result)| result),
        (ElementOp::Binary(op), [a, b]) => op.types(a.dtype(), b.dtype()).map(|(_, result)| result),
        (ElementOp::Select, [_, a, b]) => Ok(a.dtype().promote(b.dtype())),
        _ => return Err(crate::error::malformed(span, "a wrong number of operands")),
    };
    found.map_err(|e| from_array(&e, span))
}

fn reduce_dtype(op: ReduceOp, dtype: DType) -> DType {
    match op {
        ReduceOp::Sum | ReduceOp::Prod if !dtype.is_float() => DType::I64,
        ReduceOp::Any | ReduceOp::All => DType::Bool,
        ReduceOp::Count | ReduceOp::ArgMax | ReduceOp::ArgMin => DType::I64,
        _ => dtype,
    }
}
