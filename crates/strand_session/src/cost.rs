//! What a run would cost, before it runs.
//!
//! Multiply-adds and bytes are bounds from above by the typed program's shapes: a filter keeps
//! everything, a branch takes its dearer side, a loop runs to its end. What has no bound (`while`,
//! a bound known only when the program runs) has no cost.

use strand_source::Map;

use strand_ir::{
    Axis, Body, Child, Expr, ExprKind, FnId, Iter, IterKind, LocalId, Program, Size, SizeBinding,
    Stmt, StmtKind, SymbolId, TensorType, Type,
};
use strand_ops::{Class, OpId};

/// What a statement of host numbers takes, in multiply-adds.
const HOST_STEP: f64 = 30.0;
/// What an operation takes beside its elements, in multiply-adds.
const OPERATION: f64 = 200.0;

/// The cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Multiply-adds, or what takes as long.
    pub multiply_adds: f64,
    /// Bytes of all values that may live at once.
    pub bytes: f64,
}

impl Cost {
    fn add(&mut self, other: Self) {
        self.multiply_adds += other.multiply_adds;
        self.bytes += other.bytes;
    }

    /// The cost of the same again and again: each time the memory of the last is free.
    fn times(self, count: f64) -> Self {
        Self {
            multiply_adds: self.multiply_adds * count,
            bytes: self.bytes,
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            multiply_adds: self.multiply_adds.max(other.multiply_adds),
            bytes: self.bytes.max(other.bytes),
        }
    }
}

/// Estimates a program's bodies, each call with the same sizes once.
pub struct Estimator<'p> {
    program: &'p Program,
    calls: Map<(FnId, usize, Vec<u64>), Option<Cost>>,
}

/// Sizes and bounds known inside one body.
struct Scope {
    sizes: Map<SymbolId, f64>,
    /// The most that a host int of the body can be.
    bounds: Map<LocalId, f64>,
    /// How often the expression is computed side by side.
    batch: f64,
}

impl<'p> Estimator<'p> {
    /// Nothing is estimated yet.
    pub fn new(program: &'p Program) -> Self {
        Self {
            program,
            calls: Map::new(),
        }
    }

    /// The cost of the script.
    pub fn script(&mut self) -> Option<Cost> {
        self.body(&self.program.script, Map::new())
    }

    /// The cost of a function with the sizes of its axis names.
    pub fn function(&mut self, id: FnId, sizes: Map<SymbolId, f64>) -> Option<Cost> {
        let body = self.program.function(id).instances.first()?;
        self.body(body, sizes)
    }

    fn body(&mut self, body: &'p Body, sizes: Map<SymbolId, f64>) -> Option<Cost> {
        let symbols = &self.program.symbols;
        let dims = self.program.dims.iter().filter_map(|dim| {
            symbols
                .dim_value(dim.symbol)
                .map(|value| (dim.symbol, value as f64))
        });
        let sizes = dims.chain(sizes).collect();
        let mut scope = Scope {
            sizes,
            bounds: Map::new(),
            batch: 1.0,
        };
        self.block(&body.stmts, &mut scope)
    }

    fn block(&mut self, stmts: &'p [Stmt], scope: &mut Scope) -> Option<Cost> {
        let mut cost = Cost::default();
        for stmt in stmts {
            cost.add(self.stmt(stmt, scope)?);
        }
        Some(cost)
    }

    fn stmt(&mut self, stmt: &'p Stmt, scope: &mut Scope) -> Option<Cost> {
        let mut cost = Cost {
            multiply_adds: HOST_STEP,
            bytes: 0.0,
        };
        let mut failed = false;
        stmt.each_child(&mut |child| match self.child(child, scope) {
            Some(part) => cost.add(part),
            None => failed = true,
        });
        if failed {
            return None;
        }
        match &stmt.kind {
            StmtKind::ForRange {
                local,
                start,
                end,
                step,
                body,
            } => {
                let last = self.most(end, scope)?;
                let first = self.least(start, scope);
                let step = step.as_ref().map_or(Some(1.0), constant)?;
                let count = ((last - first) / step).abs().ceil().max(0.0);
                if let Some(local) = local {
                    scope.bounds.insert(*local, last.max(first));
                }
                cost.add(self.block(body, scope)?.times(count));
            }
            StmtKind::ForSlices {
                tensor, axis, body, ..
            } => {
                let count = self.axis_size(tensor, *axis, scope);
                cost.add(self.block(body, scope)?.times(count));
            }
            StmtKind::While { .. } | StmtKind::ForPy { .. } => return None,
            StmtKind::If {
                branches,
                otherwise,
            } => {
                let mut dearest = Cost::default();
                for block in branches.iter().map(|(_, block)| block).chain(otherwise) {
                    dearest = dearest.max(self.block(block, scope)?);
                }
                cost.add(dearest);
            }
            StmtKind::With { body, .. } => cost.add(self.block(body, scope)?),
            _ => {}
        }
        Some(cost)
    }

