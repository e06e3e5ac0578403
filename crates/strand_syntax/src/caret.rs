//! What is being written at a caret, from the tokens around it.

use strand_source::{Code, Span, continues_name};

use crate::ast::{Conversion, Name};
use crate::layout::{Layout, Line, lay_out};
use crate::lex::{Lexed, lex};
use crate::token::{Kind, Role, Token, Value};

/// The name that stands for what isn't written yet.
const MARKER: &str = "caret_";

/// A caret: the name that is being written there, if any, and what may stand in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Caret {
    /// The name being written; empty where none is.
    pub replaced: Span,
    /// What may stand there.
    pub place: Place,
    /// The text with a name at the caret, and with the brackets closed that the line leaves open.
    pub marked: String,
    /// Where that name stands in it.
    pub marker: Span,
    /// Whether `(` follows, so that arguments are there already.
    pub called: bool,
    /// The columns of indentation of the caret's line.
    pub indent: u32,
}

/// What may stand at a caret.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The first word of a line: a statement or declaration.
    Line,
    /// A value.
    Operand,
    /// What goes on after a value: `to`, `as`, `|>`, `and`.
    Operator,
    /// A value between the brackets of an index.
    Index,
    /// A value or keyword between the brackets of a call.
    Argument {
        /// What is called, by its names joined by `.`; empty where it isn't a path.
        path: Vec<Name>,
        /// The keywords that are given already.
        given: Vec<Name>,
    },
    /// What `|>` hands a value to.
    Stage,
    /// An axis of a value, after `over=`.
    Over,
    /// The type after `to` or `as`.
    Convert(Conversion),
    /// A field or method of the value before the point.
    Field,
    /// An axis of a shape, a size.
    Size,
    /// A type in a declaration.
    Type,
    /// What may follow a shape in a declared type: a dtype and a domain, or only a domain after the dtype that is
    /// written.
    Elements(Option<Name>),
    /// `train` or `eval`.
    Mode,
}

/// What is being written at a byte offset; `None` in comments and texts, in numbers, and where a
/// new name is made up.
pub fn caret(text: &str, offset: u32) -> Option<Caret> {
    let replaced = word(text, offset)?;
    let called = text
        .get(replaced.end as usize..)
        .is_some_and(|rest| rest.starts_with('('));
    let marker = Span::new(replaced.start, replaced.start + MARKER.len() as u32);
    let head = text.get(..replaced.start as usize)?;
    let tail = text.get(replaced.end as usize..)?;
    let mut marked = [head, MARKER, tail].concat();
    let mut lexed = lex(&marked);
    let mut layout = lay_out(&lexed);
    if layout.diagnostics.iter().any(|d| d.code == Code::E0102) {
        let closers = closers(&layout, &marked, marker);
        if !closers.is_empty() {
            marked.insert_str(line_end(&lexed, &marked, marker), &closers);
            lexed = lex(&marked);
            layout = lay_out(&lexed);
        }
    }
    let around = Around::new(&lexed, &layout, marker)?;
    let place = around.place()?;
    let after = tail.split('\n').next().unwrap_or("");
    if place == Place::Line && replaced.is_empty() && !after.trim().is_empty() {
        // In the indentation of a line, or of a comment that stands alone.
        return None;
    }
    let indent = around.line.indent;
    Some(Caret {
        replaced,
        place,
        marked,
        marker,
        called,
        indent,
    })
}

/// The name around an offset; empty where none is begun, `None` in a number.
fn word(text: &str, offset: u32) -> Option<Span> {
    let at = offset as usize;
    let (before, after) = (text.get(..at)?, text.get(at..)?);
    let start = before.trim_end_matches(continues_name).len();
    let written = before.get(start..)?;
    if written.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = after.len() - after.trim_start_matches(continues_name).len();
    if written.is_empty() && rest > 0 {
        return None;
    }
    Some(Span::new(start as u32, (at + rest) as u32))
}

/// What closes the brackets around the marker that aren't closed, innermost first.
fn closers(layout: &Layout, text: &str, marker: Span) -> String {
    let open = layout
        .groups
        .iter()
        .filter(|group| group.quiet && group.span.contains(marker));
    let closer = |group: &crate::layout::Group| {
        let bracket = text.get(group.span.start as usize..)?.chars().next()?;
        match bracket {
            '(' => Some(')'),
            '[' => Some(']'),
            _ => None,
        }
    };
    open.filter_map(closer).collect()
}

/// The end of the marker's line, before its comment.
fn line_end(lexed: &Lexed, text: &str, marker: Span) -> usize {
    let from = marker.end as usize;
    let rest = text.get(from..).unwrap_or("");
    let mut end = from + rest.find(['\n', '\r']).unwrap_or(rest.len());
    let mut comments = lexed.comments.iter();
    let comment = comments.find(|comment| {
        let start = comment.span.start as usize;
        from <= start && start < end
    });
    if let Some(comment) = comment {
        end = comment.span.start as usize;
    }
    text.get(..end).map_or(from, |kept| kept.trim_end().len())
}

