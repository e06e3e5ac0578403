//! Bodies of lambdas computed once, on whole tensors.

use strand_source::Set;

use strand_ir::{Expr, ExprKind, Iter, IterKind, Lambda, LocalId};
use strand_ops::Class;

use crate::py::{Item, Py};
use crate::writer::Writer;

/// What a plain piece is: its text, and the rank of an element where it has the iterated axis.
pub(crate) struct Plain {
    pub(crate) py: Py,
    pub(crate) rank: Option<usize>,
}

impl<'a> Writer<'_, 'a> {
    /// Whether a function can be computed on whole tensors as it is written.
    pub(crate) fn is_plain(&self, lambda: &Lambda) -> bool {
        let vars: Set<LocalId> = lambda.params.iter().flatten().copied().collect();
        is_plain_piece(&lambda.body, &vars, self.can_bind())
    }

    /// A piece of a plain body.
    pub(crate) fn plain(&mut self, e: &'a Expr, vars: &Set<LocalId>) -> Plain {
        if !uses(e, vars) {
            return Plain {
                py: self.expr(e),
                rank: None,
            };
        }
        let piece = match &e.kind {
            ExprKind::Index { base, items } => {
                let rank = base.ty.tensor().map_or(1, |ty| ty.rank()).saturating_sub(1);
                let py = match whole_index(items) {
                    Some(local) if self.whole.contains(&local) => self.expr(base),
                    _ => self.indexed(base, items),
                };
                Plain {
                    py,
                    rank: Some(rank),
                }
            }
            ExprKind::Op { op, args, .. } => {
                let (pys, rank) = self.aligned(args, vars);
                let py = self.elementwise(e, *op, args, pys);
                Plain {
                    py,
                    rank: Some(rank),
                }
            }
            ExprKind::Call { function, args, .. } => {
                let (pys, rank) = self.aligned(args, vars);
                Plain {
                    py: self.call(e, *function, pys),
                    rank: Some(rank),
                }
            }
            ExprKind::Extern { function, args, .. } => {
                let (pys, rank) = self.aligned(args, vars);
                Plain {
                    py: self.external(e, *function, pys),
                    rank: Some(rank),
                }
            }
            ExprKind::Convert {
                value,
                dtype,
                check,
            } => {
                let inner = self.plain(value, vars);
                let whole = inner.rank.is_some();
                let py = self.convert(e, inner.py, &value.ty, *dtype, check.as_ref(), whole);
                Plain {
                    py,
                    rank: inner.rank,
                }
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.expr(condition);
                let pair = [then.as_ref(), otherwise.as_ref()];
                let rank = pair.iter().map(|e| rank_of(e)).max().unwrap_or(0);
                let mut pys = pair.into_iter().map(|part| {
                    let piece = self.plain(part, vars);
                    align(piece, rank)
                });
                let (then, otherwise) = (pys.next(), pys.next());
                let none = || Py::name("None");
                let py = Py::ternary(
                    then.unwrap_or_else(none),
                    condition,
                    otherwise.unwrap_or_else(none),
                    [None, None],
                );
                Plain {
                    py,
                    rank: Some(rank),
                }
            }
            _ => Plain {
                py: self.expr(e),
                rank: Some(rank_of(e)),
            },
        };
        Plain {
            py: piece.py.tagged(e.span),
            rank: piece.rank,
        }
    }

    /// Arguments lined up: a `[]` part gets axes of size 1 behind the iterated one.
    fn aligned(&mut self, args: &'a [Expr], vars: &Set<LocalId>) -> (Vec<Py>, usize) {
        let rank = args.iter().map(rank_of).max().unwrap_or(0);
        let pys = args
            .iter()
            .map(|arg| {
                let piece = self.plain(arg, vars);
                align(piece, rank)
            })
            .collect();
        (pys, rank)
    }
}

