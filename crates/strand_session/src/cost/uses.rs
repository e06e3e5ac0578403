//! Where a body's variables are read.

use strand_ir::{Body, ExprKind, LocalId, StmtKind};
use strand_source::Map;

/// The variables that one statement without blocks binds and one such reads, once: their values are taken.
pub(super) fn read_once(body: &Body) -> Vec<LocalId> {
    // How often each is bound and read, and how often outside blocks.
    let mut counts: Map<LocalId, [u32; 2]> = Map::new();
    let mut count = |local: &LocalId, is_read: bool, by: u32| {
        let counts = counts.get_or_insert_with(*local, || [0; 2]);
        if let Some(count) = counts.get_mut(usize::from(is_read)) {
            *count += by;
        }
    };
    for stmt in &body.stmts {
        let simple = matches!(
            stmt.kind,
            StmtKind::Bind { .. }
                | StmtKind::Unpack { .. }
                | StmtKind::Return(_)
                | StmtKind::Expr(_)
        );
        // In blocks it may happen again and again.
        let by = if simple { 1 } else { 2 };
        stmt.each(&mut |stmt| match &stmt.kind {
            StmtKind::Bind {
                local: Some(local), ..
            } => count(local, false, by),
            StmtKind::SetIndex { local, .. } => count(local, false, 2),
            StmtKind::Unpack { locals, .. } => {
                locals
                    .iter()
                    .flatten()
                    .for_each(|local| count(local, false, 2));
            }
            _ => {}
        });
        stmt.each_expr(&mut |expr| {
            if let ExprKind::Local(local) = &expr.kind {
                count(local, true, by);
            }
        });
    }
    let once = counts.iter().filter(|(_, counts)| **counts == [1, 1]);
    once.map(|(local, _)| *local).collect()
}

/// The outermost statement that names each variable last.
pub(super) fn last_uses(body: &Body) -> Map<LocalId, usize> {
    let mut last = Map::new();
    for (at, stmt) in body.stmts.iter().enumerate() {
        stmt.each_expr(&mut |expr| {
            if let ExprKind::Local(local) = &expr.kind {
                last.insert(*local, at);
            }
        });
        stmt.each(&mut |stmt| {
            if let StmtKind::SetIndex { local, .. } = &stmt.kind {
                last.insert(*local, at);
            }
        });
    }
    last
}
