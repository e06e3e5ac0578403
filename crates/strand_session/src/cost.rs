//! What a run costs, before it runs: polynomials of its axis names and dims, and their values.
//!
//! Multiply-adds and bytes are bounds from above by the typed program's shapes: a filter keeps
//! everything, a branch takes its dearer side, a loop runs to its end. What has no bound (`while`,
//! a bound known only when the program runs) has no cost. Numbers are the polynomials' values, so
//! both come from one walk.
//!
//! Memory is followed value by value: elementwise operations of one shape are one pass, a deferred
//! value keeps what it is made of, a variable lives until the last statement that names it.

use strand_ir::{Domain, FnId, Program, Size, SymbolId, Symbols};
use strand_source::Map;

mod assign;
mod operations;
mod special;
mod statements;
mod uses;
mod values;

use statements::Walk;

/// The cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Multiply-adds, or what takes as long.
    pub multiply_adds: f64,
    /// The most bytes that its values take at once.
    pub bytes: f64,
}

/// The cost of a function as polynomials of its axis names and dims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostFormula {
    /// `n * D * C`: products count each of theirs, other operations each element once.
    pub multiply_adds: String,
    /// The most bytes that the values it makes take at once: `4 * n * C`.
    pub peak_bytes: String,
}

/// What a body costs at most.
#[derive(Clone, Debug, Default)]
struct Bound {
    multiply_adds: Size,
    /// What else takes time, in multiply-adds.
    overhead: Size,
    /// Sizes in bytes of what lives at once, at the places where most does.
    points: Vec<Vec<Size>>,
    /// Sizes of what its result holds.
    result: Vec<Size>,
    /// The chains' levels that the result differs along.
    levels: u64,
    /// Whether the result's elements may lie in another order than its axes have.
    loose: bool,
    /// Sizes of what it shows, which stays until the run's end.
    shown: Vec<Size>,
}

/// How many places of a body are kept apart.
const MOST_POINTS: usize = 24;
/// Bytes of the single numbers that live beside what is counted.
const SINGLE_NUMBERS: f64 = 256.0;
/// How many values a result holds at most: calls in calls of functions whose values are deferred double them.
const MOST_HELD: usize = 64;
/// How deep calls are followed into bodies that have no bound yet. Each takes some 10 kB of the stack
/// that a browser gives, which is 1 MB.
const MOST_CALLS: usize = 40;

impl Bound {
    /// Adds a place, unless one that is known holds as much.
    fn point(&mut self, mut point: Vec<Size>) {
        strand_source::sort(&mut point);
        if self.points.iter().any(|known| holds(known, &point)) {
            return;
        }
        self.points.retain(|known| !holds(&point, known));
        if self.points.len() < MOST_POINTS {
            self.points.push(point);
        } else if let Some(last) = self.points.pop() {
            self.points.push(merged(last, point));
        }
    }

    fn value(&self, value: &dyn Fn(SymbolId) -> f64) -> Cost {
        let bytes = |size: &Size| in_blocks(evaluated(size, value));
        let point = |point: &Vec<Size>| point.iter().map(bytes).sum::<f64>();
        Cost {
            multiply_adds: evaluated(&self.multiply_adds, value) + evaluated(&self.overhead, value),
            bytes: self.points.iter().map(point).fold(0.0, f64::max) + SINGLE_NUMBERS,
        }
    }

    /// A polynomial that is no less than what lives at any place.
    fn peak(&self) -> Option<Size> {
        let mut most: Map<Vec<SymbolId>, i64> = Map::new();
        for point in &self.points {
            let mut sum = Size::default();
            for size in point {
                sum = sum.add(size).ok()?;
            }
            for (product, factor) in sum.terms() {
                let known = most.get_or_insert_with(product.to_vec(), || 0);
                *known = (*known).max(factor);
            }
        }
        let mut peak = Size::default();
        for (product, factor) in &most {
            let mut term = Size::constant(*factor);
            for symbol in product {
                term = term.mul(&Size::symbol(*symbol)).ok()?;
            }
            peak = peak.add(&term).ok()?;
        }
        Some(peak)
    }
}

/// A polynomial with axis names before dims: `4 * n * D`.
fn display(size: &Size, symbols: &Symbols) -> String {
    let mut terms: Vec<(Vec<SymbolId>, i64)> = Vec::new();
    for (product, factor) in size.terms() {
        let mut product = product.to_vec();
        strand_source::sort_by_key(&mut product, |id| symbols.dim_value(*id).is_some());
        terms.push((product, factor));
    }
    strand_source::sort_by_key(&mut terms, |(product, _)| std::cmp::Reverse(product.len()));
    let mut out = String::new();
    for (product, factor) in &terms {
        if !out.is_empty() {
            out.push_str(if *factor < 0 { " - " } else { " + " });
        } else if *factor < 0 {
            out.push('-');
        }
        let number = factor.unsigned_abs().to_string();
        let names = product.iter().map(|id| symbols.name(*id).to_owned());
        let shown = product.is_empty() || *factor != 1;
        let parts: Vec<String> = shown.then_some(number).into_iter().chain(names).collect();
        out.push_str(&parts.join(" * "));
    }
    if out.is_empty() { "0".to_owned() } else { out }
}

