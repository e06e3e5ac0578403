//! Splits at a line's last bracket pair.

use strand_source::Set;

use super::{CannotSplit, Line, Parts, Splitter, Tracked, WIDTH, width};
use crate::py::{DOT_PRIORITY, Kind};

impl Splitter {
    /// Splits at the last bracket pair whose head fits, going left past trailers that fit.
    pub(super) fn right_hand_with_omits(
        &mut self,
        line: &Line,
        force: bool,
    ) -> Result<Vec<Line>, CannotSplit> {
        let mut omit = Set::new();
        let first = self.right_hand(line, force, &omit)?;
        if self.fits(&first[0]) {
            return Ok(first);
        }
        let mut length = 4 * line.depth;
        let mut open: Option<usize> = None;
        let mut close: Option<usize> = None;
        let mut inner: Vec<usize> = Vec::new();
        for at in (0..line.ids.len()).rev() {
            let id = line.ids[at];
            length += self.length(id);
            if length > WIDTH {
                break;
            }
            let previous = at.checked_sub(1).map(|at| line.ids[at]);
            if let Some(opening) = open {
                if id == opening {
                    open = None;
                } else if self.is(id, Kind::Close) {
                    inner.push(id);
                }
            } else if self.is(id, Kind::Close) {
                if previous.is_some_and(|id| self.is(id, Kind::Open)) {
                    inner.push(id);
                    continue;
                }
                if let Some(close) = close {
                    omit.insert(close);
                    omit.extend(inner.drain(..));
                    if !self.head_is_too_long(line, &omit) {
                        let lines = self.right_hand(line, force, &omit)?;
                        if self.fits(&lines[0]) {
                            return Ok(lines);
                        }
                    }
                }
                if !self.leaves[id].hidden {
                    open = self.opening[id];
                    close = Some(id);
                }
            }
        }
        Ok(first)
    }

    /// Whether the pair that would be split at begins past the line's end.
    fn head_is_too_long(&self, line: &Line, omit: &Set<usize>) -> bool {
        let target = line
            .ids
            .iter()
            .rev()
            .find(|id| self.is(**id, Kind::Close) && !omit.contains(id))
            .and_then(|id| self.opening[*id]);
        let Some(target) = target else { return false };
        let before = line.ids.iter().take_while(|id| **id != target);
        let length: usize = before.map(|id| self.length(*id)).sum();
        !self.leaves[target].hidden && 4 * line.depth + length > WIDTH
    }

    fn right_hand(
        &mut self,
        line: &Line,
        force: bool,
        omit: &Set<usize>,
    ) -> Result<Vec<Line>, CannotSplit> {
        let parts = self.last_pair(line, omit)?;
        self.perhaps_without_optional(parts, line, force, omit)
    }

    fn last_pair(&mut self, line: &Line, omit: &Set<usize>) -> Result<Parts, CannotSplit> {
        let mut tail_start = line.ids.len();
        let mut found = None;
        while tail_start > 0 {
            tail_start -= 1;
            let id = line.ids[tail_start];
            if !self.is(id, Kind::Close) || omit.contains(&id) {
                continue;
            }
            let open =
                self.opening[id].and_then(|open| line.ids.iter().position(|other| *other == open));
            match open {
                // An empty pair belongs to the tail.
                Some(open) if open + 1 == tail_start => {}
                Some(open) => {
                    found = Some(open);
                    break;
                }
                None => return Err(CannotSplit),
            }
        }
        let start = found.ok_or(CannotSplit)?;
        let (open, close) = (line.ids[start], line.ids[tail_start]);
        let head = self.build(line.ids[..=start].to_vec(), line, Tracked::Matched);
        let tail = self.build(line.ids[tail_start..].to_vec(), line, Tracked::None);
        let body = self.build_body(line.ids[start + 1..tail_start].to_vec(), line, open);
        Ok(Parts {
            head,
            body,
            tail,
            open,
            close,
        })
    }

