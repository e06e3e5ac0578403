//! What hover says beside a piece's type: what a name means, what a function costs, how a chain is
//! written.

use strand_ir::{ChainInfo, FnId, Function, SymbolId, Type, axis_place};
use strand_ops::{Class, Default as Given, Effect, Op, ParamKind};
use strand_source::{LineIndex, Span, continues_name, float_literal};

use crate::cost::{CostFormula, Estimator};
use crate::{Document, HoverInfo};

/// What is known of the name at a byte offset, where it names no value: functions, stages, sizes.
pub(crate) fn of_name(document: &Document, offset: u32, ty: Option<&Type>) -> Option<HoverInfo> {
    let span = word(document.text(), offset)?;
    let name = span.text(document.text());
    let asked = Asked {
        document,
        span,
        ty: ty.map(|ty| document.program().display_type(ty)),
    };
    asked
        .stage(name)
        .or_else(|| asked.function(name))
        .or_else(|| asked.built_in(name))
        .or_else(|| asked.size(name))
}

/// The cost of a function in words.
pub(crate) fn cost_line(formula: &CostFormula) -> String {
    let CostFormula {
        multiply_adds,
        peak_bytes,
    } = formula;
    format!("{multiply_adds} multiply-adds, peak {peak_bytes} bytes")
}

/// The name around an offset.
fn word(text: &str, offset: u32) -> Option<Span> {
    let (before, after) = (text.get(..offset as usize)?, text.get(offset as usize..)?);
    let start = before.trim_end_matches(continues_name).len();
    let end = text.len() - after.trim_start_matches(continues_name).len();
    (start < end).then(|| Span::new(start as u32, end as u32))
}

struct Asked<'d> {
    document: &'d Document,
    span: Span,
    /// The type of the smallest piece around the name.
    ty: Option<String>,
}

impl Asked<'_> {
    fn info(&self, ty: Option<String>, detail: Vec<String>) -> HoverInfo {
        HoverInfo {
            span: self.span,
            ty: ty.or_else(|| self.ty.clone()).unwrap_or_default(),
            detail,
        }
    }

    fn before(&self) -> &str {
        let before = self.document.text().get(..self.span.start as usize);
        before.unwrap_or("").trim_end()
    }

    /// Whether the name is called or piped into, or handed to a stage.
    fn is_called(&self) -> bool {
        let after = self
            .document
            .text()
            .get(self.span.end as usize..)
            .unwrap_or("");
        let before = self.before();
        let handed = before.ends_with("map(") || before.ends_with("filter(");
        after.starts_with('(') || before.ends_with("|>") || handed
    }

    fn line(&self, at: u32) -> u32 {
        LineIndex::new(self.document.text()).line(at)
    }

    fn chains(&self) -> impl Iterator<Item = &ChainInfo> {
        let program = self.document.program();
        let functions = program
            .functions
            .iter()
            .flat_map(|function| &function.chains);
        functions.chain(&program.script_chains)
    }

    /// A chain's stage: what it gives, how the chain is written and why.
    fn stage(&self, name: &str) -> Option<HoverInfo> {
        let doc = strand_ops::stage(name)?.doc;
        let around = self.chains().filter(|chain| chain.span.contains(self.span));
        let chain = around.min_by_key(|chain| chain.span.len())?;
        let mut stages = chain.stages.iter();
        let stage = stages.find(|stage| stage.span.start == self.span.start)?;
        let mut detail = vec![doc.to_owned()];
        let how = match chain.lowering {
            "plain" => "Written as plain tensor operations",
            "masked" => "Written as a masked reduction",
            _ => "Written with torch.vmap",
        };
        detail.push(match chain.reason.as_str() {
            "" => format!("{how}."),
            reason => format!("{how}: {reason}"),
        });
        Some(self.info(Some(stage.ty.clone()), detail))
    }

    /// A function of the program: its signature and cost.
    fn function(&self, name: &str) -> Option<HoverInfo> {
        let program = self.document.program();
        let mut functions = program.functions.iter().enumerate();
        let declared = functions.find(|(_, function)| function.name_span == self.span);
        let (at, function) = match declared {
            Some(found) => found,
            None if self.is_called() => {
                let mut functions = program.functions.iter().enumerate();
                functions.find(|(_, function)| &*function.name == name && !function.is_method())?
            }
            None => return None,
        };
        let line = self.line(function.span.start);
        let mut detail = match declared {
            Some(_) => Vec::new(),
            None => vec![
                function.signature.clone(),
                format!("Declared on line {line}."),
            ],
        };
        if let Some(formula) = self.formula(FnId(at as u32), function) {
            detail.push(cost_line(&formula));
        }
        if declared.is_none() {
            detail.extend(self.document.provenance(self.span.start));
        }
        let ty = declared.map(|(_, function)| function.signature.clone());
        Some(self.info(ty, detail))
    }

    fn formula(&self, id: FnId, function: &Function) -> Option<CostFormula> {
        if function.has_error {
            return None;
        }
        Estimator::new(self.document.program()).formula(id)
    }

    /// A built-in: how it is called, what it gives, what PyTorch calls it.
    fn built_in(&self, name: &str) -> Option<HoverInfo> {
        let op = strand_ops::find(name).filter(|_| self.is_called())?;
        let mut detail = vec![signature(op), op.doc.to_owned()];
        if let Some(example) = example(op) {
            detail.push(format!("As in `{example}`."));
        }
        if op.torch.contains('.') {
            detail.push(format!("In PyTorch: {}", op.torch));
        }
        detail.extend(self.document.provenance(self.span.start));
        Some(self.info(None, detail))
    }

    /// A dim with its value, or an axis name with what binds it.
    fn size(&self, name: &str) -> Option<HoverInfo> {
        let program = self.document.program();
        let is_named = |id: &&SymbolId| program.symbols.name(**id) == name;
        let mut functions = program.functions.iter();
        let around = functions.find(|function| function.span.contains(self.span));
        if let Some(function) = around
            && function.axis_names.iter().any(|id| is_named(&id))
        {
            let bound = function.params.iter().find_map(|param| {
                let axes = &param.ty.as_ref()?.tensor()?.axes;
                let at = axes
                    .iter()
                    .position(|axis| axis.name.as_ref().is_some_and(|id| is_named(&id)))?;
                Some((param, axis_place(at, axes.len())))
            })?;
            let (param, place) = bound;
            let line = self.line(param.span.start);
            let detail = format!("{name}: {place} of {}, line {line}", param.name);
            return Some(self.info(Some("axis name".to_owned()), vec![detail]));
        }
        let dim = program.dims.iter().find(|dim| is_named(&&dim.symbol))?;
        let value = program.symbols.dim_value(dim.symbol)?;
        let definition = dim.definition.display(&program.symbols);
        let mut detail = vec![format!("Declared on line {}.", self.line(dim.span.start))];
        if definition != value.to_string() {
            detail.insert(0, format!("{name} = {definition}"));
        }
        Some(self.info(Some(format!("dim {name} = {value}")), detail))
    }
}