/// The tokens around the marker.
struct Around<'l> {
    lexed: &'l Lexed,
    layout: &'l Layout,
    line: &'l Line,
    /// The bracket around the marker; `None` outside of all.
    role: Option<Role>,
    /// Where that bracket stands.
    group: Span,
    tokens: &'l [Token],
    /// The marker's place in `tokens`.
    at: usize,
}

impl<'l> Around<'l> {
    fn new(lexed: &'l Lexed, layout: &'l Layout, marker: Span) -> Option<Self> {
        let find = |range: &std::ops::Range<usize>| {
            let tokens = layout.arena.get(range.clone())?;
            let at = tokens.iter().position(|token| token.span == marker)?;
            Some((tokens, at))
        };
        let mut lines = layout.lines.iter();
        let line = lines.rfind(|line| line.start <= marker.start)?;
        let mut groups = layout
            .groups
            .iter()
            .filter(|group| group.span.contains(marker));
        let inner = groups.find_map(|group| Some((group, find(&group.tokens)?)));
        let (role, group, (tokens, at)) = match inner {
            Some((group, found)) => (Some(group.role), group.span, found),
            None => (None, Span::default(), find(&line.tokens)?),
        };
        Some(Self {
            lexed,
            layout,
            line,
            role,
            group,
            tokens,
            at,
        })
    }

    fn before(&self, back: usize) -> Kind {
        let at = self.at.checked_sub(back);
        at.and_then(|at| self.tokens.get(at))
            .map_or(Kind::Bad, |token| token.kind)
    }

