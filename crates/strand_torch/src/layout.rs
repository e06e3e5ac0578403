//! Breaks statements into lines of at most 88 columns, the way black does.
//!
//! A statement that is too long is split at its last bracket pair, then inside it at the
//! delimiters that bind loosest. Brackets that are written only when needed (`hidden`) stand around
//! values of assignments and the like.

mod right_hand;

use strand_source::{Map, Set};

use crate::py::{COMMA_PRIORITY, DOT_PRIORITY, Kind, Leaf};

/// black's line length.
pub(crate) const WIDTH: usize = 88;

/// A line's depth and the leaves on it, by their place in the statement's leaves.
pub(crate) struct Laid {
    pub(crate) leaves: Vec<Leaf>,
    /// For every line its indentation in steps and its leaves.
    pub(crate) lines: Vec<(usize, Vec<usize>)>,
}

/// Breaks one statement. The leaves that come back are those given, then commas that were added.
pub(crate) fn lay_out(leaves: Vec<Leaf>, depth: usize) -> Laid {
    let count = leaves.len();
    let mut splitter = Splitter::new(leaves);
    let line = Line {
        depth,
        ids: (0..count).collect(),
        inside: false,
        must_split: false,
        tracked: Tracked::All,
    };
    let mut lines = Vec::new();
    splitter.transform(line, false, &mut lines);
    let lines = lines
        .into_iter()
        .map(|line| (line.depth, splitter.originals(&line.ids)))
        .collect();
    Laid {
        leaves: splitter.finished(),
        lines,
    }
}

/// The columns that a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// A split that isn't possible or not worth it.
struct CannotSplit;

/// Which brackets of a line count when its delimiters are looked for.
#[derive(Clone, Copy, PartialEq)]
enum Tracked {
    All,
    Matched,
    None,
}

#[derive(Clone)]
struct Line {
    depth: usize,
    ids: Vec<usize>,
    inside: bool,
    must_split: bool,
    tracked: Tracked,
}

/// A line split at a bracket pair.
struct Parts {
    head: Line,
    body: Line,
    tail: Line,
    open: usize,
    close: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Transform {
    LeftHand,
    Delimiter,
    RightHand,
}

struct Splitter {
    leaves: Vec<Leaf>,
    /// For a closing bracket its opening one.
    opening: Vec<Option<usize>>,
    /// For a copied leaf the one it was copied from.
    original: Vec<usize>,
}

impl Splitter {
    fn new(leaves: Vec<Leaf>) -> Self {
        let mut opening = vec![None; leaves.len()];
        let mut open = Vec::new();
        for (at, leaf) in leaves.iter().enumerate() {
            match leaf.kind {
                Kind::Open => open.push(at),
                Kind::Close => opening[at] = open.pop(),
                _ => {}
            }
        }
        Self {
            original: (0..leaves.len()).collect(),
            opening,
            leaves,
        }
    }

    /// The ids under which the leaves of a line stand in [`Laid`].
    fn originals(&mut self, ids: &[usize]) -> Vec<usize> {
        for &id in ids {
            let original = self.original[id];
            self.leaves[original].hidden = self.leaves[id].hidden;
        }
        ids.iter().map(|id| self.original[*id]).collect()
    }

    fn finished(self) -> Vec<Leaf> {
        self.leaves
    }

    fn text(&self, line: &Line) -> String {
        let mut out = "    ".repeat(line.depth);
        for (at, &id) in line.ids.iter().enumerate() {
            let leaf = &self.leaves[id];
            if at > 0 && leaf.space {
                out.push(' ');
            }
            if !leaf.hidden {
                out.push_str(&leaf.text);
            }
        }
        out
    }

    fn fits(&self, line: &Line) -> bool {
        let mut columns = 4 * line.depth;
        for (at, &id) in line.ids.iter().enumerate() {
            columns += self.length(id) - usize::from(at == 0 && self.leaves[id].space);
            if columns > WIDTH {
                return false;
            }
        }
        true
    }

    /// The columns of a leaf with the space before it.
    fn length(&self, id: usize) -> usize {
        let leaf = &self.leaves[id];
        let text = if leaf.hidden { 0 } else { width(&leaf.text) };
        text + usize::from(leaf.space)
    }

    fn is(&self, id: usize, kind: Kind) -> bool {
        self.leaves[id].kind == kind
    }

    fn first_word(&self, line: &Line) -> &str {
        line.ids
            .first()
            .map_or("", |id| self.leaves[*id].text.as_str())
    }

