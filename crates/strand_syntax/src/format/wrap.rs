//! Tokens on as many lines as they need.

use strand_source::Span;

use super::spacing::Source;
use super::{INDENT, WIDTH};
use crate::ast::Comment;
use crate::layout::{Group, Layout};
use crate::token::{Kind, Role, Token};

/// Breaks one logical line.
pub(super) struct Wrapper<'t> {
    pub text: &'t str,
    pub layout: &'t Layout,
    /// The comments inside the line.
    pub comments: &'t [Comment],
}

/// A comment as it is written.
pub(super) fn comment_text(comment: &Comment) -> String {
    format!("#{}", comment.text.trim_end())
}

/// Puts a comment after the last line.
pub(super) fn add_trailing(lines: &mut [String], comment: &Comment) {
    if let Some(last) = lines.last_mut() {
        last.push_str("  ");
        last.push_str(&comment_text(comment));
    }
}

fn indented(indent: usize, text: &str) -> String {
    format!("{}{text}", " ".repeat(indent))
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Where the next of `tokens`, which stand in the text's order, starts.
fn start_after(tokens: &[Token], last: &Token) -> Option<u32> {
    let next = tokens.partition_point(|token| token.span.start < last.span.end);
    tokens.get(next).map(|token| token.span.start)
}

/// Appends lines to lines; the first goes on the last.
fn join(lines: &mut Vec<String>, more: Vec<String>) {
    let mut more = more.into_iter();
    if let (Some(last), Some(first)) = (lines.last_mut(), more.next()) {
        last.push_str(&first);
    }
    lines.extend(more);
}

impl<'t> Wrapper<'t> {
    fn source(&self) -> Source<'t> {
        Source {
            text: self.text,
            layout: self.layout,
        }
    }

    /// The comments in a part of the text.
    fn comments_in(&self, span: Span) -> &'t [Comment] {
        let start = self
            .comments
            .partition_point(|comment| comment.span.start < span.start);
        let end = self
            .comments
            .partition_point(|comment| comment.span.start < span.end);
        self.comments.get(start..end).unwrap_or(&[])
    }

    fn has_comments(&self, tokens: &[Token]) -> bool {
        tokens.iter().any(|token| {
            matches!(token.kind, Kind::Group(_)) && !self.comments_in(token.span).is_empty()
        })
    }

    /// A logical line whose statement stands at `indent`; the first line comes without it.
    pub fn line(&self, tokens: &[Token], indent: usize) -> Vec<String> {
        let flat = self.source().flat(tokens, None);
        let stages = tokens
            .iter()
            .filter(|token| token.kind == Kind::Pipe)
            .count();
        let opens_block = tokens.last().is_some_and(|last| last.kind == Kind::Colon);
        let fits = indent + width(&flat) <= WIDTH;
        if self.comments.is_empty() && fits && (stages <= 1 || opens_block) {
            return vec![flat];
        }
        let breaks_pipes = stages > 0 && !(opens_block && self.comments.is_empty());
        let mut lines: Vec<String> = Vec::new();
        for piece in self.pieces(tokens, breaks_pipes) {
            let deeper = if lines.is_empty() {
                indent
            } else {
                indent + INDENT
            };
            let mut written = self.piece(piece, deeper, None, String::new());
            if let (false, Some(first)) = (lines.is_empty(), written.first_mut()) {
                *first = indented(deeper, first);
            }
            lines.extend(written);
            self.comments_after(tokens, piece, indent + INDENT, &mut lines);
        }
        lines
    }

    /// A line's parts that stand on lines of their own: stages, and what comments separate.
    fn pieces<'p>(&self, tokens: &'p [Token], breaks_pipes: bool) -> Vec<&'p [Token]> {
        let mut pieces = Vec::new();
        let mut start = 0;
        for at in 1..tokens.len() {
            let (Some(before), Some(token)) = (tokens.get(at - 1), tokens.get(at)) else {
                break;
            };
            let gap = Span::new(before.span.end, token.span.start);
            let commented = !self.comments_in(gap).is_empty();
            if commented || (breaks_pipes && token.kind == Kind::Pipe) {
                pieces.extend(tokens.get(start..at));
                start = at;
            }
        }
        pieces.extend(tokens.get(start..));
        pieces
    }

    /// Adds the comments between a part of `tokens` and the token after it.
    fn comments_after(
        &self,
        tokens: &[Token],
        piece: &[Token],
        indent: usize,
        lines: &mut Vec<String>,
    ) {
        let Some(last) = piece.last() else { return };
        let end = start_after(tokens, last).unwrap_or(last.span.end);
        self.add_comments(
            self.comments_in(Span::new(last.span.end, end)),
            indent,
            lines,
        );
    }

    /// The first comment goes on the last line where it stood behind something.
    fn add_comments(&self, comments: &[Comment], indent: usize, lines: &mut Vec<String>) {
        for (at, comment) in comments.iter().enumerate() {
            if at == 0 && !comment.own_line {
                add_trailing(lines, comment);
            } else {
                lines.push(indented(indent, &comment_text(comment)));
            }
        }
    }

    /// Tokens of one bracket's level, on one line where that fits, after `lead` on the same line.
    fn piece(
        &self,
        tokens: &[Token],
        indent: usize,
        role: Option<Role>,
        lead: String,
    ) -> Vec<String> {
        let source = self.source();
        let flat = format!("{lead}{}", source.flat(tokens, role));
        let commented = self.has_comments(tokens);
        // A comma may follow.
        if !commented && indent + width(&flat) < WIDTH {
            return vec![flat];
        }
        let Some((at, token, group)) = self.breakable(tokens) else {
            return vec![flat];
        };
        let (before, after) = (
            tokens.get(..at).unwrap_or(&[]),
            tokens.get(at + 1..).unwrap_or(&[]),
        );
        let gap = if source.space_before(tokens, at, role) {
            " "
        } else {
            ""
        };
        let head = format!(
            "{lead}{}{gap}{}",
            source.flat(before, role),
            source.open(token)
        );
        let mut lines = if self.has_comments(before) || indent + width(&head) > WIDTH {
            let mut lines = self.piece(before, indent, role, lead);
            join(&mut lines, vec![format!("{gap}{}", source.open(token))]);
            lines
        } else {
            vec![head]
        };
        self.list(group, indent + INDENT, &mut lines);
        let gap = if source.space_before(tokens, at + 1, role) {
            " "
        } else {
            ""
        };
        lines.push(indented(indent, source.close(token)));
        if !after.is_empty() {
            // Behind a bracket a minus is an operator, which it doesn't look like where a line begins.
            let (lead, after) = match after {
                [minus, right @ ..] if minus.kind == Kind::Minus => (format!("{gap}- "), right),
                _ => (gap.to_owned(), after),
            };
            let rest = self.piece(after, indent, role, lead);
            join(&mut lines, rest);
        }
        lines
    }

    /// The bracket to break: one that holds a comment, else the widest.
    fn breakable<'p>(&self, tokens: &'p [Token]) -> Option<(usize, &'p Token, &'t Group)> {
        let source = self.source();
        let groups = tokens.iter().enumerate().filter_map(|(at, token)| {
            let group = source.group(token)?;
            let breaks = matches!(
                group.role,
                Role::Args
                    | Role::Params
                    | Role::Literal
                    | Role::Paren
                    | Role::TypeTuple
                    | Role::Index
                    | Role::Shape
                    | Role::Size
            );
            let commented = !self.comments_in(token.span).is_empty();
            let short = width(&source.flat(std::slice::from_ref(token), None)) < 8 && !commented;
            let keeps = matches!(group.role, Role::Index | Role::Shape | Role::Size) && !commented;
            let empty = source.inner(group).is_empty() && !commented;
            ((breaks || commented) && group.role != Role::FString && !keeps && !short && !empty)
                .then_some((at, token, group, commented))
        });
        let widest = groups.max_by_key(|(at, token, _, commented)| {
            let flat = source.flat(std::slice::from_ref(*token), None);
            (*commented, width(&flat), std::cmp::Reverse(*at))
        });
        widest.map(|(at, token, group, _)| (at, token, group))
    }

    /// What stands in a bracket, on lines of its own.
    fn list(&self, group: &Group, indent: usize, lines: &mut Vec<String>) {
        let source = self.source();
        let tokens = source.inner(group);
        let flat = source.flat(tokens, Some(group.role));
        let commented = !self.comments_in(group.span).is_empty();
        if !commented && !self.is_matrix(group) && indent + width(&flat) <= WIDTH {
            lines.push(indented(indent, &flat));
            return;
        }
        let start = Span::new(
            group.span.start,
            tokens
                .first()
                .map_or(group.span.end, |first| first.span.start),
        );
        for comment in self.comments_in(start) {
            lines.push(indented(indent, &comment_text(comment)));
        }
        for segment in tokens.split_inclusive(|token| token.kind == Kind::Comma) {
            self.segment(segment, group, indent, lines);
        }
    }

    /// A literal of several rows: each has its own line, as matrices are read.
    fn is_matrix(&self, group: &Group) -> bool {
        let source = self.source();
        let tokens = source.inner(group);
        let row = tokens.first().and_then(|first| source.group(first));
        group.role == Role::Literal
            && row.is_some_and(|row| row.role == Role::Literal)
            && tokens.iter().any(|token| token.kind == Kind::Comma)
    }

    /// An argument or element with its comma.
    fn segment(&self, tokens: &[Token], group: &Group, indent: usize, lines: &mut Vec<String>) {
        let mut first = true;
        for piece in self.pipe_pieces(tokens, indent, group.role) {
            let deeper = if first { indent } else { indent + INDENT };
            let mut written = self.piece(piece, deeper, Some(group.role), String::new());
            if let Some(line) = written.first_mut() {
                *line = indented(deeper, line);
            }
            lines.extend(written);
            first = false;
        }
        let (Some(start), Some(last)) = (tokens.first(), tokens.last()) else {
            return;
        };
        let inner = self.source().inner(group);
        let end = start_after(inner, last).unwrap_or(group.span.end);
        // Comments of brackets inside were written with them.
        let inside = |comment: &&Comment| {
            tokens.iter().any(|token| {
                matches!(token.kind, Kind::Group(_)) && token.span.contains(comment.span)
            })
        };
        let loose: Vec<Comment> = self
            .comments_in(Span::new(start.span.start, end))
            .iter()
            .filter(|comment| !inside(comment))
            .cloned()
            .collect();
        self.add_comments(&loose, indent, lines);
    }

    /// An argument that is a pipe too long for its line has a stage on each.
    fn pipe_pieces<'p>(&self, tokens: &'p [Token], indent: usize, role: Role) -> Vec<&'p [Token]> {
        let flat = self.source().flat(tokens, Some(role));
        if indent + width(&flat) <= WIDTH || !tokens.iter().any(|token| token.kind == Kind::Pipe) {
            return vec![tokens];
        }
        let mut pieces = Vec::new();
        let mut start = 0;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind == Kind::Pipe && at > 0 {
                pieces.extend(tokens.get(start..at));
                start = at;
            }
        }
        pieces.extend(tokens.get(start..));
        pieces
    }
}