fn align(piece: Plain, rank: usize) -> Py {
    match piece.rank {
        Some(own) if own < rank => with_axes(piece.py, rank - own),
        _ => piece.py,
    }
}

/// `w[:, None]`
pub(crate) fn with_axes(py: Py, count: usize) -> Py {
    let mut items = vec![Item::whole()];
    items.extend((0..count).map(|_| Item::new_axis()));
    py.index(items)
}

fn rank_of(e: &Expr) -> usize {
    e.ty.tensor().map_or(0, |ty| ty.rank())
}

fn uses(e: &Expr, vars: &Set<LocalId>) -> bool {
    let mut found = false;
    e.each(&mut |piece| {
        found |= matches!(piece.kind, ExprKind::Local(local) if vars.contains(&local));
    });
    found
}

/// The index of `x[i]`, where that is all of it.
fn whole_index(items: &[strand_ir::IndexItem]) -> Option<LocalId> {
    match items {
        [
            strand_ir::IndexItem::Tensor {
                index, offset: 0, ..
            },
        ] => match index.kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn count_whole_indexings(e: &Expr, param: LocalId) -> usize {
    let mut count = 0;
    e.each(&mut |piece| {
        if let ExprKind::Index { items, .. } = &piece.kind {
            count += usize::from(whole_index(items) == Some(param));
        }
    });
    count
}

/// How many parts an element has.
pub(crate) fn part_count(iter: &Iter) -> usize {
    match &iter.kind {
        IterKind::Size(_) | IterKind::Range(..) | IterKind::Slices { .. } => 1,
        IterKind::Zip(parts) => parts.iter().map(part_count).sum(),
        IterKind::Enumerate(inner) => 1 + part_count(inner),
        IterKind::Filter { input, lambda, .. } => match part_count(input) {
            count if count == lambda.params.len() => count,
            _ => 0,
        },
    }
}

/// For each part of an element whether it is every index of an axis, in order.
pub(crate) fn whole_indices(iter: &Iter) -> Vec<bool> {
    match &iter.kind {
        IterKind::Size(_) => vec![true],
        IterKind::Range(start, _) => vec![start.as_constant() == Some(0)],
        IterKind::Slices { .. } => vec![false],
        IterKind::Zip(parts) => parts.iter().flat_map(whole_indices).collect(),
        IterKind::Enumerate(inner) => {
            let mut whole = vec![true];
            whole.extend(whole_indices(inner));
            whole
        }
        IterKind::Filter { input, .. } => vec![false; input.parts.len()],
    }
}

fn is_plain_piece(e: &Expr, vars: &Set<LocalId>, can_name: bool) -> bool {
    if !uses(e, vars) {
        return true;
    }
    let rank = rank_of(e);
    let fits = |part: &Expr| !uses(part, vars) || rank_of(part) == rank || rank_of(part) == 0;
    let all = |parts: &[Expr]| {
        parts
            .iter()
            .all(|part| fits(part) && is_plain_piece(part, vars, can_name))
    };
    match &e.kind {
        ExprKind::Local(_) => true,
        ExprKind::Index { base, items } => {
            let index = match items.as_slice() {
                [strand_ir::IndexItem::Tensor { index, .. }] => index,
                _ => return false,
            };
            !uses(base, vars) && rank_of(index) == 0 && matches!(index.kind, ExprKind::Local(_))
        }
        ExprKind::Op { op, args, .. } => {
            matches!(op.op().class, Class::Elementwise { .. }) && all(args)
        }
        ExprKind::Call { args, .. } | ExprKind::Extern { args, .. } => all(args),
        ExprKind::Convert { value, .. } => is_plain_piece(value, vars, can_name),
        ExprKind::If {
            condition,
            then,
            otherwise,
        } => {
            can_name
                && !uses(condition, vars)
                && [then, otherwise]
                    .into_iter()
                    .all(|part| fits(part) && is_plain_piece(part, vars, can_name))
        }
        _ => false,
    }
}