    fn is_import(&self, line: &Line) -> bool {
        matches!(self.first_word(line), "from" | "import")
    }

    fn transform(&mut self, line: Line, force: bool, out: &mut Vec<Line>) {
        if !line.must_split && self.fits(&line) {
            out.push(line);
            return;
        }
        let transforms: &[Transform] = if self.first_word(&line) == "def" {
            &[Transform::LeftHand]
        } else if line.inside {
            &[Transform::Delimiter, Transform::RightHand]
        } else {
            &[Transform::RightHand]
        };
        for transform in transforms {
            if let Ok(lines) = self.run(&line, *transform, force) {
                out.extend(lines);
                return;
            }
        }
        out.push(line);
    }

    fn run(
        &mut self,
        line: &Line,
        transform: Transform,
        force: bool,
    ) -> Result<Vec<Line>, CannotSplit> {
        let text = self.text(line);
        let optional = self.optional_brackets(line);
        let any_invisible = self.has_hidden_pair(line);
        let pieces = match transform {
            Transform::LeftHand => self.left_hand(line)?,
            Transform::Delimiter => self.delimiter(line)?,
            Transform::RightHand => self.right_hand_with_omits(line, force)?,
        };
        let mut result = Vec::new();
        for piece in pieces {
            if self.text(&piece) == text {
                return Err(CannotSplit);
            }
            self.transform(piece, force, &mut result);
        }
        let is_settled = force
            || transform != Transform::RightHand
            || !any_invisible
            || optional.iter().any(|id| !self.leaves[*id].hidden)
            || result.first().is_none_or(|first| self.fits(first));
        if is_settled {
            return Ok(result);
        }
        // Not short enough: try once more with the optional brackets written.
        let copy = self.copy(line);
        let second = self.run(&copy, transform, true)?;
        if second.iter().all(|line| self.fits(line)) {
            return Ok(second);
        }
        Ok(result)
    }

    fn copy(&mut self, line: &Line) -> Line {
        let base = self.leaves.len();
        let mut ids = Vec::with_capacity(line.ids.len());
        let mut copies = Map::new();
        for (at, &id) in line.ids.iter().enumerate() {
            copies.insert(id, base + at);
            self.leaves.push(self.leaves[id].clone());
            self.original.push(self.original[id]);
            let opening = self.opening[id].and_then(|open| copies.get(&open).copied());
            self.opening.push(opening);
            ids.push(base + at);
        }
        Line { ids, ..*line }
    }

    /// The leaves of a line whose brackets are looked at.
    fn tracked_ids(&self, line: &Line) -> Vec<usize> {
        match line.tracked {
            Tracked::All => line.ids.clone(),
            Tracked::None => Vec::new(),
            Tracked::Matched => {
                let closed: Set<usize> =
                    line.ids.iter().filter_map(|id| self.opening[*id]).collect();
                let mut depth = 0usize;
                let mut kept = Vec::new();
                for &id in &line.ids {
                    depth += usize::from(closed.contains(&id));
                    if depth > 0 {
                        kept.push(id);
                    }
                    // A pair that opens on another line isn't one of this line's.
                    let closes = self.opening[id].is_some() && depth > 0;
                    depth -= usize::from(closes);
                }
                kept
            }
        }
    }

    fn has_hidden_pair(&self, line: &Line) -> bool {
        self.tracked_ids(line)
            .iter()
            .any(|id| self.is(*id, Kind::Close) && self.leaves[*id].hidden)
    }

    /// The hidden brackets that stand in no others.
    fn optional_brackets(&self, line: &Line) -> Vec<usize> {
        let mut depth = 0usize;
        let mut found = Vec::new();
        for id in self.tracked_ids(line) {
            if self.is(id, Kind::Close) {
                depth = depth.saturating_sub(1);
            }
            if depth == 0 && self.leaves[id].hidden {
                found.push(id);
            }
            if self.is(id, Kind::Open) {
                depth += 1;
            }
        }
        found
    }

