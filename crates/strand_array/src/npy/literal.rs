//! The Python literals that headers are written in.

use super::error;
use crate::error::Result;

/// Deeper literals aren't read.
const MAX_DEPTH: usize = 64;

/// A literal of Python's.
#[derive(Debug, PartialEq)]
pub(super) enum Literal {
    Text(String),
    Int(i64),
    Bool(bool),
    None,
    Tuple(Vec<Literal>),
    List(Vec<Literal>),
    Dict(Vec<(String, Literal)>),
}

/// Reads a text that is one literal; with `old`, integers may end in an L, as Python 2 wrote long ones.
pub(super) fn parse(text: &str, old: bool) -> Result<Literal> {
    let mut reader = Reader { rest: text, old };
    let found = reader.literal(0)?;
    reader.space();
    if reader.rest.is_empty() {
        Ok(found)
    } else {
        Err(bad())
    }
}

fn bad() -> crate::ArrayError {
    error("the header isn't a literal of Python's")
}

struct Reader<'a> {
    rest: &'a str,
    old: bool,
}

impl Reader<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, token: &str) -> bool {
        self.space();
        let after = self.rest.strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn literal(&mut self, depth: usize) -> Result<Literal> {
        if depth > MAX_DEPTH {
            return Err(error("the header is nested too deep"));
        }
        self.space();
        match self.rest.chars().next() {
            Some('\'' | '"') => self.text().map(Literal::Text),
            Some('(') => self.tuple(depth),
            Some('[') => {
                self.take("[");
                self.items("]", depth)
                    .map(|(items, _)| Literal::List(items))
            }
            Some('{') => self.dict(depth),
            Some('-' | '0'..='9') => self.int(),
            _ if self.take("True") => Ok(Literal::Bool(true)),
            _ if self.take("False") => Ok(Literal::Bool(false)),
            _ if self.take("None") => Ok(Literal::None),
            _ => Err(bad()),
        }
    }

    fn tuple(&mut self, depth: usize) -> Result<Literal> {
        self.take("(");
        let (mut items, comma) = self.items(")", depth)?;
        // Parentheses around one literal are no tuple.
        if items.len() == 1 && !comma {
            return items.pop().ok_or_else(bad);
        }
        Ok(Literal::Tuple(items))
    }

    /// The literals up to `close`, and whether a comma stood before it.
    fn items(&mut self, close: &str, depth: usize) -> Result<(Vec<Literal>, bool)> {
        let mut items = vec![];
        let mut comma = false;
        while !self.take(close) {
            if !(items.is_empty() || comma) {
                return Err(bad());
            }
            items.push(self.literal(depth.saturating_add(1))?);
            comma = self.take(",");
        }
        Ok((items, comma))
    }

    fn dict(&mut self, depth: usize) -> Result<Literal> {
        self.take("{");
        let mut items = vec![];
        let mut comma = true;
        while !self.take("}") {
            if !comma {
                return Err(bad());
            }
            self.space();
            let key = self.text()?;
            if !self.take(":") {
                return Err(bad());
            }
            items.push((key, self.literal(depth.saturating_add(1))?));
            comma = self.take(",");
        }
        Ok(Literal::Dict(items))
    }

    fn int(&mut self) -> Result<Literal> {
        let digits = self
            .rest
            .trim_start_matches('-')
            .trim_start_matches(|c: char| c.is_ascii_digit());
        let (number, rest) = self
            .rest
            .split_at_checked(self.rest.len().saturating_sub(digits.len()))
            .ok_or_else(bad)?;
        let long = rest.strip_prefix('L').filter(|_| self.old);
        self.rest = long.unwrap_or(rest);
        number.parse().map(Literal::Int).map_err(|_| bad())
    }

    fn text(&mut self) -> Result<String> {
        let mut letters = self.rest.chars();
        let quote = letters
            .next()
            .filter(|c| matches!(c, '\'' | '"'))
            .ok_or_else(bad)?;
        let mut text = String::new();
        loop {
            match letters.next().ok_or_else(bad)? {
                c if c == quote => break,
                '\n' => return Err(bad()),
                '\\' => text.push(escaped(&mut letters)?),
                c => text.push(c),
            }
        }
        self.rest = letters.as_str();
        Ok(text)
    }
}

/// The character that an escape after a backslash stands for.
fn escaped(letters: &mut std::str::Chars<'_>) -> Result<char> {
    let digits = match letters.next().ok_or_else(bad)? {
        'n' => return Ok('\n'),
        'r' => return Ok('\r'),
        't' => return Ok('\t'),
        c @ ('\\' | '\'' | '"') => return Ok(c),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return Err(bad()),
    };
    let mut code = 0_u32;
    for _ in 0..digits {
        let digit = letters
            .next()
            .and_then(|c| c.to_digit(16))
            .ok_or_else(bad)?;
        code = code.checked_mul(16).ok_or_else(bad)? | digit;
    }
    char::from_u32(code).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read() {
        let found = parse(
            "{'descr': [('a', '<i4', (2,)), (\"it's\", '|V3')], 'n': -3L,} ",
            true,
        )
        .unwrap();
        let Literal::Dict(items) = found else {
            panic!()
        };
        assert_eq!(items[1], ("n".into(), Literal::Int(-3)));
        assert_eq!(parse("(3)", true).unwrap(), Literal::Int(3));
        assert_eq!(
            parse("(3,)", true).unwrap(),
            Literal::Tuple(vec![Literal::Int(3)])
        );
        assert_eq!(
            parse("'\\u0436\\x41\\n'", true).unwrap(),
            Literal::Text("жA\n".into())
        );
        for wrong in [
            "", "(", "{1: 2}", "[1 2]", "'a", "{'a' 1}", "'\\q'", "1 1", "os",
        ] {
            assert!(parse(wrong, true).is_err(), "{wrong}");
        }
        assert!(parse(&"(".repeat(10_000), true).is_err());
    }
}
