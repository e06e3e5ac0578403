//! Python expressions as leaves: tokens with their spacing, where a line may be broken, and the
//! Strand text that they stand for.

use strand_ops::DType;
use strand_source::{Span, starts_name};

/// What sort of token a leaf is, as far as spacing and breaking lines need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or keyword.
    Name,
    /// A number.
    Number,
    /// A text.
    Text,
    /// An operator, `=` of a keyword argument, `:` or `:=`.
    Operator,
    /// `=` of an assignment.
    Assign,
    /// `(` or `[`.
    Open,
    /// `)` or `]`.
    Close,
    /// `,` after which a line may be broken.
    Comma,
    /// `.`
    Dot,
}

/// A token of Python.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) text: String,
    pub(crate) kind: Kind,
    /// Whether a space stands before it, unless it starts a line.
    pub(crate) space: bool,
    /// How readily a line is broken before it; 0 never.
    pub(crate) priority: u8,
    /// A bracket that is written only where the line is broken at it.
    pub(crate) hidden: bool,
    /// A bracket of a tuple, list or bracketed expression, not of a call or index.
    pub(crate) atom: bool,
    /// The Strand token it stands for.
    pub(crate) span: Option<Span>,
}

impl Leaf {
    pub(crate) fn new(text: impl Into<String>, kind: Kind) -> Self {
        Self {
            text: text.into(),
            kind,
            space: false,
            priority: 0,
            hidden: false,
            atom: false,
            span: None,
        }
    }

    pub(crate) fn spaced(mut self) -> Self {
        self.space = true;
        self
    }

    pub(crate) fn at(mut self, span: Option<Span>) -> Self {
        self.span = span;
        self
    }
}

/// Leaves that stand for a piece of Strand text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) span: Span,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// How tightly an expression's outermost operator binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Prec {
    Tuple,
    Walrus,
    Lambda,
    Ternary,
    Or,
    And,
    Not,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Sum,
    Product,
    Unary,
    Power,
    Postfix,
}

/// How readily black breaks a line at a delimiter.
mod priority {
    pub(super) const COMPREHENSION: u8 = 20;
    pub(super) const TERNARY: u8 = 16;
    pub(super) const LOGIC: u8 = 14;
    pub(super) const COMPARE: u8 = 10;
    pub(super) const BIT_OR: u8 = 9;
    pub(super) const BIT_XOR: u8 = 8;
    pub(super) const BIT_AND: u8 = 7;
    pub(super) const SUM: u8 = 5;
    pub(super) const PRODUCT: u8 = 4;
    pub(super) const POWER: u8 = 2;
}

/// How readily black breaks a line after a comma.
pub(crate) const COMMA_PRIORITY: u8 = 18;
/// How readily black breaks a line before the dot of a call on a call.
pub(crate) const DOT_PRIORITY: u8 = 1;

/// A Python expression.
#[derive(Clone, Debug)]
pub(crate) struct Py {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) regions: Vec<Region>,
    pub(crate) prec: Prec,
}

/// An argument of a call.
pub(crate) struct Arg {
    pub(crate) keyword: Option<(String, Option<Span>)>,
    pub(crate) value: Py,
}

impl Arg {
    pub(crate) fn keyword(name: &str, value: Py) -> Self {
        Self {
            keyword: Some((name.to_owned(), None)),
            value,
        }
    }

    pub(crate) fn at(mut self, span: Option<Span>) -> Self {
        if let Some((_, at)) = &mut self.keyword {
            *at = span;
        }
        self
    }
}

impl From<Py> for Arg {
    fn from(value: Py) -> Self {
        Self {
            keyword: None,
            value,
        }
    }
}

/// An item of an index.
pub(crate) enum Item {
    Value(Py),
    Slice {
        start: Option<Py>,
        end: Option<Py>,
        step: Option<Py>,
    },
}

impl Item {
    /// `:`
    pub(crate) fn whole() -> Self {
        Self::Slice {
            start: None,
            end: None,
            step: None,
        }
    }