    fn child(&mut self, child: Child<'p>, scope: &mut Scope) -> Option<Cost> {
        match child {
            Child::Expr(expr) => self.expr(expr, scope),
            Child::Lambda(lambda) => self.expr(&lambda.body, scope),
        }
    }

    fn expr(&mut self, expr: &'p Expr, scope: &mut Scope) -> Option<Cost> {
        match &expr.kind {
            ExprKind::Map { iter, lambda, .. } => {
                let mut cost = self.iter(iter, scope)?;
                cost.add(self.batched(&lambda.body, iter, scope)?);
                cost.add(result(expr, scope));
                return Some(cost);
            }
            ExprKind::Filter { iter } => {
                let mut cost = self.iter(iter, scope)?;
                cost.add(result(expr, scope));
                return Some(cost);
            }
            _ => {}
        }
        let mut cost = Cost::default();
        let mut failed = false;
        expr.each_child(&mut |child| match self.child(child, scope) {
            Some(part) => cost.add(part),
            None => failed = true,
        });
        if failed {
            return None;
        }
        match &expr.kind {
            ExprKind::Op { op, args, .. } => {
                cost.add(result(expr, scope));
                cost.multiply_adds += OPERATION + operation(*op, args, scope) * scope.batch;
            }
            ExprKind::Call {
                function,
                instance,
                sizes,
                ..
            } => {
                let called = self.call(*function, *instance, sizes, scope)?;
                cost.add(Cost {
                    multiply_adds: called.multiply_adds * scope.batch,
                    bytes: called.bytes * scope.batch,
                });
            }
            ExprKind::Py(_) | ExprKind::Extern { .. } | ExprKind::New { .. } => {
                cost.add(result(expr, scope));
                cost.multiply_adds += OPERATION;
            }
            ExprKind::Index { .. }
            | ExprKind::Convert { .. }
            | ExprKind::Rearrange { .. }
            | ExprKind::Literal { .. } => cost.add(result(expr, scope)),
            _ => {}
        }
        Some(cost)
    }

    fn iter(&mut self, iter: &'p Iter, scope: &mut Scope) -> Option<Cost> {
        let mut cost = Cost::default();
        match &iter.kind {
            IterKind::Size(_) | IterKind::Range(..) => {
                cost.bytes += 8.0 * axis_size(&iter.axis, scope);
            }
            IterKind::Slices { tensor, .. } => cost.add(self.expr(tensor, scope)?),
            IterKind::Zip(parts) => {
                for part in parts {
                    cost.add(self.iter(part, scope)?);
                }
            }
            IterKind::Enumerate(inner) => cost.add(self.iter(inner, scope)?),
            IterKind::Filter { input, lambda, .. } => {
                cost.add(self.iter(input, scope)?);
                cost.add(self.batched(&lambda.body, input, scope)?);
                if let Some(birth) = iter.axis.size.as_symbol() {
                    let most = axis_size(&input.axis, scope);
                    scope.sizes.insert(birth, most);
                }
            }
        }
        Some(cost)
    }

    fn batched(&mut self, body: &'p Expr, iter: &Iter, scope: &mut Scope) -> Option<Cost> {
        let batch = scope.batch;
        scope.batch *= axis_size(&iter.axis, scope);
        let cost = self.expr(body, scope);
        scope.batch = batch;
        cost
    }