/// `softmax(x, over=axis)`
fn signature(op: &Op) -> String {
    let tensors = ["x", "y", "z"];
    let leading = tensors.iter().take(op.tensors().unwrap_or(1));
    let mut parts: Vec<String> = leading.map(|name| (*name).to_owned()).collect();
    if matches!(op.class, Class::Construct | Class::Draw) {
        parts.push("shape".to_owned());
    }
    for param in op.params {
        parts.push(match (param.kind, param.default) {
            (ParamKind::Over, _) => "over=axis".to_owned(),
            (_, Given::Number(value)) => format!("{}={}", param.name, float_literal(value)),
            (_, Given::Required) => format!("{}=", param.name),
            (_, Given::Absent) => format!("{}=…", param.name),
        });
    }
    format!("{}({})", op.name, parts.join(", "))
}

fn example(op: &Op) -> Option<String> {
    let name = op.name;
    Some(match op.class {
        Class::Elementwise { arity: 1 } | Class::Transpose => format!("x |> {name}"),
        Class::Elementwise { arity: 2 } => format!("{name}(x, y)"),
        Class::Reduce { .. } | Class::ArgReduce | Class::Along => format!("x |> {name}(over=n)"),
        Class::Construct if op.params.is_empty() => format!("{name}([2 3])"),
        Class::Draw => format!("{name}([2 3], seed=0)"),
        Class::Arange => format!("{name}(5)"),
        Class::Effect(Effect::Show) => "show(x, view=\"heat\")".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::{Document, HoverInfo};

    /// What hover says at the caret.
    fn at(marked: &str) -> HoverInfo {
        let offset = marked.find('‸').unwrap();
        let document = Document::new(&marked.replace('‸', ""));
        document.hover(offset as u32).unwrap()
    }

    fn says(hover: &HoverInfo, line: &str) {
        assert!(hover.detail.iter().any(|said| said == line), "{hover:?}");
    }

    #[test]
    fn a_function_says_its_cost() {
        let text = "dim C = 3\ndim D = 4\nfn la‸yer(x: [n D], w: [D C]) -> [n C] = x @ w\n";
        let hover = at(text);
        assert_eq!(hover.ty, "fn layer(x: [n D], w: [D C]) -> [n C]");
        says(&hover, "n * C * D multiply-adds, peak 4 * n * C bytes");
    }

    #[test]
    fn a_call_says_its_type_then_its_function() {
        let text = "fn twice(x: [n]) -> [n] = x * 2.0\nfn f(x: [m]) -> [m] = x |> tw‸ice\n";
        let hover = at(text);
        assert_eq!(hover.ty, "[m]");
        says(&hover, "fn twice(x: [n]) -> [n]");
        says(&hover, "n multiply-adds, peak 4 * n bytes");
    }

    #[test]
    fn a_built_in_says_what_it_does_and_what_pytorch_calls_it() {
        let hover = at("dim C = 3\nfn f(x: [n C]) -> [n C] = x |> soft‸max(over=C)\n");
        assert_eq!(hover.ty, "[n C] Prob");
        says(&hover, "softmax(x, over=axis)");
        says(&hover, "exp(x) divided by its sum along the axis.");
        says(&hover, "In PyTorch: torch.softmax");
    }

    #[test]
    fn a_stage_says_how_it_is_written_and_why() {
        let hover = at("fn f(x: [n]) -> [n] = x |> ma‸p(v => v * 2.0)\n");
        assert_eq!(hover.ty, "[n]");
        assert!(
            hover.detail[1].starts_with("Written as plain tensor operations"),
            "{hover:?}"
        );
    }

    #[test]
    fn a_size_says_its_value_or_what_binds_it() {
        let hover = at("dim H = 2\ndim D = 4 * H\nfn f(x: [n ‸D]) -> [n] = sum(x, over=D)\n");
        assert_eq!(hover.ty, "dim D = 8");
        says(&hover, "D = 4 * H");
        let hover = at("dim D = 4\nfn f(x: [n D]) -> [‸n] = sum(x, over=D)\n");
        says(&hover, "n: first axis of x, line 2");
    }
}