    /// `None`, which adds an axis of size 1.
    pub(crate) fn new_axis() -> Self {
        Self::Value(Py::name("None"))
    }
}

impl Py {
    fn leaf(leaf: Leaf, prec: Prec) -> Self {
        Self {
            leaves: vec![leaf],
            regions: Vec::new(),
            prec,
        }
    }

    /// Nothing yet, to be filled by [`Py::push`] and [`Py::join`].
    fn empty(prec: Prec) -> Self {
        Self {
            leaves: Vec::new(),
            regions: Vec::new(),
            prec,
        }
    }

    pub(crate) fn name(name: impl Into<String>) -> Self {
        Self::leaf(Leaf::new(name, Kind::Name), Prec::Postfix)
    }

    /// A number; a negative one is a unary minus.
    pub(crate) fn number(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(rest) => Self::unary("-", Self::number(rest), None),
            None => Self::leaf(Leaf::new(text, Kind::Number), Prec::Postfix),
        }
    }

    pub(crate) fn int(value: i64) -> Self {
        Self::number(&value.to_string())
    }

    pub(crate) fn text(literal: String) -> Self {
        Self::leaf(Leaf::new(literal, Kind::Text), Prec::Postfix)
    }

    /// A dotted path, each name standing for `span`.
    pub(crate) fn path(path: &str, span: Option<Span>) -> Self {
        let mut parts = path.split('.');
        let mut py = Self::name(parts.next().unwrap_or_default()).at(span);
        for part in parts {
            py = py.attr(part, span);
        }
        py
    }

    /// The Strand token that the first leaf stands for, where it has none yet.
    pub(crate) fn at(mut self, span: Option<Span>) -> Self {
        if let Some(first) = self.leaves.first_mut()
            && first.span.is_none()
        {
            first.span = span;
        }
        self
    }

    /// The Strand text that the whole expression stands for.
    pub(crate) fn tagged(mut self, span: Span) -> Self {
        let end = self.leaves.len();
        self.regions.push(Region {
            span,
            start: 0,
            end,
        });
        self
    }

    fn push(&mut self, leaf: Leaf) {
        self.leaves.push(leaf);
    }

    fn join(&mut self, other: Self, space: bool) {
        let offset = self.leaves.len();
        self.leaves.extend(other.leaves);
        if let Some(first) = self.leaves.get_mut(offset) {
            first.space = space;
        }
        self.regions
            .extend(other.regions.iter().map(|region| Region {
                span: region.span,
                start: region.start + offset,
                end: region.end + offset,
            }));
    }

    /// The expression in brackets if it binds looser than `least`.
    pub(crate) fn within(self, least: Prec) -> Self {
        if self.prec < least {
            self.bracketed()
        } else {
            self
        }
    }

    pub(crate) fn bracketed(self) -> Self {
        let mut py = Self::empty(Prec::Postfix);
        let mut open = Leaf::new("(", Kind::Open);
        open.atom = true;
        py.push(open);
        py.join(self, false);
        let mut close = Leaf::new(")", Kind::Close);
        close.atom = true;
        py.push(close);
        py
    }

    /// The expression in brackets that are written only where a line is broken at them.
    pub(crate) fn softly_bracketed(self) -> Self {
        let prec = self.prec;
        let mut py = self.bracketed();
        py.prec = prec;
        let last = py.leaves.len() - 1;
        py.leaves[0].hidden = true;
        py.leaves[last].hidden = true;
        py
    }

    /// As an argument or element beside others: black may bracket a conditional there.
    fn slot(self, alone: bool) -> Self {
        let py = self.within(Prec::Walrus);
        if py.prec == Prec::Ternary && !alone {
            py.softly_bracketed()
        } else {
            py
        }
    }

    pub(crate) fn unary(operator: &str, operand: Self, span: Option<Span>) -> Self {
        let doubles = operand
            .leaves
            .first()
            .is_some_and(|leaf| leaf.text == operator);
        let operand = if operand.prec == Prec::Power || doubles {
            operand.bracketed()
        } else {
            operand.within(Prec::Unary)
        };
        let mut py = Self::empty(Prec::Unary);
        py.push(Leaf::new(operator, Kind::Operator).at(span));
        py.join(operand, false);
        py
    }

    /// `not x`
    pub(crate) fn negated(operand: Self, span: Option<Span>) -> Self {
        let mut py = Self::empty(Prec::Not);
        py.push(Leaf::new("not", Kind::Name).at(span));
        py.join(operand.within(Prec::Not), true);
        py
    }

    /// A binary operator with Python's precedence.
    pub(crate) fn binary(operator: &str, left: Self, right: Self, span: Option<Span>) -> Self {
        let (prec, priority) = match operator {
            "or" => (Prec::Or, priority::LOGIC),
            "and" => (Prec::And, priority::LOGIC),
            "|" => (Prec::BitOr, priority::BIT_OR),
            "^" => (Prec::BitXor, priority::BIT_XOR),
            "&" => (Prec::BitAnd, priority::BIT_AND),
            "+" | "-" => (Prec::Sum, priority::SUM),
            "*" | "/" | "//" | "%" | "@" => (Prec::Product, priority::PRODUCT),
            "**" => (Prec::Power, priority::POWER),
            _ => (Prec::Compare, priority::COMPARE),
        };
        let (left_least, right_least) = match prec {
            Prec::Power => (Prec::Postfix, Prec::Unary),
            Prec::Compare => (Prec::BitOr, Prec::BitOr),
            Prec::Or => (Prec::Or, Prec::And),
            Prec::And => (Prec::And, Prec::Not),
            Prec::BitOr => (Prec::BitOr, Prec::BitXor),
            Prec::BitXor => (Prec::BitXor, Prec::BitAnd),
            Prec::BitAnd => (Prec::BitAnd, Prec::Sum),
            Prec::Sum => (Prec::Sum, Prec::Product),
            _ => (Prec::Product, Prec::Unary),
        };
        let left = left.within(left_least);
        let right = right.within(right_least);
        let hugs = prec == Prec::Power && left.is_simple() && right.is_simple_operand();
        let mut py = Self::empty(prec);
        py.join(left, false);
        let kind = if operator.starts_with(starts_name) {
            Kind::Name
        } else {
            Kind::Operator
        };
        let mut leaf = Leaf::new(operator, kind).at(span);
        leaf.space = !hugs;
        leaf.priority = priority;
        py.push(leaf);
        py.join(right, !hugs);
        py
    }

    /// `a <= b < c`
    pub(crate) fn compared(first: Self, rest: Vec<(&str, Self)>) -> Self {
        let mut py = Self::empty(Prec::Compare);
        py.join(first.within(Prec::BitOr), false);
        for (operator, next) in rest {
            let mut leaf = Leaf::new(operator, Kind::Operator).spaced();
            leaf.priority = priority::COMPARE;
            py.push(leaf);
            py.join(next.within(Prec::BitOr), true);
        }
        py
    }

    /// A number or dotted name.
    pub(crate) fn is_simple(&self) -> bool {
        let plain = |leaf: &Leaf| matches!(leaf.kind, Kind::Name | Kind::Number | Kind::Dot);
        self.prec == Prec::Postfix && self.leaves.iter().all(plain)
    }

    fn is_simple_operand(&self) -> bool {
        if self.prec == Prec::Unary {
            let mut rest = self.clone();
            rest.leaves.remove(0);
            rest.prec = Prec::Postfix;
            return rest.is_simple();
        }
        self.is_simple()
    }

    /// The name, where the expression is just one.
    pub(crate) fn as_name(&self) -> Option<&str> {
        match self.leaves.as_slice() {
            [leaf] if leaf.kind == Kind::Name => Some(&leaf.text),
            _ => None,
        }
    }

    pub(crate) fn attr(self, name: &str, span: Option<Span>) -> Self {
        let is_number = self.leaves.len() == 1 && self.leaves[0].kind == Kind::Number;
        let base = if is_number {
            self.bracketed()
        } else {
            self.within(Prec::Postfix)
        };
        let mut py = Self::empty(Prec::Postfix);
        py.join(base, false);
        py.push(Leaf::new(".", Kind::Dot));
        py.push(Leaf::new(name, Kind::Name).at(span));
        py
    }

    pub(crate) fn call(self, args: Vec<Arg>) -> Self {
        let mut py = Self::empty(Prec::Postfix);
        py.join(self.within(Prec::Postfix), false);
        py.push(Leaf::new("(", Kind::Open));
        let alone = args.len() == 1;
        for (at, arg) in args.into_iter().enumerate() {
            if at > 0 {
                py.push(Leaf::new(",", Kind::Comma));
            }
            let space = at > 0;
            match arg.keyword {
                Some((name, span)) => {
                    let mut leaf = Leaf::new(name, Kind::Name).at(span);
                    leaf.space = space;
                    py.push(leaf);
                    py.push(Leaf::new("=", Kind::Operator));
                    py.join(arg.value.within(Prec::Lambda).slot(false), false);
                }
                None => py.join(arg.value.slot(alone), space),
            }
        }
        py.push(Leaf::new(")", Kind::Close));
        py
    }

    /// `name as own`, of an import.
    pub(crate) fn renamed(mut self, own: &str, span: Option<Span>) -> Self {
        self.push(Leaf::new("as", Kind::Name).spaced());
        self.push(Leaf::new(own, Kind::Name).spaced().at(span));
        self
    }

    /// A call of a dotted path with positional arguments.
    pub(crate) fn call_path(path: &str, span: Option<Span>, args: Vec<Self>) -> Self {
        Self::path(path, span).call(args.into_iter().map(Arg::from).collect())
    }

    /// A call of a method with positional arguments.
    pub(crate) fn method(self, name: &str, span: Option<Span>, args: Vec<Self>) -> Self {
        self.attr(name, span)
            .call(args.into_iter().map(Arg::from).collect())
    }

    /// The tensor in another dtype: `x.float()`, where PyTorch has a method of a plain name for it.
    /// `to` and `at` are where the Strand text has the word and the dtype.
    pub(crate) fn converted(self, dtype: DType, to: Option<Span>, at: Option<Span>) -> Self {
        let method = match dtype {
            DType::Bool => "bool",
            DType::I32 => "int",
            DType::I64 => "long",
            DType::F16 => "half",
            DType::BF16 => "bfloat16",
            DType::F32 => "float",
            DType::F64 => "double",
            // `byte`, `char` and `short` say too little of what they are.
            DType::U8 | DType::I8 | DType::I16 => {
                return self.method("to", to, vec![Self::path(dtype.torch(), at)]);
            }
        };
        let mut py = self.attr(method, at.or(to));
        let dot = py.leaves.len() - 2;
        py.leaves[dot].span = to;
        py.call(Vec::new())
    }

    pub(crate) fn index(self, items: Vec<Item>) -> Self {
        let mut py = Self::empty(Prec::Postfix);
        py.join(self.within(Prec::Postfix), false);
        py.push(Leaf::new("[", Kind::Open));
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                py.push(Leaf::new(",", Kind::Comma));
            }
            let space = at > 0;
            match item {
                Item::Value(value) => py.join(value.within(Prec::Lambda).slot(false), space),
                Item::Slice { start, end, step } => py.join(slice(start, end, step), space),
            }
        }
        py.push(Leaf::new("]", Kind::Close));
        py
    }

    /// `[a, b]`
    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::sequence("[", items, "]")
    }

    /// `(a, b)`; of one item `(a,)`.
    pub(crate) fn tuple(items: Vec<Self>) -> Self {
        Self::sequence("(", items, ")")
    }

    fn sequence(open: &str, items: Vec<Self>, close: &str) -> Self {
        let mut py = Self::empty(Prec::Postfix);
        let mut leaf = Leaf::new(open, Kind::Open);
        leaf.atom = true;
        py.push(leaf);
        let single = open == "(" && items.len() == 1;
        py.join(Self::bare_tuple(items), false);
        if single {
            py.push(Leaf::new(",", Kind::Comma));
        }
        let mut leaf = Leaf::new(close, Kind::Close);
        leaf.atom = true;
        py.push(leaf);
        py
    }

    /// `a, b` without brackets, as after `return`.
    pub(crate) fn bare_tuple(items: Vec<Self>) -> Self {
        let mut py = Self::empty(Prec::Tuple);
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                py.push(Leaf::new(",", Kind::Comma));
            }
            py.join(item.slot(false), at > 0);
        }
        py
    }

    /// `lambda a, b: body`
    pub(crate) fn lambda(params: Vec<(String, Option<Span>)>, body: Self) -> Self {
        let mut py = Self::empty(Prec::Lambda);
        py.push(Leaf::new("lambda", Kind::Name));
        for (at, (name, span)) in params.into_iter().enumerate() {
            if at > 0 {
                // The commas of a lambda's parameters are no place to break a line.
                py.push(Leaf::new(",", Kind::Operator));
            }
            py.push(Leaf::new(name, Kind::Name).spaced().at(span));
        }
        py.push(Leaf::new(":", Kind::Operator));
        py.join(body.within(Prec::Lambda).slot(false), true);
        py
    }

    /// `then if condition else otherwise`
    pub(crate) fn ternary(
        then: Self,
        condition: Self,
        otherwise: Self,
        spans: [Option<Span>; 2],
    ) -> Self {
        let mut py = Self::empty(Prec::Ternary);
        let word = |text: &str, span| {
            let mut leaf = Leaf::new(text, Kind::Name).spaced().at(span);
            leaf.priority = priority::TERNARY;
            leaf
        };
        py.join(then.within(Prec::Or), false);
        py.push(word("if", spans[0]));
        py.join(condition.within(Prec::Or), true);
        py.push(word("else", spans[1]));
        py.join(otherwise.within(Prec::Ternary), true);
        py
    }

    /// `[made for _ in range(count)]`
    pub(crate) fn repeated(made: Self, count: Self) -> Self {
        let mut inner = Self::empty(Prec::Ternary);
        inner.join(made.within(Prec::Ternary), false);
        let mut word = Leaf::new("for", Kind::Name).spaced();
        word.priority = priority::COMPREHENSION;
        inner.push(word);
        inner.push(Leaf::new("_", Kind::Name).spaced());
        inner.push(Leaf::new("in", Kind::Name).spaced());
        let range = Self::name("range").call(vec![Arg::from(count)]);
        inner.join(range, true);
        Self::list(vec![inner])
    }

    /// `name := value`
    pub(crate) fn walrus(name: &str, value: Self) -> Self {
        let mut py = Self::empty(Prec::Walrus);
        py.push(Leaf::new(name, Kind::Name));
        py.push(Leaf::new(":=", Kind::Operator).spaced());
        py.join(value.within(Prec::Lambda), true);
        py
    }
}

/// `a:b:c`, with spaces where an end is more than a name or number, as black has it.
fn slice(start: Option<Py>, end: Option<Py>, step: Option<Py>) -> Py {
    let is_complex = |part: &Option<Py>| {
        part.as_ref().is_some_and(|py| {
            py.leaves.len() > 1 && !(py.prec == Prec::Unary && py.leaves.len() == 2)
        })
    };
    let complex = is_complex(&start) || is_complex(&end) || is_complex(&step);
    let mut py = Py::empty(Prec::Lambda);
    let has_start = start.is_some();
    if let Some(start) = start {
        py.join(start, false);
    }
    let mut colon = Leaf::new(":", Kind::Operator);
    colon.space = complex && has_start;
    py.push(colon);
    let has_end = end.is_some();
    if let Some(end) = end {
        py.join(end, complex);
    }
    if let Some(step) = step {
        let mut colon = Leaf::new(":", Kind::Operator);
        colon.space = complex && has_end;
        py.push(colon);
        py.join(step, complex);
    }
    py
}