    fn name(&self, token: &Token) -> Option<&'l Name> {
        match self.lexed.values.get(token.extra as usize)? {
            Value::Name(name) if token.kind == Kind::Name => Some(name),
            _ => None,
        }
    }

    fn place(&self) -> Option<Place> {
        let first = self.at == 0;
        if let Some(elements) = self.elements() {
            return Some(elements);
        }
        match self.role {
            Some(Role::Shape | Role::Sizes | Role::IndexSize | Role::Size) => Some(Place::Size),
            Some(Role::Params) => match self.before(1) {
                Kind::Colon => Some(Place::Type),
                Kind::Eq => Some(Place::Operand),
                _ => None,
            },
            Some(Role::TypeTuple) => Some(Place::Type),
            Some(Role::LambdaParams | Role::FString) => None,
            Some(Role::Args) if first || self.before(1) == Kind::Comma => Some(self.argument()),
            Some(Role::Args) if self.before(1) == Kind::Eq && self.before(2) == Kind::Over => {
                Some(Place::Over)
            }
            Some(Role::Paren) if self.is_over_tuple() => Some(Place::Over),
            Some(Role::Index) if first || self.before(1) == Kind::Comma => Some(Place::Index),
            None if first => Some(Place::Line),
            _ => self.in_expression(),
        }
    }

    /// The caret after `: [n]` or `-> [n]`, with or without a dtype.
    fn elements(&self) -> Option<Place> {
        let shape = |back: usize| {
            self.before(back) == Kind::Group(Role::Shape)
                && matches!(self.before(back + 1), Kind::Colon | Kind::Arrow)
        };
        if shape(1) {
            return Some(Place::Elements(None));
        }
        let dtype = self.tokens.get(self.at.checked_sub(1)?)?;
        let dtype = self.name(dtype).filter(|_| shape(2))?;
        Some(Place::Elements(Some(dtype.clone())))
    }

    fn in_expression(&self) -> Option<Place> {
        let line = self.layout.arena.get(self.line.tokens.clone())?;
        let first = line.first()?;
        let outside = self.role.is_none();
        let word = self.name(first).map_or("", |name| name);
        match self.before(1) {
            Kind::Pipe => Some(Place::Stage),
            Kind::Dot => Some(Place::Field),
            Kind::To => Some(Place::Convert(Conversion::To)),
            Kind::As if outside && word == "import" => None,
            Kind::As => Some(Place::Convert(Conversion::As)),
            Kind::Arrow => Some(Place::Type),
            Kind::Colon if outside && self.at == 2 && first.kind.is_name() => Some(Place::Type),
            Kind::Over if outside && first.kind == Kind::For => Some(Place::Over),
            Kind::Name if outside && self.at == 1 => match word {
                "with" => Some(Place::Mode),
                "model" | "dataset" | "split" | "import" | "extern" => None,
                _ => Some(Place::Operator),
            },
            Kind::Colon | Kind::Dim | Kind::Fn | Kind::For => None,
            _ if first.kind == Kind::Dim => Some(Place::Size),
            kind if kind.ends_operand() => Some(Place::Operator),
            _ => Some(Place::Operand),
        }
    }

    /// The bracket's place among the tokens that it stands in.
    fn bracket(&self) -> Option<(&'l [Token], usize)> {
        let groups = self.layout.groups.iter().map(|group| &group.tokens);
        let lines = self.layout.lines.iter().map(|line| &line.tokens);
        groups.chain(lines).find_map(|range| {
            let tokens = self.layout.arena.get(range.clone())?;
            let is_bracket =
                |token: &Token| matches!(token.kind, Kind::Group(_)) && token.span == self.group;
            Some((tokens, tokens.iter().position(is_bracket)?))
        })
    }

    /// Whether the bracket is the tuple of `over=(n, D)`.
    fn is_over_tuple(&self) -> bool {
        let starts = self.at == 0 || self.before(1) == Kind::Comma;
        let kind = |tokens: &[Token], at: Option<usize>| {
            at.and_then(|at| tokens.get(at)).map(|token| token.kind)
        };
        starts
            && self.bracket().is_some_and(|(tokens, at)| {
                kind(tokens, at.checked_sub(1)) == Some(Kind::Eq)
                    && kind(tokens, at.checked_sub(2)) == Some(Kind::Over)
            })
    }

    fn argument(&self) -> Place {
        let mut path = Vec::new();
        if let Some((tokens, bracket)) = self.bracket() {
            let mut at = bracket;
            while let Some(name) = at.checked_sub(1).and_then(|at| self.name(tokens.get(at)?)) {
                path.insert(0, name.clone());
                at -= 1;
                let point = at.checked_sub(1).and_then(|at| tokens.get(at));
                if point.is_none_or(|point| point.kind != Kind::Dot) {
                    break;
                }
                at -= 1;
            }
        }
        let given = self.tokens.windows(2).filter_map(|pair| match pair {
            [name, eq] if eq.kind == Kind::Eq => match name.kind {
                Kind::Over => Some("over".into()),
                _ => self.name(name).cloned(),
            },
            _ => None,
        });
        Place::Argument {
            path,
            given: given.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(marked: &str) -> Option<Caret> {
        let offset = marked.find('‸').unwrap();
        caret(&marked.replace('‸', ""), offset as u32)
    }

    fn place(marked: &str) -> Option<Place> {
        at(marked).map(|caret| caret.place)
    }

    #[test]
    fn the_tokens_before_say_what_may_stand() {
        let f = |body: &str| place(&format!("fn f(x: [n D]) -> [n] =\n    {body}\n"));
        assert_eq!(f("x |> ‸"), Some(Place::Stage));
        assert_eq!(f("x |> so‸"), Some(Place::Stage));
        assert_eq!(f("sum(x, over=‸)"), Some(Place::Over));
        assert_eq!(f("sum(x, over=(n, ‸))"), Some(Place::Over));
        assert_eq!(f("x to ‸"), Some(Place::Convert(Conversion::To)));
        assert_eq!(f("x ‸"), Some(Place::Operator));
        assert_eq!(f("x + ‸"), Some(Place::Operand));
        assert_eq!(f("x[‸]"), Some(Place::Index));
        assert_eq!(f("zeros([n ‸])"), Some(Place::Size));
        assert_eq!(f("m.‸"), Some(Place::Field));
        assert_eq!(place("fn f(x: [n ‸"), Some(Place::Size));
        assert_eq!(place("fn f(x: ‸"), Some(Place::Type));
        assert_eq!(place("fn f(x: [n]) -> ‸"), Some(Place::Type));
        assert_eq!(place("fn f(x: [n] ‸"), Some(Place::Elements(None)));
        assert_eq!(place("fn f(x: [n]) -> [n] ‸"), Some(Place::Elements(None)));
        let typed = Place::Elements(Some("i64".into()));
        assert_eq!(place("fn f(x: [n] i64 In‸"), Some(typed));
        assert_eq!(place("with ‸"), Some(Place::Mode));
        assert_eq!(place("d‸"), Some(Place::Line));
    }

    #[test]
    fn names_that_are_made_up_numbers_and_texts_are_left_alone() {
        for text in [
            "fn f‸",
            "dim D‸",
            "fn f(x‸",
            "x = 12‸",
            "# a‸",
            "print(\"a‸\")",
        ] {
            assert_eq!(place(text), None, "{text}");
        }
    }

    #[test]
    fn a_call_is_known_with_its_keywords() {
        let Some(Place::Argument { path, given }) = place("y = x |> m.f(1, p=2, ‸") else {
            panic!("not an argument");
        };
        assert_eq!(path.join("."), "m.f");
        assert_eq!(given.join(" "), "p");
    }

    #[test]
    fn brackets_that_are_open_are_closed_on_the_carets_line() {
        let caret = at("y = f(g(x, ‸  # so\nz = 1\n").unwrap();
        assert_eq!(caret.marked, "y = f(g(x, caret_))  # so\nz = 1\n");
        let caret = at("y = f(ab‸, z)\n").unwrap();
        assert_eq!(caret.marked, "y = f(caret_, z)\n");
        assert_eq!(caret.replaced, Span::new(6, 8));
    }
}