    fn perhaps_without_optional(
        &mut self,
        parts: Parts,
        line: &Line,
        force: bool,
        omit: &Set<usize>,
    ) -> Result<Vec<Line>, CannotSplit> {
        let optional = self.leaves[parts.open].hidden && self.leaves[parts.close].hidden;
        if !force && optional && !self.is_import(line) && self.can_omit_optional(&parts) {
            let mut more = omit.clone();
            more.insert(parts.close);
            if let Ok(lines) = self.without_optional(&parts, line, force, &more) {
                if let Some(lines) = lines {
                    return Ok(lines);
                }
            } else if parts.body.ids.len() < 2 && !self.fits(&parts.body) {
                return Err(CannotSplit);
            }
        }
        self.leaves[parts.open].hidden = false;
        self.leaves[parts.close].hidden = false;
        let lines = [parts.head, parts.body, parts.tail];
        Ok(lines
            .into_iter()
            .filter(|line| !line.ids.is_empty())
            .collect())
    }

    fn without_optional(
        &mut self,
        parts: &Parts,
        line: &Line,
        force: bool,
        omit: &Set<usize>,
    ) -> Result<Option<Vec<Line>>, CannotSplit> {
        let other = self.last_pair(line, omit)?;
        if !self.prefers(&other, parts) {
            return Ok(None);
        }
        self.perhaps_without_optional(other, line, force, omit)
            .map(Some)
    }

    /// Whether the split without the optional brackets reads better.
    fn prefers(&self, other: &Parts, parts: &Parts) -> bool {
        let head = &parts.head.ids;
        let is_assign = |id: &usize| self.is(*id, Kind::Assign);
        let after_assign = head.len() >= 2 && self.is(head[head.len() - 2], Kind::Assign);
        if !after_assign {
            return true;
        }
        let is_bracket = |id: &usize| matches!(self.leaves[*id].kind, Kind::Open | Kind::Close);
        if !head[..head.len() - 1].iter().any(is_bracket) {
            return true;
        }
        if width(&self.text(&parts.head)) > WIDTH - 1 {
            return true;
        }
        let rest = other.head.ids.iter().rev();
        let closes = rest
            .take_while(|id| !is_assign(id))
            .any(|id| self.is(*id, Kind::Close));
        closes || (other.head.ids.iter().any(is_assign) && self.fits(&other.head))
    }

    /// Whether the body of a pair of optional brackets can be broken well without them.
    fn can_omit_optional(&self, parts: &Parts) -> bool {
        let line = &parts.body;
        let delimiters = self.delimiters(line);
        let Some(most) = delimiters.iter().map(|(_, priority)| *priority).max() else {
            return true;
        };
        let count = delimiters.iter().filter(|(_, p)| *p == most).count();
        if count > 1 {
            return false;
        }
        if most == DOT_PRIORITY {
            return true;
        }
        let ids = &line.ids;
        if ids.len() < 2 {
            return false;
        }
        if self.is(ids[0], Kind::Open)
            && !self.is(ids[1], Kind::Close)
            && self.can_omit_opening(line)
        {
            return true;
        }
        let last = ids[ids.len() - 1];
        let is_end =
            self.is(last, Kind::Close) && (self.leaves[last].text == ")" || self.leaves[last].atom);
        if !is_end || self.is(ids[ids.len() - 2], Kind::Open) {
            return false;
        }
        self.can_omit_closing(line)
    }

    fn can_omit_opening(&self, line: &Line) -> bool {
        let first = line.ids[0];
        let mut remainder = false;
        let mut length = 4 * line.depth;
        for &id in &line.ids {
            if self.opening[id] == Some(first) {
                remainder = true;
            }
            if remainder {
                length += self.length(id);
                if length > WIDTH {
                    return false;
                }
                if self.is(id, Kind::Open) {
                    remainder = false;
                }
            }
        }
        true
    }

    fn can_omit_closing(&self, line: &Line) -> bool {
        let last = line.ids[line.ids.len() - 1];
        let mut length = 4 * line.depth;
        let mut seen_other = false;
        for &id in &line.ids {
            length += self.length(id);
            if self.opening[last] == Some(id) {
                if seen_other || length <= WIDTH {
                    return true;
                }
            } else if self.is(id, Kind::Open) {
                seen_other = true;
            }
        }
        false
    }
}