/// A place that holds no less than either of two.
fn merged(mut one: Vec<Size>, mut other: Vec<Size>) -> Vec<Size> {
    let mut both = Vec::with_capacity(one.len().max(other.len()));
    one.retain(|size| match other.iter().position(|found| found == size) {
        Some(at) => {
            both.push(other.remove(at));
            false
        }
        None => true,
    });
    while let (Some(a), Some(b)) = (one.pop(), other.pop()) {
        match statements::larger(&a, &b) {
            Some(size) => both.push(size),
            None => both.extend([a, b]),
        }
    }
    both.append(&mut one);
    both.append(&mut other);
    strand_source::sort(&mut both);
    both
}

/// Whether one sorted list has every size of another as often.
fn holds(list: &[Size], other: &[Size]) -> bool {
    let mut list = list.iter();
    other.iter().all(|size| list.any(|held| held == size))
}

/// What the engine takes for so many bytes.
fn in_blocks(bytes: f64) -> f64 {
    let whole = (bytes < 1e15).then(|| strand_array::allocated(bytes as usize) as f64);
    whole.unwrap_or(bytes)
}

fn evaluated(size: &Size, value: &dyn Fn(SymbolId) -> f64) -> f64 {
    let term = |(symbols, factor): (&[SymbolId], i64)| {
        let product: f64 = symbols.iter().map(|id| value(*id)).product();
        factor as f64 * product
    };
    size.terms().map(term).sum::<f64>().max(0.0)
}

/// What a body's cost depends on beside the body.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Setting {
    /// The sizes of the chains around, outermost first, if an argument is that of an element.
    levels: Vec<Size>,
    /// Of each argument the levels that it differs along, and whether its elements may lie in another order than its
    /// axes have.
    args: Vec<(u64, bool)>,
}

/// Bounds a program's bodies, each once.
pub struct Estimator<'p> {
    program: &'p Program,
    /// By function, then by instance and setting.
    bodies: Vec<Map<(usize, Setting), Option<Bound>>>,
    /// How many calls are being followed.
    calls: usize,
    /// Whether some weren't, so that what has no bound may have one from elsewhere.
    is_cut: bool,
}

impl<'p> Estimator<'p> {
    /// Nothing is bounded yet.
    pub fn new(program: &'p Program) -> Self {
        Self {
            program,
            bodies: program.functions.iter().map(|_| Map::new()).collect(),
            calls: 0,
            is_cut: false,
        }
    }

    /// The cost of the script.
    pub fn script(&mut self) -> Option<Cost> {
        let bound = Walk::new(self, &self.program.script, true, &Setting::default()).bound()?;
        Some(bound.value(&|symbol| self.size_of(symbol, &Map::new())))
    }

    /// The cost of a function with the sizes of its axis names.
    pub fn function(&mut self, id: FnId, sizes: &Map<SymbolId, f64>) -> Option<Cost> {
        let bound = self.bound(id, 0, Setting::default())?;
        let size = |symbol| self.size_of(symbol, sizes);
        let mut cost = bound.value(&size);
        // The values of arguments are looked at first.
        for param in &self.program.function(id).params {
            let ty = param.ty.as_ref().and_then(strand_ir::Type::tensor);
            let Some(ty) = ty.filter(|ty| ty.domain != Domain::Plain) else {
                continue;
            };
            let axes = ty.axes.iter();
            let truths: f64 = axes.map(|axis| evaluated(&axis.size, &size)).product();
            cost.bytes = cost.bytes.max(in_blocks(truths) + SINGLE_NUMBERS);
        }
        Some(cost)
    }

    /// The cost of a function as polynomials; `None` where there is no bound.
    pub fn formula(&mut self, id: FnId) -> Option<CostFormula> {
        let bound = self.bound(id, 0, Setting::default())?;
        let symbols = &self.program.symbols;
        Some(CostFormula {
            multiply_adds: display(&bound.multiply_adds, symbols),
            peak_bytes: display(&bound.peak()?, symbols),
        })
    }

    fn size_of(&self, symbol: SymbolId, sizes: &Map<SymbolId, f64>) -> f64 {
        let dim = self.program.symbols.dim_value(symbol);
        let known = sizes.get(&symbol).copied();
        known.or(dim.map(|value| value as f64)).unwrap_or(1.0)
    }

    /// Bounds a function for those that call it.
    pub fn prepare(&mut self, function: FnId) {
        self.bound(function, 0, Setting::default());
    }

    fn bound(&mut self, function: FnId, instance: usize, setting: Setting) -> Option<Bound> {
        let place = function.0 as usize;
        let key = (instance, setting);
        if let Some(known) = self.bodies.get(place)?.get(&key) {
            return known.clone();
        }
        if self.calls >= MOST_CALLS {
            self.is_cut = true;
            return None;
        }
        // A call of itself, which is an error anyway, has no bound.
        self.bodies.get_mut(place)?.insert(key.clone(), None);
        let called = self.program.function(function);
        let body = called.instances.get(instance)?;
        self.calls += 1;
        let bound = Walk::new(self, body, false, &key.1).bound();
        self.calls -= 1;
        let bound = bound.filter(|bound| bound.result.len() + bound.shown.len() <= MOST_HELD);
        let known = self.bodies.get_mut(place)?;
        if bound.is_none() && self.is_cut {
            known.remove(&key);
        } else {
            known.insert(key, bound.clone());
        }
        if self.calls == 0 {
            self.is_cut = false;
        }
        bound
    }
}
