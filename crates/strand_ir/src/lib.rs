//! The typed program: axes, sizes, types, effects and the lowerings of chains.
//!
//! The checker makes it; the interpreter and the PyTorch text read it and ask nothing of the tree.
//! Every position (axis, local, function) is resolved. [`verify`] says whether it is well formed.

mod expr;
mod lowerings;
mod origin;
mod program;
mod size;
mod types;
mod verify;
mod walk;

pub use expr::{
    AsCheck, Expr, ExprKind, FPart, IndexItem, Iter, IterKind, Lambda, Lowering, Over, PyExpr,
    Rearrange, SizeBinding, Stmt, StmtKind,
};
pub use lowerings::with_vmap;
pub use origin::{How, Origin, Step};
pub use program::{
    Body, ChainInfo, Comment, DimDef, Extern, ExternId, Field, FnId, Function, FunctionKind,
    Import, ImportId, ItemRef, Local, LocalId, LocalKind, Model, ModelId, Parameter, Program,
    StageInfo,
};
pub use size::{Size, SizeError, SymbolId, SymbolInfo, SymbolKind, Symbols};
pub use types::{Axis, Domain, Host, TensorType, Type, axis_place};
pub use verify::verify;
pub use walk::{Child, ChildMut};
