//! Lowerings of a whole program changed, so that they can be tested against each other.

use strand_source::Span;

use crate::{ExprKind, Iter, IterKind, Lowering, Program};

/// The program with torch.vmap for every plain chain. Both must give the same values: this is how
/// it is tested.
pub fn with_vmap(program: &Program) -> Program {
    let mut program = program.clone();
    let functions = program.functions.iter_mut();
    let bodies = functions.flat_map(|function| &mut function.instances);
    let bodies = bodies.chain(std::iter::once(&mut program.script));
    for stmt in bodies.flat_map(|body| &mut body.stmts) {
        stmt.each_expr_mut(&mut |expr| match &mut expr.kind {
            ExprKind::Map { iter, lowering, .. } => {
                vmap(lowering);
                vmap_filters(iter);
            }
            ExprKind::Filter { iter } => vmap_filters(iter),
            _ => {}
        });
    }
    program
}

fn vmap_filters(iter: &mut Iter) {
    match &mut iter.kind {
        IterKind::Zip(parts) => parts.iter_mut().for_each(vmap_filters),
        IterKind::Enumerate(inner) => vmap_filters(inner),
        IterKind::Filter {
            input, lowering, ..
        } => {
            vmap(lowering);
            vmap_filters(input);
        }
        IterKind::Size(_) | IterKind::Range(..) | IterKind::Slices { .. } => {}
    }
}

fn vmap(lowering: &mut Lowering) {
    match lowering {
        Lowering::Plain => {
            *lowering = Lowering::Vmap {
                reason: String::new(),
                construct: Span::default(),
            };
        }
        Lowering::Masked(mask) => vmap(mask),
        Lowering::Pending | Lowering::Vmap { .. } => {}
    }
}
