//! How Strand spells what PyTorch and NumPy have as methods and functions.

use strand_ir::{Axis, Domain, Over, Size, TensorType, Type};
use strand_ops::{Class, OpId};
use strand_source::Span;
use strand_syntax::{ast, dtype_alias, module_dtype};

use super::rows::{DOTS, How, MASKS, NUMPY, PICKS, REARRANGES, TAKES, differs, how};
use super::shapes::named;
use crate::calls::{CallArg, path_of};
use crate::context::Checker;
use crate::operators::result_dtype;
use crate::over::place_of;
use crate::suggest::grouped;

/// A piece of a program in Strand's spelling.
#[derive(Clone, Debug)]
pub(crate) struct Spelling {
    pub(crate) text: String,
    /// Its type, where that is known.
    pub(crate) ty: Option<TensorType>,
    /// Whether PyTorch gives a pair, of which this is the first.
    pub(super) is_pair: bool,
}

impl Spelling {
    pub(super) fn new(text: String, ty: Option<TensorType>) -> Self {
        Self {
            text,
            ty,
            is_pair: false,
        }
    }
}

/// What can be said of a name and its arguments.
pub(super) enum Said {
    /// So it is written.
    Written(Spelling),
    /// In words.
    Note(String),
    /// The program's own declaration has the name of the built-in, and would be called.
    Hidden(String),
}

/// What stands in the text in PyTorch's spelling, for what is written around it.
#[derive(Clone, Debug)]
pub(crate) struct Spelled {
    /// All of it.
    pub(crate) span: Span,
    /// Where the finding about it stands.
    pub(crate) place: Span,
    pub(crate) spelling: Spelling,
}

/// A call's arguments after the value, as PyTorch takes them.
pub(super) type Rest<'r> = [&'r ast::Arg];

