//! Deferred operations of one shape as one expression of the engine.

use std::rc::Rc;

use strand_array::{Array, Context, Expr, Node as Step, Out, ReduceOp, Result};

use crate::error::{Run, from_array};
use crate::graph::{ElementOp, Graph, Node, Operand, State};

/// The deferred operations below a node that have its shape, up to axes of size 1.
///
/// What is smaller and broadcasts into them is computed on its own first, so that no element of it
/// is computed more than once.
pub(crate) struct Group {
    shape: Vec<usize>,
    core: Vec<usize>,
    expr: Expr,
    /// The nodes visited. Groups are small: looking through them is quicker than hashing.
    inlined: Vec<Inlined>,
    /// The steps of the expression's inputs.
    inputs: Vec<usize>,
}

struct Inlined {
    node: Rc<Node>,
    place: usize,
    /// How many operands inside the group are this node.
    uses: usize,
}

/// Whether two views are the same elements in the same layout.
fn same_view(a: &Array, b: &Array) -> bool {
    a.shares_block(b)
        && a.offset() == b.offset()
        && a.shape() == b.shape()
        && a.strides() == b.strides()
        && a.dtype() == b.dtype()
}

/// The sizes other than 1.
fn core(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().filter(|size| *size != 1).collect()
}

impl Group {
    pub(crate) fn new(shape: &[usize]) -> Self {
        Self {
            shape: shape.to_vec(),
            core: core(shape),
            expr: Expr::new(),
            inlined: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Adds a node of the group's shape and all below it; gives its step.
    pub(crate) fn visit(&mut self, graph: &mut Graph, node: &Rc<Node>) -> Run<usize> {
        self.operand(graph, node, node.shape())
    }

    /// The step of an operand of a node of shape `within`, to which the operand broadcasts.
    fn operand(&mut self, graph: &mut Graph, node: &Rc<Node>, within: &[usize]) -> Run<usize> {
        if let Some(known) = self.inlined.iter_mut().find(|i| i.node.id() == node.id()) {
            known.uses += 1;
            return Ok(known.place);
        }
        let whole = core(node.shape()) == self.core;
        let state = node.state();
        let place = match state {
            State::Element { op, args } if whole => {
                let args = self.operands(graph, &args, node.shape())?;
                self.expr.push(step(op, &args))
            }
            State::Alias(arg) if whole => self.operand(graph, &arg, arg.shape())?,
            _ => {
                drop(state);
                let array = graph.force(node)?;
                return self.input(graph, &array, within, node);
            }
        };
        self.inlined.push(Inlined {
            node: Rc::clone(node),
            place,
            uses: 1,
        });
        Ok(place)
    }

    fn operands(
        &mut self,
        graph: &mut Graph,
        args: &[Operand],
        within: &[usize],
    ) -> Run<Vec<usize>> {
        let mut places = Vec::with_capacity(args.len());
        for arg in args {
            places.push(match arg {
                Operand::Scalar(value) => self.expr.push(Step::Const(*value)),
                Operand::Node(node) => self.operand(graph, node, within)?,
            });
        }
        Ok(places)
    }

    /// An input that broadcasts to `within`, seen under the group's shape.
    fn input(&mut self, graph: &Graph, array: &Array, within: &[usize], node: &Node) -> Run<usize> {
        let view = if *within == *self.shape {
            array.clone()
        } else {
            let whole = array.broadcast_to(within);
            let whole = whole.map_err(|e| from_array(&e, node.span()))?;
            graph.same_elements(&whole, &self.shape, node.span())?
        };
        let known = self
            .expr
            .inputs
            .iter()
            .position(|input| same_view(input, &view));
        if let Some(place) = known.and_then(|at| self.inputs.get(at)) {
            return Ok(*place);
        }
        let place = self.expr.input(&view);
        self.inputs.push(place);
        Ok(place)
    }

    /// The inlined nodes that something outside the group holds too, but for the root.
    pub(crate) fn shared(&self, root: u64) -> Vec<(Rc<Node>, usize)> {
        let others = self.inlined.iter().filter(|i| i.node.id() != root);
        others
            // One more than the operands: the group's own.
            .filter(|i| Rc::strong_count(&i.node) > i.uses + 1)
            .map(|i| (Rc::clone(&i.node), i.place))
            .collect()
    }

    /// Likewise, where the root is held `held` times by those who compute the group.
    pub(crate) fn shared_with(&self, root: u64, held: usize) -> Vec<(Rc<Node>, usize)> {
        let mut found = self.shared(root);
        let root = self.inlined.iter().find(|i| i.node.id() == root);
        if let Some(root) = root {
            // Its first use is that of `visit`, which holds nothing.
            if Rc::strong_count(&root.node) > root.uses - 1 + 1 + held {
                found.push((Rc::clone(&root.node), root.place));
            }
        }
        found
    }

    /// Computes the given steps, whose nodes must have let their operands go; those of the others go here. What nobody
    /// else holds then may give its memory to a result.
    pub(crate) fn store(mut self, ctx: &Context, places: Vec<usize>) -> Result<Vec<Array>> {
        self.expr.outs = places.into_iter().map(Out::Store).collect();
        self.in_shape()?;
        drop(self.inlined);
        self.expr.eval_spending(ctx)
    }

    /// Computes a reduction of a step.
    pub(crate) fn reduce(
        &mut self,
        ctx: &Context,
        node: usize,
        op: ReduceOp,
        axes: Vec<usize>,
    ) -> Result<Array> {
        self.in_shape()?;
        self.expr.outs = vec![Out::Reduce {
            node,
            op,
            axes,
            keepdims: false,
        }];
        let mut found = self.expr.eval(ctx)?;
        found
            .pop()
            .ok_or(strand_array::ArrayError::BadExpr { why: "no result" })
    }

    /// Makes sure that the inputs span the group's shape, which leading axes of size 1 may lack.
    fn in_shape(&mut self) -> Result<()> {
        if self.expr.shape()? == self.shape {
            return Ok(());
        }
        if let Some(first) = self.expr.inputs.first_mut() {
            *first = first.broadcast_to(&self.shape)?;
        }
        Ok(())
    }
}

fn step(op: ElementOp, args: &[usize]) -> Step {
    let at = |k: usize| args.get(k).copied().unwrap_or(usize::MAX);
    match op {
        ElementOp::Unary(op) => Step::Unary(op, at(0)),
        ElementOp::Binary(op) => Step::Binary(op, at(0), at(1)),
        ElementOp::Select => Step::Select(at(0), at(1), at(2)),
        ElementOp::Cast(dtype) => Step::Cast(dtype, at(0)),
    }
}