    fn call(
        &mut self,
        function: FnId,
        instance: usize,
        bindings: &[SizeBinding],
        scope: &Scope,
    ) -> Option<Cost> {
        let sizes: Vec<(SymbolId, f64)> = bindings
            .iter()
            .map(|binding| (binding.symbol, axis_size(&binding.axis, scope)))
            .collect();
        let key = (
            function,
            instance,
            sizes.iter().map(|(_, size)| size.to_bits()).collect(),
        );
        if let Some(known) = self.calls.get(&key) {
            return *known;
        }
        // A call of itself, which is an error anyway, has no bound.
        self.calls.insert(key.clone(), None);
        let body = self.program.function(function).instances.get(instance)?;
        let cost = self.body(body, sizes.into_iter().collect());
        self.calls.insert(key, cost);
        cost
    }

    fn axis_size(&self, tensor: &Expr, axis: usize, scope: &Scope) -> f64 {
        let axes = tensor
            .ty
            .tensor()
            .map(|ty| ty.axes.as_slice())
            .unwrap_or_default();
        axes.get(axis).map_or(1.0, |axis| axis_size(axis, scope))
    }

    /// The most that a host int can be.
    fn most(&self, expr: &Expr, scope: &Scope) -> Option<f64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value as f64),
            ExprKind::Size(size) => Some(size_value(size, scope)),
            ExprKind::Local(local) => scope.bounds.get(local).copied(),
            ExprKind::Op { op, args, .. } => {
                let [left, right] = args.as_slice() else {
                    return None;
                };
                match op {
                    OpId::Add => Some(self.most(left, scope)? + self.most(right, scope)?),
                    OpId::Sub => Some(self.most(left, scope)? - self.least(right, scope)),
                    OpId::Mul => Some(self.most(left, scope)? * self.most(right, scope)?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The least that a host int can be, as far as it is known; else 0.
    fn least(&self, expr: &Expr, scope: &Scope) -> f64 {
        match &expr.kind {
            ExprKind::Size(size) => size_value(size, scope),
            _ => constant(expr).unwrap_or(0.0),
        }
    }
}

fn constant(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value as f64),
        ExprKind::Op {
            op: OpId::Neg,
            args,
            ..
        } => args.first().and_then(constant).map(|v| -v),
        _ => None,
    }
}

/// The memory of an expression's value, and one multiply-add an element to write it.
fn result(expr: &Expr, scope: &Scope) -> Cost {
    let Type::Tensor(ty) = &expr.ty else {
        return Cost::default();
    };
    let elements = elements(ty, scope) * scope.batch;
    Cost {
        multiply_adds: elements,
        bytes: elements * ty.dtype.size() as f64,
    }
}

/// The multiply-adds of one operation on one element of the batch, beyond writing its result.
fn operation(op: OpId, args: &[Expr], scope: &Scope) -> f64 {
    let first = args.first().and_then(|arg| arg.ty.tensor());
    let size = first.map_or(1.0, |ty| elements(ty, scope));
    match op.op().class {
        Class::Elementwise { .. } | Class::Transpose | Class::Length => 0.0,
        Class::Reduce { .. } | Class::ArgReduce | Class::Triangle | Class::Loss => size,
        Class::Along | Class::IndexLoss => 4.0 * size,
        Class::MatMul => {
            let contracted = first.and_then(|ty| ty.axes.last());
            let contracted = contracted.map_or(1.0, |axis| axis_size(axis, scope));
            let right = args.get(1).and_then(|arg| arg.ty.tensor());
            let right = right.map_or(1.0, |ty| elements(ty, scope));
            size * right / contracted.max(1.0)
        }
        // What they write is counted as their result.
        Class::Join | Class::Diagonal | Class::OneHot | Class::Square => 0.0,
        Class::Construct | Class::Draw | Class::Dropout | Class::Arange | Class::Effect(_) => 0.0,
    }
}

fn elements(ty: &TensorType, scope: &Scope) -> f64 {
    ty.axes.iter().map(|axis| axis_size(axis, scope)).product()
}

fn axis_size(axis: &Axis, scope: &Scope) -> f64 {
    size_value(&axis.size, scope)
}

fn size_value(size: &Size, scope: &Scope) -> f64 {
    let term = |(symbols, factor): (&[SymbolId], i64)| {
        let product: f64 = symbols
            .iter()
            .map(|id| scope.sizes.get(id).copied().unwrap_or(1.0))
            .product();
        factor as f64 * product
    };
    size.terms().map(term).sum::<f64>().max(0.0)
}