impl Checker<'_> {
    /// Strand's spelling of a name with its value and further arguments; `None` where there is
    /// nothing to say.
    /// `module` is the one that the name was taken from, where one is written.
    pub(super) fn spell(
        &mut self,
        module: Option<&str>,
        name: &str,
        value: Option<&Spelling>,
        rest: &Rest<'_>,
    ) -> Option<Said> {
        let how = how(name)?;
        if let (Some(module), How::Op(op)) = (module, how)
            && let Some(note) = differs(module, op, rest)
        {
            return Some(Said::Note(note.to_owned()));
        }
        let is_numpy = module.is_some_and(|module| NUMPY.contains(&module));
        let written = match (how, value) {
            (How::Note(note), _) => return Some(Said::Note(note.to_owned())),
            // `np.random.normal(0, 1, (n, D))`: numbers of a distribution stand before the sizes.
            (How::Make(op), _)
                if module.is_some()
                    && op.op().class == Class::Draw
                    && name == op.name()
                    && rest.iter().any(|arg| arg.name.is_none()) =>
            {
                None
            }
            (How::Make(op), value) => self.made_text(op, value, rest),
            (How::Join(op), value) => self.join_text(op, name, value, rest),
            (How::Einsum, _) => self.einsum_text(rest),
            (_, None) => None,
            (How::Op(op), Some(value)) => self.op_spelling(op, value, rest),
            (How::Product, Some(value)) => self.product_text(name, value, rest),
            (How::Turn, Some(value)) => self.turned_text(is_numpy, name, value, rest),
            (How::Reshape, Some(value)) => self.reshaped_text(value, rest),
            (How::Flatten, Some(value)) => self.flattened_text(value, rest),
            (How::Squeeze, Some(value)) => self.squeezed_text(value, rest),
            (How::Unsqueeze, Some(value)) => self.unsqueezed_text(value, rest),
            (How::Convert(dtype), Some(value)) if rest.is_empty() => converted(value, dtype),
            (How::Convert(_), Some(_)) => None,
            (How::To, Some(value)) => to_text(value, rest),
            (How::Itself, Some(value)) => Some(value.clone()),
            (How::Size, Some(value)) => self.size_spelling(value, rest),
            (How::Count, Some(value)) => self.count_text(value),
            (How::Rank, Some(value)) if rest.is_empty() => {
                let rank = value.ty.as_ref().map(|ty| ty.rank().to_string());
                rank.map(|rank| Spelling::new(rank, None))
            }
            (How::Rank, Some(_)) => None,
            (How::Like(op), Some(value)) => self.like_text(op, value, rest),
            (How::Pick, Some(value)) => self.picked_text(name, value, rest),
            (How::Fill, Some(value)) => match named(rest, ["mask", "value"])? {
                [Some(mask), Some(fill)] => {
                    let (mask, fill) = (self.source_of(mask), self.source_of(fill));
                    let text = format!("where({mask}, {fill}, {})", value.text);
                    Some(Spelling::new(text, value.ty.clone()))
                }
                _ => None,
            },
            (How::Rearrange, Some(value)) => self.einops_text(value, rest),
        };
        if let Some(mut written) = written {
            if let Some(name) = self.hidden(how, &written.text) {
                return Some(Said::Hidden(name));
            }
            written.is_pair = !is_numpy && gives_pair(name, &written.text);
            return Some(Said::Written(written));
        }
        let note = match how {
            How::Op(OpId::Var | OpId::Std) => {
                "var and std divide by the number less `correction=`, which is 1."
            }
            How::Op(OpId::Norm | OpId::Normalize) => {
                "It is the square root of the sum of squares; axes are named, `over=D`."
            }
            How::Op(OpId::LayerNorm) => "It takes the axis by its name: `layer_norm(x, over=D)`.",
            How::Op(OpId::OneHot) => {
                "Its classes are those of the labels' type: `Index[10]` has 10."
            }
            How::Product if name == "dot" => DOTS,
            How::Product => "Write `x @ y`, which contracts x's last axis with y's last but one.",
            How::To => "`to` takes a dtype: `x to f32`. There are no devices to choose.",
            How::Pick if name == "take" => TAKES,
            How::Pick if name == "masked_select" => MASKS,
            How::Pick => PICKS,
            How::Reshape => {
                "`x to [D n]` moves whole axes and merges them; it never mixes elements."
            }
            How::Turn | How::Flatten | How::Squeeze | How::Rearrange => REARRANGES,
            How::Einsum => "Write `a @ b`, or `sum(a * b, over=D)` of what broadcasts.",
            How::Make(_) => "A constructor takes a type: `zeros([n D])`, `zeros([n D] i64)`.",
            How::Join(_) => "`concat(x, y, over=n)` joins; `stack(x, y)` makes a new first axis.",
            How::Size | How::Count => "The size of an axis is its name.",
            _ => return None,
        };
        Some(Said::Note(note.to_owned()))
    }

    /// The built-in that a spelling calls, where the program has its own by that name.
    fn hidden(&self, how: How, text: &str) -> Option<String> {
        let called = text.split('(').next().unwrap_or("");
        let called = match how {
            How::Op(_) | How::Make(_) | How::Like(_) | How::Join(_) => called,
            How::Fill => "where",
            How::Turn | How::Product | How::Einsum if text.contains("transpose(") => "transpose",
            How::Einsum => called,
            _ => return None,
        };
        self.is_own(called).then(|| called.to_owned())
    }

    /// Whether the program declares a name itself, so that a built-in by it can't be called.
    pub(super) fn is_own(&self, name: &str) -> bool {
        let globals = &self.globals;
        let called = |ty: &Type| matches!(ty, Type::Py | Type::Model(_));
        self.variable(name)
            .is_some_and(|variable| called(&variable.ty))
            || globals.functions.contains_key(name)
            || globals.externs.contains_key(name)
            || globals.models.contains_key(name)
    }

    /// The text of an argument's value.
    pub(super) fn source(&self, arg: &ast::Arg) -> String {
        self.source_of(&arg.value)
    }

    /// The text of an expression, of which what is spelled otherwise is in Strand's spelling.
    pub(super) fn source_of(&self, value: &ast::Expr) -> String {
        let spelled = self.spelled.iter().find(|known| known.span == value.span);
        if let Some(known) = spelled {
            return known.spelling.text.clone();
        }
        match value.span.text(self.text) {
            "True" => "true".to_owned(),
            "False" => "false".to_owned(),
            text => text.to_owned(),
        }
    }

    /// The axes that `dim=` of PyTorch names.
    fn dims_of(&self, ty: &TensorType, arg: &ast::Expr) -> Option<Vec<usize>> {
        let parts = match &arg.kind {
            ast::ExprKind::Tuple(parts) | ast::ExprKind::Literal(parts) => parts.as_slice(),
            ast::ExprKind::Paren(inner) => return self.dims_of(ty, inner),
            _ => std::slice::from_ref(arg),
        };
        let mut dims = Vec::with_capacity(parts.len());
        for part in parts {
            let at = match &part.kind {
                ast::ExprKind::Name(name) => {
                    let symbol = self.symbol(name)?;
                    let mut axes = ty.axes.iter();
                    axes.position(|axis| axis.name == Some(symbol))?
                }
                _ => place_of(part, ty.rank())?,
            };
            dims.push(at);
        }
        Some(dims)
    }

    /// The axes of a shape that names them, `(D,)`: a number in it is a size, no position.
    fn shape_named(&self, ty: &TensorType, arg: &ast::Expr) -> Option<Vec<usize>> {
        let parts = match &arg.kind {
            ast::ExprKind::Tuple(parts) | ast::ExprKind::Literal(parts) => parts.as_slice(),
            _ => std::slice::from_ref(arg),
        };
        let names = parts
            .iter()
            .all(|part| matches!(part.kind, ast::ExprKind::Name(_)));
        names.then(|| self.dims_of(ty, arg))?
    }

    fn over_argument(&self, ty: &TensorType, dims: &[usize]) -> String {
        let names: Vec<String> = dims.iter().map(|at| self.over_text(ty, *at)).collect();
        match names.as_slice() {
            [one] => format!("over={one}"),
            _ => format!("over=({})", names.join(", ")),
        }
    }

    /// A built-in's call: `dim=` and positions become `over=`, `keepdim=` an axis of size 1.
    fn op_spelling(&self, op: OpId, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let row = op.op();
        let ty = value.ty.as_ref();
        let mut parts = vec![value.text.clone()];
        let mut dims: Option<Vec<usize>> = None;
        let mut keep = false;
        let mut bounds = (None, None);
        let mut order = row.traits.torch_order;
        let mut ordered = false;
        for arg in rest {
            let name = arg.name.as_ref().map(|name| &*name.name);
            let source = self.source(arg);
            match name {
                Some("dim" | "dims" | "axis" | "axes" | "over") => {
                    dims = Some(self.dims_of(ty?, &arg.value)?);
                }
                Some("normalized_shape") | None if op == OpId::LayerNorm => {
                    dims = Some(self.shape_named(ty?, &arg.value)?);
                }
                Some("p" | "ord" | "n") | None if order.is_some() => {
                    if !order.take()?.contains(&&*source) {
                        return None;
                    }
                    ordered = true;
                }
                Some("keepdim" | "keepdims") => keep = source == "true",
                Some("unbiased") if source == "true" => {}
                Some("correction" | "ddof") if source == "1" => {}
                Some("min" | "a_min") if op == OpId::Clamp => bounds.0 = Some(source),
                Some("max" | "a_max") if op == OpId::Clamp => bounds.1 = Some(source),
                Some("shifts") if op == OpId::Roll => parts.push(source),
                Some("num_classes") | None if op == OpId::OneHot => {
                    self.are_classes(ty?, &arg.value).then_some(())?;
                }
                Some("descending") if source == "false" => {}
                Some(name) if row.params.iter().any(|param| param.name == name) => {
                    parts.push(format!("{name}={source}"));
                }
                Some(_) => return None,
                None if op == OpId::Clamp && bounds.0.is_none() => bounds.0 = Some(source),
                None if op == OpId::Clamp => bounds.1 = Some(source),
                None if matches!(op, OpId::Roll | OpId::TopK) && parts.len() == 1 => {
                    parts.push(source);
                }
                None if matches!(op, OpId::Max | OpId::Min)
                    && self.dims_or_none(ty, &arg.value).is_none() =>
                {
                    let pairwise = if op == OpId::Max {
                        "maximum"
                    } else {
                        "minimum"
                    };
                    let text = format!("{pairwise}({}, {source})", value.text);
                    return (rest.len() == 1).then(|| Spelling::new(text, None));
                }
                None if row.takes_over() => {
                    let more = self.dims_of(ty?, &arg.value)?;
                    match &mut dims {
                        Some(dims) if op == OpId::Flip => dims.extend(more),
                        Some(_) => return None,
                        None => dims = Some(more),
                    }
                }
                None => parts.push(source),
            }
        }
        if op == OpId::Clamp {
            let text = match bounds {
                (Some(low), Some(high)) => format!("clamp({}, {low}, {high})", value.text),
                (Some(low), None) => format!("maximum({}, {low})", value.text),
                (None, Some(high)) => format!("minimum({}, {high})", value.text),
                (None, None) => return None,
            };
            return Some(Spelling::new(text, ty.cloned()));
        }
        // PyTorch's and NumPy's `linalg.norm` of a matrix isn't that of its elements.
        let axes = dims
            .as_ref()
            .map_or(ty.map_or(0, TensorType::rank), Vec::len);
        if ordered && op == OpId::Norm && axes != 1 {
            return None;
        }
        if let Class::Elementwise { arity } = row.class
            && parts.len() != arity as usize
        {
            return None;
        }
        if matches!(op, OpId::Sort | OpId::ArgSort) && dims.is_none() {
            // Both libraries sort along the last axis where none is said.
            let last = ty.map(TensorType::rank).filter(|rank| *rank > 1);
            dims = last.map(|rank| vec![rank - 1]);
        }
        if let (OpId::Flip, Some([first, others @ ..]), Some(ty)) = (op, dims.as_deref(), ty)
            && !others.is_empty()
        {
            let mut text = format!("flip({}, over={})", parts[0], self.over_text(ty, *first));
            for at in others {
                text = format!("flip({text}, over={})", self.over_text(ty, *at));
            }
            return Some(Spelling::new(text, Some(ty.clone())));
        }
        if let (Some(dims), Some(ty)) = (&dims, ty) {
            parts.push(self.over_argument(ty, dims));
        }
        let text = format!("{}({})", row.name, parts.join(", "));
        let plain = parts.len() == 1 + usize::from(dims.is_some());
        let typed = ty
            .filter(|_| plain)
            .and_then(|ty| self.op_result(op, ty, dims.as_deref()));
        if !keep {
            return Some(Spelling::new(text, typed));
        }
        let [at] = dims.as_deref()? else { return None };
        let index = axis_of_one(*at, ty?.rank() - 1);
        let kept = typed.map(|mut typed| {
            typed.axes.insert(*at, Axis::unnamed(Size::constant(1)));
            typed
        });
        Some(Spelling::new(format!("{text}{index}"), kept))
    }

    /// Whether a number of classes is the size that the labels' type says.
    fn are_classes(&self, ty: &TensorType, count: &ast::Expr) -> bool {
        let Domain::Index(axis) = &ty.domain else {
            return false;
        };
        let symbols = &self.program.symbols;
        match &count.kind {
            ast::ExprKind::Int(count) => axis.size.same(&Size::constant(*count), symbols),
            ast::ExprKind::Name(name) => self
                .symbol(name)
                .is_some_and(|symbol| axis.size.same(&Size::symbol(symbol), symbols)),
            _ => false,
        }
    }

    fn dims_or_none(&self, ty: Option<&TensorType>, arg: &ast::Expr) -> Option<Vec<usize>> {
        self.dims_of(ty?, arg)
    }

    /// The type of a built-in of one tensor.
    fn op_result(&self, op: OpId, ty: &TensorType, dims: Option<&[usize]>) -> Option<TensorType> {
        let row = op.op();
        match row.class {
            Class::Elementwise { .. } => Some(TensorType::new(
                ty.axes.clone(),
                result_dtype(row.dtype, ty.dtype),
            )),
            Class::Reduce { .. } | Class::ArgReduce | Class::Along => {
                let over = dims.map_or(Over::All, |dims| Over::Axes(dims.to_vec()));
                Some(self.over_type(row, ty, &over))
            }
            _ => None,
        }
    }

    fn product_text(&mut self, name: &str, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let [other] = rest else { return None };
        let known = self
            .spelled
            .iter()
            .find(|known| known.span == other.value.span);
        let met = match known {
            Some(known) => known.spelling.ty.clone(),
            None => self
                .tried(|checker| checker.expr(&other.value, None))
                .and_then(|typed| typed.ty.tensor().cloned()),
        };
        let other = self.source(other);
        let (other, met) = match (name, met.as_ref().map(TensorType::rank)) {
            ("inner", Some(1)) => (grouped(&other), met),
            // Both last axes meet.
            ("inner", Some(2)) => (format!("transpose({other})"), met.map(turned)),
            ("inner", _) => return None,
            // NumPy's dot has no batches: it gives each pair of them.
            ("dot", Some(3..)) => return None,
            _ => (grouped(&other), met),
        };
        let text = format!("{} @ {other}", grouped(&value.text));
        let symbols = &self.program.symbols;
        let ty = match (value.ty.as_ref(), met.as_ref()) {
            (Some(a), Some(b)) => match (a.axes.as_slice(), b.axes.as_slice()) {
                ([rows @ .., last], [met, columns @ ..])
                    if b.rank() <= 2 && last.agrees(met, symbols) =>
                {
                    Some(TensorType::new([rows, columns].concat(), a.dtype))
                }
                _ => None,
            },
            _ => None,
        };
        Some(Spelling::new(text, ty))
    }

    fn size_spelling(&self, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let [at] = rest else { return None };
        let size = self.size_text(value.ty.as_ref()?, &at.value)?;
        Some(Spelling::new(size, None))
    }

    fn count_text(&self, value: &Spelling) -> Option<Spelling> {
        let axes = value.ty.as_ref()?.axes.iter();
        let sizes: Option<Vec<String>> = axes.map(|axis| self.known_size(&axis.size)).collect();
        let sizes = sizes?;
        if sizes.is_empty() {
            return Some(Spelling::new("1".to_owned(), None));
        }
        Some(Spelling::new(format!("({})", sizes.join(" * ")), None))
    }

    /// `index_select(0, i)`, `take(i, axis=0)`, `masked_select(m)`
    fn picked_text(&mut self, name: &str, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let ty = value.ty.as_ref()?;
        let (at, index) = match name {
            "index_select" => match named(rest, ["dim", "index"])? {
                [Some(dim), Some(index)] => (place_of(dim, ty.rank())?, index),
                _ => return None,
            },
            "masked_select" => {
                let [mask] = rest else { return None };
                let typed = self.tried(|checker| checker.expr(&mask.value, None))?;
                // A mask of fewer axes is stretched first.
                let same = typed.ty.tensor()?.rank() == ty.rank();
                (same.then_some(0)?, &mask.value)
            }
            _ => match rest {
                // Both libraries' take without an axis goes through the elements in a row.
                [index] if ty.rank() == 1 => (0, &index.value),
                [index, axis] => {
                    let name = axis.name.as_ref().map(|name| &*name.name);
                    let is_axis = index.name.is_none() && matches!(name, None | Some("axis"));
                    let at = is_axis.then(|| place_of(&axis.value, ty.rank()))?;
                    (at?, &index.value)
                }
                _ => return None,
            },
        };
        let base = grouped(&value.text);
        let index = format!("{}{}", ".., ".repeat(at), self.source_of(index));
        Some(Spelling::new(format!("{base}[{index}]"), None))
    }

    /// The tensors of a list, joined.
    fn join_text(
        &mut self,
        op: OpId,
        name: &str,
        value: Option<&Spelling>,
        rest: &Rest<'_>,
    ) -> Option<Spelling> {
        if value.is_some() {
            return None;
        }
        let (first, rest) = rest.split_first()?;
        let (ast::ExprKind::Literal(parts) | ast::ExprKind::Tuple(parts)) = &first.value.kind
        else {
            return None;
        };
        if matches!(name, "hstack" | "vstack") {
            let typed =
                self.tried(|checker| checker.expr(parts.first()?, None).ty.tensor().cloned());
            let ty = typed??;
            let at = usize::from(name == "hstack" && ty.rank() > 1);
            if name == "vstack" && ty.rank() < 2 {
                return None;
            }
            let tensors: Vec<String> = parts.iter().map(|part| self.source_of(part)).collect();
            let over = self.over_text(&ty, at);
            let text = format!("concat({}, over={over})", tensors.join(", "));
            return Some(Spelling::new(text, None));
        }
        let rest: Vec<CallArg<'_>> = rest.iter().map(|arg| CallArg::Written(arg)).collect();
        let text = self.joined_text(op, parts, &rest)?;
        Some(Spelling::new(text, None))
    }
}

