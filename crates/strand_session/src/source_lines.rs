//! Pieces of source lines as they can be drawn: nothing invisible, nothing endless.

use unicode_width::UnicodeWidthChar;

/// How many columns of a source line are drawn at most.
const COLUMNS: usize = 100;
/// How many columns the marks of one drawn piece may take.
const MARKED: usize = 80;

/// A text as it is drawn: a tab as four blanks, other control characters as a replacement, and
/// characters that can't be seen or that turn the direction of writing as `<U+202E>`.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => out.push_str("    "),
            c if c.is_control() => out.push('\u{fffd}'),
            c if is_hidden(c) => {
                let number = u32::from(c);
                out.push_str("<U+");
                for digit in (0..if number > 0xffff { 5 } else { 4 }).rev() {
                    let digit = number >> (4 * digit) & 15;
                    out.extend(char::from_digit(digit, 16).map(|c| c.to_ascii_uppercase()));
                }
                out.push('>');
            }
            c => out.push(c),
        }
    }
    out
}

/// Format characters: soft hyphens, joiners, marks and overrides of direction, separators, tags.
fn is_hidden(c: char) -> bool {
    matches!(
        u32::from(c),
        0xad | 0x61c | 0x180e | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff
            | 0xfff9..=0xfffb | 0xe0000..=0xe007f
    )
}

/// How many columns a text takes as it is drawn.
pub(crate) fn columns(text: &str) -> usize {
    width(&visible(text))
}

/// How many columns a drawn text takes. Nothing that joins characters is drawn, so that each takes its own.
pub(crate) fn width(drawn: &str) -> usize {
    drawn.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// A text of one line as it is drawn, cut after so many columns.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    let cut = forward(text, 0, most);
    let mut out = visible(&text[..cut]).trim_end().to_owned();
    if cut < text.len() {
        out.push('…');
    }
    out
}

/// The byte up to which a line is drawn from `from` in so many columns.
fn forward(line: &str, from: usize, most: usize) -> usize {
    let mut taken = 0;
    for (at, c) in line[from..].char_indices() {
        taken += columns(c.encode_utf8(&mut [0; 4]));
        if taken > most {
            return from + at;
        }
    }
    line.len()
}

/// The byte from which a line is drawn up to `to` in so many columns.
fn backward(line: &str, to: usize, most: usize) -> usize {
    let mut taken = 0;
    for (at, c) in line[..to].char_indices().rev() {
        taken += columns(c.encode_utf8(&mut [0; 4]));
        if taken > most {
            return at + c.len_utf8();
        }
    }
    0
}

/// The part of a line that is drawn, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    start: usize,
    end: usize,
}

impl Window {
    /// The first marks of a line, in order, with what stands around them; and how many marks lie
    /// in it.
    pub(crate) fn around(line: &str, marks: &[(usize, usize)]) -> (Self, usize) {
        if line.len() <= 4 * COLUMNS && columns(line) <= COLUMNS {
            let end = line.len();
            return (Self { start: 0, end }, marks.len());
        }
        let start = marks.iter().map(|mark| mark.0).min().unwrap_or(0);
        let most = forward(line, start, MARKED);
        let fits = |mark: &&(usize, usize)| mark.1 <= most;
        let count = marks.iter().take_while(fits).count();
        let end = marks[..count].iter().map(|mark| mark.1).max();
        let end = end.unwrap_or(most).max(start);
        let left = COLUMNS.saturating_sub(columns(&line[start..end]));
        let first = backward(line, start, left / 2);
        let used = columns(&line[first..end]);
        let last = forward(line, end, COLUMNS.saturating_sub(used));
        let window = Self {
            start: first,
            end: last,
        };
        (window, count.max(1))
    }

    /// The part as it is drawn, with … where something is left out.
    pub(crate) fn draw(self, line: &str) -> String {
        let before = if self.start > 0 { "…" } else { "" };
        let after = if self.end < line.len() { "…" } else { "" };
        format!("{before}{}{after}", visible(&line[self.start..self.end]))
    }

    /// The columns before a mark and those that it takes.
    pub(crate) fn place(self, line: &str, mark: (usize, usize)) -> (usize, usize) {
        let start = mark.0.clamp(self.start, self.end);
        let end = mark.1.clamp(start, self.end);
        let before = columns(&line[self.start..start]) + usize::from(self.start > 0);
        (before, columns(&line[start..end]).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_drawn() {
        assert_eq!(
            visible("a\u{202e}b\u{e0041}\u{1}"),
            "a<U+202E>b<U+E0041>\u{fffd}"
        );
        assert_eq!(clipped("x\u{2066}y", 3), "x…");
        assert_eq!(clipped("漢字漢字", 5), "漢字…");
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides_of_its_marks() {
        let line = "x".repeat(1_000_000);
        let (window, count) = Window::around(&line, &[(500_000, 500_003), (999_999, 1_000_000)]);
        assert_eq!(count, 1);
        let drawn = window.draw(&line);
        assert!(drawn.starts_with('…') && drawn.ends_with('…'));
        assert_eq!(width(&drawn), COLUMNS + 2);
        assert_eq!(window.place(&line, (500_000, 500_003)), (49, 3));
        let all = Window::around(&line, &[(0, 1_000_000)]).0;
        assert!(width(&all.draw(&line)) <= COLUMNS + 2);
    }
}
