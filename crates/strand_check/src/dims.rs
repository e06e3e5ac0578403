//! Dims: sizes with a value.

use strand_ir::{Axis, DimDef, How, ItemRef, Size, SizeError, SymbolId, SymbolInfo, SymbolKind};
use strand_source::{Code, Diagnostic, Map, Span};
use strand_syntax::ast::{self, BinaryOp, Item, Name, SizeExprKind};

use crate::context::Checker;
use crate::suggest;

/// The dims of a text: where each is declared last, and its symbol once it was read.
type Dims = Map<Name, (Span, Option<SymbolId>)>;

/// The symbol of a dim that was read.
fn known(dims: &Dims, name: &str) -> Option<SymbolId> {
    dims.get(name)?.1
}

impl Checker<'_> {
    pub(crate) fn dims(&mut self, module: &ast::Module) {
        let mut all: Dims = module
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Dim(dim) => Some((dim.name.name.clone(), (dim.name.span, None))),
                _ => None,
            })
            .collect();
        let mut read = Vec::new();
        for item in &module.items {
            let Item::Dim(dim) = item else {
                continue;
            };
            if let Some(first) = known(&all, &dim.name.name) {
                let first = self.program.symbols.get(first).span;
                self.defined_twice(&dim.name, first);
                continue;
            }
            let definition = self.dim_size(&dim.value, &dim.name, &all);
            let value = definition
                .as_ref()
                .and_then(|size| self.dim_value(size, dim));
            let symbol = self.program.symbols.add(SymbolInfo {
                name: dim.name.name.clone(),
                // A wrong dim is a size of which nothing is known.
                kind: value.map_or(SymbolKind::Axis, SymbolKind::Dim),
                span: dim.name.span,
                story: None,
            });
            let axis = Axis::named(symbol).made(How::Words("declared"), dim.name.span);
            self.origins.insert(symbol, axis.origin);
            if let Some((_, declared)) = all.get_mut(&dim.name.name) {
                *declared = Some(symbol);
            }
            if definition.is_some() {
                read.push((symbol, &dim.value));
            }
            self.program
                .order
                .push(ItemRef::Dim(self.program.dims.len()));
            self.program.dims.push(DimDef {
                symbol,
                definition: definition.unwrap_or_default(),
                span: dim.span,
            });
        }
        let all = all.into_iter();
        self.globals.dims = all
            .filter_map(|(name, (_, symbol))| Some((name, symbol?)))
            .collect();
        for (symbol, written) in read {
            self.remember_dim(symbol, written);
        }
    }

    fn dim_value(&mut self, size: &Size, dim: &ast::DimDecl) -> Option<i64> {
        let known = |symbol| self.program.symbols.dim_value(symbol);
        let unknown = size
            .symbols()
            .into_iter()
            .any(|symbol| known(symbol).is_none());
        if unknown {
            return None;
        }
        match size.evaluate(&known) {
            Some(value) if value >= 1 => Some(value),
            Some(value) => {
                let message = format!("{} is {value}; a dim is at least 1", dim.name.name);
                self.error(Code::E0201, dim.value.span, message);
                None
            }
            None => {
                let message = format!("{} is too large", dim.name.name);
                self.error(Code::E0203, dim.value.span, message);
                None
            }
        }
    }

    /// A dim's definition over earlier dims. E0202, E0203.
    fn dim_size(&mut self, size: &ast::SizeExpr, dim: &ast::Ident, all: &Dims) -> Option<Size> {
        match &size.kind {
            SizeExprKind::Number(value) => Some(Size::constant(*value)),
            SizeExprKind::Name(name) => {
                if let Some(symbol) = known(all, name) {
                    return Some(Size::symbol(symbol));
                }
                self.unknown_dim(name, size.span, dim, all);
                None
            }
            SizeExprKind::Binary { op, left, right } => {
                let left = self.dim_size(left, dim, all);
                let right = self.dim_size(right, dim, all);
                let (left, right) = (left?, right?);
                let result = match op {
                    BinaryOp::Add => left.add(&right),
                    BinaryOp::Sub => left.sub(&right),
                    BinaryOp::Mul => left.mul(&right),
                    _ => {
                        let quotient = self.program.exact_quotient(&left, &right);
                        if quotient.is_none() {
                            let message = "this quotient isn't known to be a whole number";
                            self.error(Code::E0201, size.span, message);
                        }
                        return quotient;
                    }
                };
                if result == Err(SizeError) {
                    self.error(Code::E0203, size.span, format!("{} is too large", dim.name));
                }
                result.ok()
            }
            SizeExprKind::Unknown => {
                let message = "a dim has a value; `_` stands only in result types";
                self.error(Code::E0201, size.span, message);
                None
            }
            SizeExprKind::Error => None,
        }
    }

    fn unknown_dim(&mut self, name: &Name, span: Span, dim: &ast::Ident, all: &Dims) {
        let mut finding = match all.get(name) {
            Some(_) if *name == dim.name => Diagnostic::new(
                Code::E0202,
                span,
                format!("dim {name} is defined by itself"),
            ),
            Some((place, _)) => Diagnostic::new(
                Code::E0202,
                span,
                format!("dim {} uses {name}, which is declared after it", dim.name),
            )
            .label(*place, format!("{name} is declared here")),
            None => Diagnostic::new(Code::E0202, span, format!("there's no dim named `{name}`")),
        };
        if !all.contains_key(name) {
            let is_known = |name: &str| known(all, name).is_some();
            let names = all.keys().map(|name| &**name);
            let names = names.filter(|name| is_known(name));
            if let Some(twin) = suggest::look_alike(name, is_known) {
                finding = finding.note(twin.sentence).write(span, twin.name);
            } else if let Some(near) = suggest::nearest(name, names) {
                finding = finding.write(span, near);
            } else {
                finding = finding.note("A dim is made of numbers and earlier dims.");
            }
        }
        self.report(finding);
    }
}