/// Whether PyTorch gives values with their places: `sort` always, `max` and the like of an axis.
fn gives_pair(name: &str, text: &str) -> bool {
    match name {
        "sort" | "cummax" | "cummin" => true,
        "max" | "min" | "median" => text.starts_with(name) && text.contains("over="),
        _ => false,
    }
}

/// `[newaxis]`, `[.., newaxis]`, `[..., newaxis]`: an axis of size 1 at a place of `rank` axes.
pub(crate) fn axis_of_one(at: usize, rank: usize) -> String {
    match at {
        0 => "[newaxis]".to_owned(),
        at if at == rank => "[..., newaxis]".to_owned(),
        at => format!("[{}newaxis]", ".., ".repeat(at)),
    }
}

pub(super) fn converted(value: &Spelling, dtype: &str) -> Option<Spelling> {
    let text = format!("{} to {dtype}", grouped(&value.text));
    let dtype = strand_ops::DType::parse(dtype);
    let ty = value.ty.as_ref().zip(dtype);
    let ty = ty.map(|(ty, dtype)| TensorType::new(ty.axes.clone(), dtype));
    Some(Spelling::new(text, ty))
}

/// `x.to(torch.float64)`, `x.astype("float32")`; a device changes nothing.
fn to_text(value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
    let [arg] = rest else { return None };
    let name = arg.name.as_ref().map(|name| &*name.name);
    match (name, dtype_of(&arg.value)) {
        (Some("device"), _) => Some(value.clone()),
        (None | Some("dtype"), Some(dtype)) => converted(value, dtype),
        (None, None) if is_device(&arg.value) => Some(value.clone()),
        _ => None,
    }
}

