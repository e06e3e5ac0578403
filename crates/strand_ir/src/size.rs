//! Sizes: integer polynomials over dims, axis names and births, in normal form.

use std::sync::Arc;

use strand_source::{Map, Span};

/// A dim, an axis name of a function, or a birth, by its place in [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// `dim D = 8`, with its value.
    Dim(i64),
    /// An axis name of a function's types, or one bound by `as`.
    Axis,
    /// A size that is only known when the program runs.
    Birth,
}

/// A symbol's name and where it comes from.
#[derive(Clone, Debug)]
pub struct SymbolInfo {
    /// Its name; of a birth an invented one (`k1`).
    pub name: Arc<str>,
    /// What it is.
    pub kind: SymbolKind,
    /// Where it was declared, bound or born.
    pub span: Span,
    /// How it came to be, for a birth: "kept by the filter".
    pub story: Option<String>,
}

/// Every symbol of a program.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    infos: Vec<SymbolInfo>,
    stated: Map<SymbolId, i64>,
}

impl Symbols {
    /// Adds a symbol.
    pub fn add(&mut self, info: SymbolInfo) -> SymbolId {
        self.infos.push(info);
        SymbolId(self.infos.len() as u32 - 1)
    }

    /// The symbol's name and origin.
    ///
    /// # Panics
    /// Never for an id that this table gave.
    pub fn get(&self, id: SymbolId) -> &SymbolInfo {
        &self.infos[id.0 as usize]
    }

    /// The symbol's name.
    pub fn name(&self, id: SymbolId) -> &str {
        &self.get(id).name
    }

    /// A dim's value.
    pub fn dim_value(&self, id: SymbolId) -> Option<i64> {
        match self.get(id).kind {
            SymbolKind::Dim(value) => Some(value),
            _ => None,
        }
    }

    /// Notes the size that an axis name bound by `as` has, where the checker knows it.
    pub fn state(&mut self, id: SymbolId, size: i64) {
        self.stated.insert(id, size);
    }

    /// What a symbol stands for, where it is known before the program runs: a dim's value, or the
    /// size that `as` found.
    pub fn known_value(&self, id: SymbolId) -> Option<i64> {
        self.dim_value(id).or_else(|| self.stated.get(&id).copied())
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// Every symbol with its id.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &SymbolInfo)> {
        self.infos
            .iter()
            .enumerate()
            .map(|(at, info)| (SymbolId(at as u32), info))
    }
}

/// A size computation that leaves 64 bits or has too many terms (E0203).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeError;

/// How many terms a polynomial may have.
const MAX_TERMS: usize = 64;
/// How many factors a term may have.
const MAX_DEGREE: usize = 16;

/// A polynomial: a sum of terms, each a coefficient times a product of symbols.
///
/// Dims stay symbols, so that they can be shown by name; [`Size::ground`] replaces them by their
/// values, which is how sizes are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(Form);

/// The normal form of a polynomial: the first that can hold it, so that equal polynomials over the
/// same symbols are equal values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Form {
    /// A number.
    Constant(i64),
    /// A symbol alone, as most sizes are: no allocation.
    Symbol(SymbolId),
    /// Sorted products of symbols with their coefficients, none of them 0.
    Terms(Terms),
}

type Terms = Map<Vec<SymbolId>, i64>;

impl Default for Size {
    fn default() -> Self {
        Self(Form::Constant(0))
    }
}

impl Size {
    /// A constant.
    pub fn constant(value: i64) -> Self {
        Self(Form::Constant(value))
    }

    /// A symbol.
    pub fn symbol(id: SymbolId) -> Self {
        Self(Form::Symbol(id))
    }

    fn from_terms(terms: Terms) -> Self {
        let mut all = terms.iter();
        let form = match (all.next(), all.next()) {
            (None, _) => Form::Constant(0),
            (Some((product, factor)), None) => match (product.as_slice(), factor) {
                ([], factor) => Form::Constant(*factor),
                ([symbol], 1) => Form::Symbol(*symbol),
                _ => Form::Terms(terms),
            },
            _ => Form::Terms(terms),
        };
        Self(form)
    }

