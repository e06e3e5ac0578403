//! One style for every text. Only spaces, line ends and blank lines change: the tokens stay, so the
//! tree stays, and comments stay with the tokens that they follow.

mod spacing;
mod wrap;

use strand_source::Span;

use crate::ast::Comment;
use crate::layout::{Layout, Line, lay_out};
use crate::lex::{Lexed, lex};
use crate::token::{Kind, Token};
use wrap::Wrapper;

/// The columns that a line should keep to.
const WIDTH: usize = 88;

/// The columns of a block.
const INDENT: usize = 4;

/// Formats a text in the one style: blocks of 4 spaces, a space around binary operators, pipes of
/// several stages with a stage on each line, long argument lists wrapped at 88 columns, at most one
/// blank line between lines and at least one around a function with a block. All comments are kept.
/// A text with syntax errors is returned as it is. Formatting twice changes nothing more.
pub fn format(text: &str) -> String {
    if !crate::parse(text).diagnostics.is_empty() {
        return text.to_string();
    }
    let lexed = lex(text);
    let layout = lay_out(&lexed);
    let formatted = Formatter::new(text, &lexed, &layout).write();
    // What is read back decides: a text that would read otherwise is left alone.
    if same_tokens(text, &lexed, &layout, &formatted) {
        formatted
    } else {
        text.to_string()
    }
}

/// Whether `formatted` has the same lines of the same tokens, and as many comments.
fn same_tokens(text: &str, lexed: &Lexed, layout: &Layout, formatted: &str) -> bool {
    let again = lex(formatted);
    let laid_out = lay_out(&again);
    let words = |text: &str, lexed: &Lexed| -> Vec<(Kind, String)> {
        lexed
            .tokens
            .iter()
            .map(|token| (token.kind, token.span.text(text).to_string()))
            .collect()
    };
    words(text, lexed) == words(formatted, &again)
        && levels(layout) == levels(&laid_out)
        && lexed.comments.len() == again.comments.len()
        && again.diagnostics.is_empty()
        && laid_out.diagnostics.is_empty()
}

/// The block level of each line.
fn levels(layout: &Layout) -> Vec<usize> {
    let mut indents: Vec<u32> = Vec::new();
    let level = |line: &Line| {
        while indents.last().is_some_and(|indent| *indent >= line.indent) {
            indents.pop();
        }
        indents.push(line.indent);
        indents.len() - 1
    };
    layout.lines.iter().map(level).collect()
}

/// A line or a comment on a line of its own.
struct Entry {
    level: usize,
    /// Its lines, the first without indentation.
    lines: Vec<String>,
    /// A blank line stands before it.
    blank: bool,
    is_comment: bool,
    /// It begins a function with a block, or a model.
    opens_function: bool,
    /// It follows the end of a function's block.
    after_function: bool,
}

struct Formatter<'t> {
    text: &'t str,
    comments: &'t [Comment],
    layout: &'t Layout,
    entries: Vec<Entry>,
    /// The number of the next comment.
    comment: usize,
    /// Where the last entry ends in the text.
    end: u32,
}

impl<'t> Formatter<'t> {
    fn new(text: &'t str, lexed: &'t Lexed, layout: &'t Layout) -> Self {
        Self {
            text,
            comments: &lexed.comments,
            layout,
            entries: Vec::new(),
            comment: 0,
            end: 0,
        }
    }

    fn write(mut self) -> String {
        let levels = levels(self.layout);
        // The columns of the blocks around the line before, and the levels of function headers.
        let mut indents: Vec<u32> = Vec::new();
        let mut functions: Vec<usize> = Vec::new();
        for (line, level) in self.layout.lines.iter().zip(levels) {
            let start = self
                .tokens(line)
                .first()
                .map_or(0, |first| first.span.start);
            self.own_line_comments(start, level, &indents);
            let after_function = functions.last().is_some_and(|function| *function >= level);
            functions.retain(|function| *function < level);
            indents.truncate(level);
            indents.push(line.indent);
            let opens_function = self.line(line, level, after_function);
            if opens_function {
                functions.push(level);
            }
        }
        self.own_line_comments(self.text.len() as u32 + 1, 0, &indents);
        self.separate();
        self.joined()
    }