/// `"cpu"`, `"cuda:0"`, `torch.device("cuda")`, `device`, `self.device`
fn is_device(value: &ast::Expr) -> bool {
    match &value.kind {
        ast::ExprKind::Str(name) => {
            let kind = name.split(':').next().unwrap_or("");
            matches!(kind, "cpu" | "cuda" | "mps" | "xpu")
        }
        ast::ExprKind::Call { callee, .. } => is_device(callee),
        _ => path_of(value).is_some_and(|path| {
            let last = path.last();
            last.is_some_and(|last| &*last.name == "device")
        }),
    }
}

/// A matrix's type with its axes swapped.
fn turned(mut ty: TensorType) -> TensorType {
    ty.axes.reverse();
    ty
}

/// The dtype that an argument names: `torch.float64`, `"float64"`, `int`.
pub(super) fn dtype_of(value: &ast::Expr) -> Option<&'static str> {
    let own = |name: &str| strand_ops::DType::parse(name).map(strand_ops::DType::as_str);
    let plain = |name: &str| match name {
        // Python's numbers have 64 bits.
        "float" => Some("f64"),
        name => dtype_alias(name).or_else(|| own(name)),
    };
    if let ast::ExprKind::Str(name) = &value.kind {
        return plain(name);
    }
    match path_of(value)?.as_slice() {
        [name] => plain(&name.name),
        [module, .., name] => module_dtype(&module.name, &name.name).or_else(|| own(&name.name)),
        [] => None,
    }
}