    fn to_terms(&self) -> Terms {
        self.terms()
            .map(|(product, factor)| (product.to_vec(), factor))
            .collect()
    }

    /// The terms: sorted products of symbols with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&[SymbolId], i64)> {
        let (single, terms) = match &self.0 {
            Form::Constant(0) => (None, None),
            Form::Constant(value) => (Some((&[] as &[SymbolId], *value)), None),
            Form::Symbol(symbol) => (Some((std::slice::from_ref(symbol), 1)), None),
            Form::Terms(terms) => (None, Some(terms)),
        };
        let several = terms
            .into_iter()
            .flatten()
            .map(|(product, factor)| (product.as_slice(), *factor));
        single.into_iter().chain(several)
    }

    /// The value of a constant.
    pub fn as_constant(&self) -> Option<i64> {
        match self.0 {
            Form::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The symbol of a size that is just one symbol.
    pub fn as_symbol(&self) -> Option<SymbolId> {
        match self.0 {
            Form::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Every symbol in it, once, in order.
    pub fn symbols(&self) -> Vec<SymbolId> {
        let mut all: Vec<_> = self
            .terms()
            .flat_map(|(product, _)| product)
            .copied()
            .collect();
        strand_source::sort(&mut all);
        all.dedup();
        all
    }

    /// The sum.
    pub fn add(&self, other: &Self) -> Result<Self, SizeError> {
        let mut sum = self.to_terms();
        for (product, factor) in other.terms() {
            add_term(&mut sum, product.to_vec(), factor)?;
        }
        Ok(Self::from_terms(sum))
    }

    /// The difference.
    pub fn sub(&self, other: &Self) -> Result<Self, SizeError> {
        self.add(&other.mul(&Self::constant(-1))?)
    }

    /// The product.
    pub fn mul(&self, other: &Self) -> Result<Self, SizeError> {
        let mut result = Terms::new();
        for (left, a) in self.terms() {
            for (right, b) in other.terms() {
                let mut product = [left, right].concat();
                if product.len() > MAX_DEGREE {
                    return Err(SizeError);
                }
                strand_source::sort(&mut product);
                add_term(&mut result, product, a.checked_mul(b).ok_or(SizeError)?)?;
            }
        }
        Ok(Self::from_terms(result))
    }

    /// The polynomial with symbols replaced; those for which `replace` gives `None` stay.
    pub fn substitute(
        &self,
        replace: &dyn Fn(SymbolId) -> Option<Self>,
    ) -> Result<Self, SizeError> {
        match self.0 {
            Form::Constant(_) => return Ok(self.clone()),
            Form::Symbol(symbol) => return Ok(replace(symbol).unwrap_or_else(|| self.clone())),
            Form::Terms(_) => {}
        }
        let mut result = Self::default();
        for (product, factor) in self.terms() {
            let mut term = Self::constant(factor);
            for symbol in product {
                let value = replace(*symbol).unwrap_or_else(|| Self::symbol(*symbol));
                term = term.mul(&value)?;
            }
            result = result.add(&term)?;
        }
        Ok(result)
    }

    /// The polynomial with dims, and axis names whose size is known, replaced by their values. An
    /// overflow keeps it as it is.
    pub fn ground(&self, symbols: &Symbols) -> Self {
        let value = |id| symbols.known_value(id).map(Self::constant);
        self.substitute(&value).unwrap_or_else(|_| self.clone())
    }

    /// Whether both are equal for all values of their axis names.
    pub fn same(&self, other: &Self, symbols: &Symbols) -> bool {
        self == other || self.ground(symbols) == other.ground(symbols)
    }

    /// The value where `value` knows every symbol; `None` past 64 bits.
    pub fn evaluate(&self, value: &dyn Fn(SymbolId) -> Option<i64>) -> Option<i64> {
        let mut sum = 0i64;
        for (product, factor) in self.terms() {
            let mut term = factor;
            for symbol in product {
                term = term.checked_mul(value(*symbol)?)?;
            }
            sum = sum.checked_add(term)?;
        }
        Some(sum)
    }

    /// The exact quotient by a symbol, where every term holds it.
    pub fn divide_by(&self, factor: SymbolId) -> Option<Self> {
        let mut terms = Terms::new();
        for (product, coefficient) in self.terms() {
            let at = product.iter().position(|symbol| *symbol == factor)?;
            let mut rest = product.to_vec();
            rest.remove(at);
            terms.insert(rest, coefficient);
        }
        Some(Self::from_terms(terms))
    }

    /// Written as in a program, without brackets around the whole: `2 * n - 1`.
    pub fn display(&self, symbols: &Symbols) -> String {
        let mut out = String::new();
        // Terms of higher degree first, the constant last.
        let mut terms: Vec<_> = self.terms().collect();
        strand_source::sort_by_key(&mut terms, |(product, _)| std::cmp::Reverse(product.len()));
        // A positive term leads, so that `n - 1` isn't written `-1 + n`.
        if let Some(at) = terms.iter().position(|(_, factor)| *factor > 0) {
            let lead = terms.remove(at);
            terms.insert(0, lead);
        }
        for (at, (product, factor)) in terms.iter().enumerate() {
            let negative = *factor < 0;
            match (at, negative) {
                (0, true) => out.push('-'),
                (0, false) => {}
                (_, true) => out.push_str(" - "),
                (_, false) => out.push_str(" + "),
            }
            out.push_str(&display_term(product, factor.unsigned_abs(), symbols));
        }
        if out.is_empty() { "0".to_owned() } else { out }
    }
}

fn add_term(terms: &mut Terms, product: Vec<SymbolId>, factor: i64) -> Result<(), SizeError> {
    let sum = terms.get(&product).copied().unwrap_or(0);
    let sum = sum.checked_add(factor).ok_or(SizeError)?;
    if sum == 0 {
        terms.remove(&product);
    } else {
        terms.insert(product, sum);
    }
    if terms.len() > MAX_TERMS {
        Err(SizeError)
    } else {
        Ok(())
    }
}

fn display_term(product: &[SymbolId], factor: u64, symbols: &Symbols) -> String {
    let mut parts: Vec<String> = Vec::new();
    if factor != 1 || product.is_empty() {
        parts.push(factor.to_string());
    }
    parts.extend(product.iter().map(|id| symbols.name(*id).to_owned()));
    parts.join(" * ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols() -> (Symbols, SymbolId, SymbolId) {
        let mut symbols = Symbols::default();
        let mut add = |name: &str, kind| {
            symbols.add(SymbolInfo {
                name: name.into(),
                kind,
                span: Span::default(),
                story: None,
            })
        };
        let n = add("n", SymbolKind::Axis);
        let d = add("D", SymbolKind::Dim(8));
        (symbols, n, d)
    }

    #[test]
    fn normal_form_makes_equal_sizes_equal() {
        let (symbols, n, d) = symbols();
        let (n, d) = (Size::symbol(n), Size::symbol(d));
        let twice = n.add(&n).unwrap();
        assert_eq!(twice, Size::constant(2).mul(&n).unwrap());
        assert_eq!(twice.display(&symbols), "2 * n");
        let less = n.sub(&Size::constant(1)).unwrap();
        assert_eq!(less.display(&symbols), "n - 1");
        assert_eq!(n.sub(&n).unwrap(), Size::constant(0));
        assert!(
            n.mul(&d)
                .unwrap()
                .same(&Size::constant(8).mul(&n).unwrap(), &symbols)
        );
        assert!(d.same(&Size::constant(8), &symbols));
        assert!(!n.same(&d, &symbols));
    }

    #[test]
    fn overflow_is_an_error() {
        let big = Size::constant(i64::MAX);
        assert_eq!(big.add(&Size::constant(1)), Err(SizeError));
        assert_eq!(big.mul(&Size::constant(2)), Err(SizeError));
    }

    #[test]
    fn a_product_divides_by_its_factor() {
        let (_, n, d) = symbols();
        let product = Size::symbol(n).mul(&Size::symbol(d)).unwrap();
        assert_eq!(product.divide_by(n), Some(Size::symbol(d)));
        assert_eq!(product.add(&Size::constant(1)).unwrap().divide_by(n), None);
    }
}
