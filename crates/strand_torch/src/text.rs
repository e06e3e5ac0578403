//! Rows to text, and which piece of it stands for which piece of the Strand text.

use std::cmp::Reverse;

use strand_source::{Map, Set, Span, continues_name};

use crate::layout::{WIDTH, lay_out, width};
use crate::py::{Kind, Leaf, Region};
use crate::rows::{Code, Remark, Row};
use crate::source::{Source, TokenKind};

/// The text with the pairs of spans that belong together.
#[derive(Default)]
pub(crate) struct Text {
    pub(crate) out: String,
    pairs: Vec<(Span, Span)>,
    /// Pieces of the Strand text with the Python text they became.
    regions: Vec<(Span, Span)>,
    /// Names and numbers of Python that stand for no token of their own.
    loose: Vec<(Span, Span)>,
}

impl Text {
    pub(crate) fn rows(&mut self, rows: Vec<Row>, source: &Source<'_>) {
        for row in rows {
            match row {
                Row::Blank => self.out.push('\n'),
                Row::Remark { depth, remark } => self.remark(depth, &remark),
                Row::Code {
                    depth,
                    code,
                    remark,
                } => self.code(depth, code, remark.as_ref()),
                Row::Doc {
                    depth,
                    text,
                    header,
                } => self.doc(depth, &text, header, source),
                Row::Verbatim(text) => {
                    self.out.push_str(text);
                    self.out.push('\n');
                }
            }
        }
    }

    fn here(&self) -> u32 {
        self.out.len() as u32
    }

    fn remark(&mut self, depth: usize, remark: &Remark) {
        let indent = "    ".repeat(depth);
        let start = self.here() + indent.len() as u32;
        for line in wrapped(&remark.text, WIDTH.saturating_sub(indent.len()), "# ") {
            self.out.push_str(&indent);
            self.out.push_str(&line);
            self.out.push('\n');
        }
        if let Some(span) = remark.span {
            self.pairs.push((span, Span::new(start, self.here() - 1)));
        }
    }

