//! Lines and columns of byte offsets.

/// A place as people count it: both 1-based, the column in code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u32,
    /// The column in code points, from 1.
    pub column: u32,
}

/// Turns byte offsets of one text into lines, columns and UTF-16 offsets, and back.
///
/// A line ends with `\n`; a `\r` before it belongs to the line.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<u32>,
}

impl<'a> LineIndex<'a> {
    /// Indexes `text`; linear in its length.
    pub fn new(text: &'a str) -> Self {
        crate::work::count_steps(text.len());
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(ends.map(|(at, _)| at as u32 + 1))
            .collect();
        Self { text, starts }
    }

    /// The text that was indexed.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// How many lines the text has: one more than its line ends.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The 1-based line of a byte offset.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset).max(1) as u32
    }

    /// The text of a 1-based line, without its line end; empty for a line that isn't there.
    pub fn line_text(&self, line: u32) -> &'a str {
        let Some(start) = self.line_start(line) else {
            return "";
        };
        let end = self.line_start(line + 1).unwrap_or(self.text.len() as u32);
        let whole = self.text.get(start as usize..end as usize).unwrap_or("");
        whole.trim_end_matches(['\n', '\r'])
    }

    /// The byte offset at which a 1-based line starts.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.starts.get(line.checked_sub(1)? as usize).copied()
    }

    /// The line and column of a byte offset; one inside a character counts as its start.
    pub fn position(&self, offset: u32) -> LineColumn {
        let line = self.line(offset);
        let start = self.line_start(line).unwrap_or(0);
        let before = self.before(start, offset);
        LineColumn {
            line,
            column: before.chars().count() as u32 + 1,
        }
    }

    /// The byte offset of a line and column, clamped to the text.
    pub fn offset(&self, at: LineColumn) -> u32 {
        let Some(start) = self.line_start(at.line) else {
            return self.text.len() as u32;
        };
        let rest = self.text.get(start as usize..).unwrap_or("");
        let line = rest.split('\n').next().unwrap_or("");
        let column = at.column.saturating_sub(1) as usize;
        let inside = line
            .char_indices()
            .nth(column)
            .map_or(line.len(), |(at, _)| at);
        start + inside as u32
    }

    /// The UTF-16 offset, from the text's start, of a byte offset.
    pub fn utf16(&self, offset: u32) -> u32 {
        self.before(0, offset).encode_utf16().count() as u32
    }

    /// The byte offset of a UTF-16 offset from the text's start, clamped to the text.
    pub fn from_utf16(&self, offset: u32) -> u32 {
        let mut left = offset as usize;
        for (at, character) in self.text.char_indices() {
            if left < character.len_utf16() {
                return at as u32;
            }
            left -= character.len_utf16();
        }
        self.text.len() as u32
    }

    fn before(&self, start: u32, offset: u32) -> &'a str {
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.get(start as usize..end).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points_and_utf16_counts_units() {
        let text = "a = 1\nx😀y = 2\n";
        let index = LineIndex::new(text);
        let y = text.find('y').unwrap() as u32;
        assert_eq!(index.position(y), LineColumn { line: 2, column: 3 });
        assert_eq!(index.offset(LineColumn { line: 2, column: 3 }), y);
        assert_eq!(index.utf16(y), 9);
        assert_eq!(index.from_utf16(9), y);
        assert_eq!(index.line_text(2), "x😀y = 2");
        assert_eq!(index.line_count(), 3);
    }

    #[test]
    fn offsets_outside_are_clamped() {
        let index = LineIndex::new("ab");
        assert_eq!(index.position(99), LineColumn { line: 1, column: 3 });
        assert_eq!(index.offset(LineColumn { line: 9, column: 9 }), 2);
        assert_eq!(index.from_utf16(9), 2);
    }
}