    /// The leaves after which the line may be broken, with how readily.
    fn delimiters(&self, line: &Line) -> Vec<(usize, u8)> {
        let mut depth = 0usize;
        let mut found: Vec<(usize, u8)> = Vec::new();
        let mut previous: Option<usize> = None;
        for id in self.tracked_ids(line) {
            let leaf = &self.leaves[id];
            if leaf.kind == Kind::Close {
                if depth == 0 {
                    continue;
                }
                depth -= 1;
            }
            if depth == 0 {
                let after_bracket = previous.is_none_or(|at| self.is(at, Kind::Close));
                let before = if leaf.kind == Kind::Dot && after_bracket {
                    DOT_PRIORITY
                } else {
                    leaf.priority
                };
                match previous {
                    Some(previous) if before > 0 => found.push((previous, before)),
                    _ if leaf.kind == Kind::Comma => found.push((id, COMMA_PRIORITY)),
                    _ => {}
                }
            }
            if leaf.kind == Kind::Open {
                depth += 1;
            }
            previous = Some(id);
        }
        found
    }

    fn build(&self, ids: Vec<usize>, original: &Line, tracked: Tracked) -> Line {
        Line {
            depth: original.depth,
            ids,
            inside: false,
            must_split: false,
            tracked,
        }
    }

    fn build_body(&mut self, mut ids: Vec<usize>, original: &Line, open: usize) -> Line {
        let is_def = self.first_word(original) == "def";
        let has_comma = ids.iter().any(|id| self.is(*id, Kind::Comma));
        let wants_comma =
            self.is_import(original) || (is_def && self.leaves[open].text == "(" && !has_comma);
        let ends_in_comma = ids.last().is_some_and(|id| self.is(*id, Kind::Comma));
        if wants_comma && !ids.is_empty() && !ends_in_comma {
            ids.push(self.added_comma());
        }
        let mut line = Line {
            depth: original.depth + 1,
            ids,
            inside: true,
            must_split: false,
            tracked: Tracked::All,
        };
        line.must_split = self.should_explode(&line, open);
        line
    }

    fn added_comma(&mut self) -> usize {
        let id = self.leaves.len();
        self.leaves.push(Leaf::new(",", Kind::Comma));
        self.opening.push(None);
        self.original.push(id);
        id
    }

    /// Whether the elements of a tuple, list or import go on lines of their own at once.
    fn should_explode(&self, line: &Line, open: usize) -> bool {
        let Some(&last) = line.ids.last() else {
            return false;
        };
        let ends_in_comma = self.is(last, Kind::Comma);
        let delimiters = self.delimiters(line);
        let others = delimiters
            .iter()
            .filter(|(id, _)| !(ends_in_comma && *id == last));
        let most = others.map(|(_, priority)| *priority).max();
        most == Some(COMMA_PRIORITY) && (ends_in_comma || self.leaves[open].atom)
    }

    fn left_hand(&mut self, line: &Line) -> Result<Vec<Line>, CannotSplit> {
        let start = line
            .ids
            .iter()
            .position(|id| self.is(*id, Kind::Open))
            .ok_or(CannotSplit)?;
        let open = line.ids[start];
        let end = line
            .ids
            .iter()
            .position(|id| self.opening[*id] == Some(open))
            .ok_or(CannotSplit)?;
        if end == start + 1 {
            return Err(CannotSplit);
        }
        let head = self.build(line.ids[..=start].to_vec(), line, Tracked::Matched);
        let body = self.build_body(line.ids[start + 1..end].to_vec(), line, open);
        let tail = self.build(line.ids[end..].to_vec(), line, Tracked::None);
        Ok(vec![head, body, tail])
    }

    fn delimiter(&mut self, line: &Line) -> Result<Vec<Line>, CannotSplit> {
        let last = *line.ids.last().ok_or(CannotSplit)?;
        let delimiters = self.delimiters(line);
        let others = delimiters.iter().filter(|(id, _)| *id != last);
        let most = others
            .map(|(_, priority)| *priority)
            .max()
            .ok_or(CannotSplit)?;
        let chosen: Set<usize> = delimiters
            .iter()
            .filter(|(_, priority)| *priority == most)
            .map(|(id, _)| *id)
            .collect();
        if most == DOT_PRIORITY && chosen.len() == 1 {
            return Err(CannotSplit);
        }
        let mut lines = Vec::new();
        let mut current = Vec::new();
        for &id in &line.ids {
            current.push(id);
            if chosen.contains(&id) {
                lines.push(std::mem::take(&mut current));
            }
        }
        if !current.is_empty() {
            let ends_in_comma = current.last().is_some_and(|id| self.is(*id, Kind::Comma));
            if most == COMMA_PRIORITY && !ends_in_comma {
                current.push(self.added_comma());
            }
            lines.push(current);
        }
        let build = |ids| Line {
            ids,
            must_split: false,
            tracked: Tracked::All,
            ..*line
        };
        Ok(lines.into_iter().map(build).collect())
    }
}