    fn code(&mut self, depth: usize, code: Code, remark: Option<&Remark>) {
        let laid = lay_out(code.leaves, depth);
        let mut lines = Vec::new();
        for (depth, ids) in &laid.lines {
            let mut line = "    ".repeat(*depth);
            let mut places = Vec::new();
            for (at, id) in ids.iter().enumerate() {
                let leaf = &laid.leaves[*id];
                if at > 0 && leaf.space {
                    line.push(' ');
                }
                let start = line.len();
                if !leaf.hidden {
                    line.push_str(&leaf.text);
                }
                places.push((*id, start, line.len()));
            }
            lines.push((line, places));
        }
        let follows = remark.is_some_and(|remark| {
            lines.len() == 1 && width(&lines[0].0) + 2 + width(&remark.text) <= WIDTH
        });
        if let Some(remark) = remark
            && !follows
        {
            self.remark(depth, remark);
        }
        let mut spans: Map<usize, Span> = Map::new();
        for (line, places) in lines {
            let start = self.here();
            for (id, from, to) in places {
                let place = Span::new(start + from as u32, start + to as u32);
                spans.insert(id, place);
                self.leaf(&laid.leaves[id], place);
            }
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
        if follows && let Some(remark) = remark {
            self.out.pop();
            self.out.push_str("  ");
            let start = self.here();
            self.out.push_str(&remark.text);
            if let Some(span) = remark.span {
                self.pairs.push((span, Span::new(start, self.here())));
            }
            self.out.push('\n');
        }
        self.mark_regions(&laid.leaves, &code.regions, &spans);
    }

    fn leaf(&mut self, leaf: &Leaf, place: Span) {
        if let Some(span) = leaf.span
            && !place.is_empty()
            && !span.is_empty()
        {
            self.pairs.push((span, place));
        }
    }

    fn mark_regions(&mut self, leaves: &[Leaf], regions: &[Region], places: &Map<usize, Span>) {
        for region in regions {
            let inside = (region.start..region.end)
                .filter_map(|id| places.get(&id))
                .filter(|place| !place.is_empty());
            let whole = inside.copied().reduce(Span::to);
            if let Some(whole) = whole {
                self.regions.push((region.span, whole));
            }
        }
        for (id, leaf) in leaves.iter().enumerate() {
            let means = matches!(leaf.kind, Kind::Name | Kind::Number | Kind::Text);
            if !means || leaf.span.is_some() || leaf.hidden {
                continue;
            }
            let around = regions
                .iter()
                .filter(|region| (region.start..region.end).contains(&id))
                .min_by_key(|region| region.end - region.start)
                // What stands beside the value, such as the name it gets.
                .or_else(|| {
                    regions
                        .iter()
                        .max_by_key(|region| region.end - region.start)
                });
            if let (Some(region), Some(place)) = (around, places.get(&id)) {
                self.loose.push((region.span, *place));
            }
        }
    }

    /// A docstring; its words stand for those of the header.
    fn doc(&mut self, depth: usize, text: &str, header: Option<Span>, source: &Source<'_>) {
        let indent = "    ".repeat(depth);
        let text = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
        let start = self.here() + indent.len() as u32;
        let fits = indent.len() + 6 + width(&text) <= WIDTH;
        if fits && !text.ends_with('"') {
            self.out.push_str(&format!("{indent}\"\"\"{text}\"\"\"\n"));
        } else {
            // So narrow that it is more than one line: black would join a single one with its quotes.
            let lines = wrapped(&text, WIDTH - indent.len() - 6, "");
            self.out.push_str(&format!("{indent}\"\"\""));
            self.out.push_str(&lines.join(&format!("\n{indent}")));
            let last = lines.last().map_or("", String::as_str);
            let joins =
                lines.len() > 1 && !last.ends_with('"') && indent.len() + width(last) + 3 <= WIDTH;
            let end = if joins { "" } else { &format!("\n{indent}") };
            self.out.push_str(&format!("{end}\"\"\"\n"));
        }
        let Some(header) = header else { return };
        let mut at = start as usize;
        for token in source.within(header) {
            let spelling = source.spelling(*token);
            if token.kind == TokenKind::Mark {
                continue;
            }
            if let Some(found) = find_word(&self.out, at, spelling) {
                let place = Span::new(found as u32, (found + spelling.len()) as u32);
                self.pairs.push((token.span, place));
                at = found + spelling.len();
            }
        }
        self.regions
            .push((header, Span::new(start, self.here() - 1)));
    }

    /// The pairs, every Strand word, number and text that has none given the place of the piece
    /// that holds it.
    pub(crate) fn spans(mut self, source: &Source<'_>) -> (String, Vec<(Span, Span)>) {
        let mapped: Set<Span> = self.pairs.iter().map(|(strand, _)| *strand).collect();
        self.pairs.append(&mut self.loose);
        let found = self.fallbacks(source, &mapped);
        self.pairs.extend(found);
        strand_source::sort(&mut self.pairs);
        self.pairs.dedup();
        (self.out, self.pairs)
    }
}

impl Text {
    /// The smallest piece around each word, number and text that isn't mapped. Pieces nest.
    fn fallbacks(&mut self, source: &Source<'_>, mapped: &Set<Span>) -> Vec<(Span, Span)> {
        let order = |(strand, python): &(Span, Span)| {
            (strand.start, Reverse(strand.end), Reverse(python.len()))
        };
        strand_source::sort_by_key(&mut self.regions, order);
        let mut regions = self.regions.iter().peekable();
        let mut around: Vec<(Span, Span)> = Vec::new();
        let mut found = Vec::new();
        for token in &source.tokens {
            while let Some(region) = regions.next_if(|(strand, _)| strand.start <= token.span.start)
            {
                around.push(*region);
            }
            while around
                .last()
                .is_some_and(|(strand, _)| strand.end < token.span.end)
            {
                around.pop();
            }
            let is_free = token.kind != TokenKind::Mark && !mapped.contains(&token.span);
            if is_free && let Some((_, python)) = around.last() {
                found.push((token.span, *python));
            }
        }
        found
    }
}

/// Where a word next stands on its own.
fn find_word(text: &str, from: usize, word: &str) -> Option<usize> {
    let mut at = from;
    while let Some(found) = text.get(at..)?.find(word) {
        let start = at + found;
        let end = start + word.len();
        let before = text[..start].chars().next_back();
        let after = text[end..].chars().next();
        if !before.is_some_and(continues_name) && !after.is_some_and(continues_name) {
            return Some(start);
        }
        at = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// A text in lines of a width, broken at spaces; every line but the first starts with `prefix`.
fn wrapped(text: &str, limit: usize, prefix: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let is_start = line.is_empty() || line == prefix;
        if !is_start && width(&line) + 1 + width(word) > limit {
            lines.push(line.trim_end().to_owned());
            line = prefix.to_owned();
            line.push_str(word);
            continue;
        }
        if !line.is_empty() && line != prefix {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line.trim_end().to_owned());
    lines
}