    fn tokens(&self, line: &Line) -> &'t [Token] {
        self.layout.arena.get(line.tokens.clone()).unwrap_or(&[])
    }

    /// Whether a blank line stands in the text between the last entry and `start`.
    fn blank_before(&self, start: u32) -> bool {
        let gap = Span::new(self.end, start).text(self.text);
        gap.matches('\n').count() > usize::from(self.end > 0)
    }

    /// The comments before `start` that stand between lines, at the level of the block they are in.
    fn own_line_comments(&mut self, start: u32, next: usize, indents: &[u32]) {
        while let Some(comment) = self
            .comments
            .get(self.comment)
            .filter(|comment| comment.span.start < start)
        {
            let line_start = self
                .text
                .get(..comment.span.start as usize)
                .and_then(|t| t.rfind('\n'));
            let column = comment.span.start - line_start.map_or(0, |at| at as u32 + 1);
            let inner = indents.iter().rposition(|indent| *indent <= column);
            let level = inner.map_or(next, |inner| inner.max(next));
            let blank = self.blank_before(comment.span.start);
            self.end = comment.span.end;
            self.comment += 1;
            let lines = vec![wrap::comment_text(comment)];
            self.entries.push(Entry {
                level,
                lines,
                blank,
                is_comment: true,
                opens_function: false,
                after_function: false,
            });
        }
    }

    /// Adds a line with its comments; gives whether it begins a function with a block.
    fn line(&mut self, line: &Line, level: usize, after_function: bool) -> bool {
        let tokens = self.tokens(line);
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return false;
        };
        let blank = self.blank_before(first.span.start);
        let rest = self.comments.get(self.comment..).unwrap_or(&[]);
        let inside = rest
            .iter()
            .take_while(|comment| comment.span.start < last.span.end)
            .count();
        let trailing = rest.get(inside).filter(|comment| {
            !comment.own_line
                && !Span::new(last.span.end, comment.span.start)
                    .text(self.text)
                    .contains('\n')
        });
        let wrapper = Wrapper {
            text: self.text,
            layout: self.layout,
            comments: rest.get(..inside).unwrap_or(&[]),
        };
        let mut lines = wrapper.line(tokens, level * INDENT);
        self.end = last.span.end;
        self.comment += inside;
        if let Some(comment) = trailing {
            wrap::add_trailing(&mut lines, comment);
            self.end = comment.span.end;
            self.comment += 1;
        }
        let second = tokens.get(1).map_or(Kind::Bad, |second| second.kind);
        let is_model = first.span.text(self.text) == "model" && second.is_name();
        let declares = first.kind == Kind::Fn || second == Kind::Fn || is_model;
        let opens_function = declares && last.kind == Kind::Colon;
        self.entries.push(Entry {
            level,
            lines,
            blank,
            is_comment: false,
            opens_function,
            after_function,
        });
        opens_function
    }

    /// Puts blank lines around functions with blocks, before the comments that belong to them, and
    /// none at the start of a block.
    fn separate(&mut self) {
        for at in 0..self.entries.len() {
            let (level, wanted) = match self.entries.get(at) {
                Some(entry) => (entry.level, entry.opens_function || entry.after_function),
                None => continue,
            };
            if !wanted {
                continue;
            }
            let mut first = at;
            while let Some(before) = first
                .checked_sub(1)
                .and_then(|before| self.entries.get(before))
            {
                let attached = before.is_comment
                    && before.level == level
                    && !self.entries.get(first).is_some_and(|e| e.blank);
                if !attached {
                    break;
                }
                first -= 1;
            }
            if let Some(entry) = self.entries.get_mut(first) {
                entry.blank = true;
            }
        }
        let mut before: Option<usize> = None;
        for entry in &mut self.entries {
            if before.is_none_or(|before| entry.level > before) {
                entry.blank = false;
            }
            before = Some(entry.level);
        }
    }

    fn joined(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + 64);
        for entry in &self.entries {
            if entry.blank {
                out.push('\n');
            }
            out.push_str(&" ".repeat(entry.level * INDENT));
            out.push_str(&entry.lines.join("\n"));
            out.push('\n');
        }
        out
    }
}
