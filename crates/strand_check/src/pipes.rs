//! Pipes: the stages in order, what hints say after each, and the listing of chains.

use strand_ir::{Axis, ChainInfo, Expr, IterKind, Lowering, StageInfo, TensorType, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::Inlay;
use crate::chains::{StageCall, iterator_name};
use crate::context::Checker;
use crate::heads::{Flow, without_parens};
use crate::lowering::Decided;

/// How long the words for what a stage did to the axes are at most: they stand at the end of a line.
const MOST_CHANGE: usize = 40;

/// Notes at the inlays of maps and filters how each is lowered.
pub(crate) fn show_lowerings(stages: &[Decided], inlays: &mut [Inlay]) {
    let word = |how: &Lowering| match how {
        Lowering::Plain | Lowering::Pending => "plain",
        Lowering::Vmap { .. } => "vmap",
        Lowering::Masked(_) => "masked",
    };
    let stages = stages.iter().map(|(at, how)| (at.end, word(how)));
    let mut stages: Vec<(u32, &'static str)> = stages.collect();
    strand_source::sort_by_key(&mut stages, |(at, _)| *at);
    for inlay in inlays {
        let at = stages.partition_point(|(end, _)| *end < inlay.at);
        let stage = stages.get(at).filter(|(end, _)| *end == inlay.at);
        inlay.lowering = stage.map(|(_, how)| *how);
    }
}

impl Checker<'_> {
    /// A pipe: its head through its stages.
    ///
    /// The value of a stage has the span from the head to the stage's end, so that the expression
    /// of a chain's stage is found by the chain's start and the stage's end.
    pub(crate) fn pipe(&mut self, span: Span, head: &ast::Expr, stages: &[ast::Stage]) -> Expr {
        let is_chain = stages.iter().any(|stage| iterator_name(stage).is_some());
        let listed = (is_chain && self.silent == 0).then(|| self.open_chain(span));
        self.body.pipes += 1;
        let lines = self.shown_lines(head, stages, is_chain);
        let mut flow = self.pipe_head(head, stages);
        if lines.head {
            self.flow_inlay(head.span.end, None, flow.as_ref());
        }
        let mut infos = Vec::with_capacity(stages.len());
        for (at, (stage, shown)) in stages.iter().zip(&lines.stages).enumerate() {
            if self.is_caret(stage.span.start) {
                self.note_stage(flow.as_ref(), head, at);
            }
            // Indices aren't what a map changes: it makes something of each.
            let indices = |flow: &&Flow| match flow {
                Flow::Elements(iter) => {
                    matches!(iter.kind, IterKind::Size(_) | IterKind::Range(..))
                }
                Flow::Value { .. } => false,
            };
            let told = *shown && self.silent == 0;
            let before = flow.as_ref().filter(|flow| told && !indices(flow));
            let before = before.map(|flow| self.flow_type(flow));
            let after = self.stage(flow, head, stage);
            let shape = self.flow_type(&after);
            self.hover(stage.span, &shape);
            if *shown {
                self.flow_inlay(stage.span.end, before.as_ref(), Some(&after));
            }
            if listed.is_some() {
                infos.push(StageInfo {
                    name: self.stage_name(stage),
                    ty: self.show(&self.flow_type(&after)),
                    span: stage.span,
                });
            }
            flow = Some(after);
        }
        self.body.pipes -= 1;
        if let Some(at) = listed
            && let Some(chain) = self.body.chains.get_mut(at)
        {
            chain.stages = infos;
        }
        let mut value = match flow {
            Some(Flow::Value { value, .. }) => value,
            Some(Flow::Elements(_)) => {
                self.refuse_end(stages);
                self.wrong(span)
            }
            None => self.wrong(span),
        };
        value.span = span;
        value
    }

    /// Notes what is piped into a stage that isn't written yet: where it is the first, the elements
    /// of a size or range too.
    fn note_stage(&mut self, flow: Option<&Flow>, head: &ast::Expr, at: usize) {
        let elements = (at == 0).then(|| self.silently(|checker| checker.iteration(head)));
        let flow = match elements.flatten() {
            Some(Flow::Elements(iter)) => Some((self.whole_types(&iter), iter.parts.len())),
            _ => flow.map(|flow| {
                let parts = match flow {
                    Flow::Elements(iter) => iter.parts.len(),
                    Flow::Value { .. } => 0,
                };
                (self.flow_type(flow), parts)
            }),
        };
        self.note_caret(flow, None);
    }

    /// What goes into the first stage. Only an iterator stage iterates a size or a range.
    fn pipe_head(&mut self, head: &ast::Expr, stages: &[ast::Stage]) -> Option<Flow> {
        if stages
            .first()
            .is_some_and(|stage| iterator_name(stage).is_some())
        {
            return self.iteration(head);
        }
        if let ast::ExprKind::Range(range) = &without_parens(head).kind {
            self.refuse_piped_range(range, stages.first());
            return None;
        }
        Some(Flow::value(self.expr(head, None)))
    }

    fn refuse_piped_range(&mut self, range: &ast::Range, stage: Option<&ast::Stage>) {
        let stage = stage.map_or_else(String::new, |stage| self.stage_name(stage));
        let message = format!("a range is iterated by map, filter, zip or enumerate, not {stage}");
        let mut finding = Diagnostic::new(Code::E0704, range.span, message);
        if let (Some(start), Some(end), None) = (&range.start, &range.end, &range.step) {
            let (start, end) = (start.span.text(self.text), end.span.text(self.text));
            let call = if start == "0" {
                format!("arange({end})")
            } else {
                format!("arange({start}, {end})")
            };
            finding = finding.write(range.span, call);
        }
        self.report(finding);
    }

    /// One stage.
    fn stage(&mut self, input: Option<Flow>, head: &ast::Expr, stage: &ast::Stage) -> Flow {
        let whole = head.span.to(stage.span);
        if iterator_name(stage).is_some()
            && let ast::StageKind::Call {
                path,
                args,
                args_span,
            } = &stage.kind
            && let [name] = path.as_slice()
        {
            let call = StageCall {
                name,
                args: args.as_deref().unwrap_or_default(),
                args_span: *args_span,
                span: stage.span,
                whole,
            };
            return self.iterator_stage(input, &call);
        }
        let value = match input {
            Some(Flow::Value { value, .. }) => value,
            Some(Flow::Elements(iter)) => {
                let what = if iter.parts.len() > 2 {
                    "triples"
                } else {
                    "pairs"
                };
                let message = format!(
                    "{} can't take {what}: map or filter takes them apart",
                    self.stage_name(stage)
                );
                self.error(Code::E3205, stage.span, message);
                return Flow::value(self.wrong(whole));
            }
            None => self.wrong(head.span),
        };
        let mut result = match &stage.kind {
            ast::StageKind::Call {
                path,
                args,
                args_span,
            } => {
                let args_span = args_span.unwrap_or(stage.span);
                self.call_with(path, args.as_deref(), args_span, value, stage.span)
            }
            ast::StageKind::Convert { how, ty } => self.convert_value(stage.span, *how, value, ty),
            ast::StageKind::Error => self.wrong(whole),
        };
        result.span = whole;
        Flow::value(result)
    }

    /// E3205 for a chain that ends with pairs.
    fn refuse_end(&mut self, stages: &[ast::Stage]) {
        let Some(last) = stages.last() else { return };
        let message = format!(
            "a chain can't end with {}: map or filter takes pairs apart",
            self.stage_name(last)
        );
        let message = if iterator_name(last) == Some("filter") {
            "a chain can't end with pairs: map takes them apart".to_owned()
        } else {
            message
        };
        self.error(Code::E3205, last.span, message);
    }

    /// Lists a chain before what stands in it, so that outer chains come first.
    fn open_chain(&mut self, span: Span) -> usize {
        self.body.chains.push(ChainInfo {
            span,
            stages: Vec::new(),
            lowering: "plain",
            reason: String::new(),
        });
        self.body.chains.len() - 1
    }

    /// A stage as it is listed: a function's name, or the whole conversion.
    fn stage_name(&self, stage: &ast::Stage) -> String {
        match &stage.kind {
            ast::StageKind::Call { path, .. } => {
                let names: Vec<&str> = path.iter().map(|name| &*name.name).collect();
                names.join(".")
            }
            ast::StageKind::Convert { .. } | ast::StageKind::Error => {
                let text = stage.span.text(self.text);
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// What a hint says of what goes on to the next stage.
    fn flow_type(&self, flow: &Flow) -> Type {
        match flow {
            Flow::Value { value, .. } => value.ty.clone(),
            Flow::Elements(iter) => self.whole_types(iter),
        }
    }

    fn flow_inlay(&mut self, at: u32, before: Option<&Type>, flow: Option<&Flow>) {
        let Some(flow) = flow else { return };
        let ty = self.flow_type(flow);
        if !ty.is_error() {
            let text = self.show(&ty);
            let change = match (before, &ty) {
                (Some(Type::Tensor(before)), Type::Tensor(after)) => self.change(before, after),
                _ => String::new(),
            };
            self.inlay(at, text, change);
        }
    }

    /// What a stage did to the axes, in a few words.
    fn change(&self, before: &TensorType, after: &TensorType) -> String {
        let symbols = &self.program.symbols;
        let mut gone = before.axes.clone();
        let mut new = Vec::new();
        for axis in &after.axes {
            match gone.iter().position(|old| old.agrees(axis, symbols)) {
                Some(at) => drop(gone.remove(at)),
                None => new.push(axis.clone()),
            }
        }
        let listed = |axes: &[Axis]| -> String {
            let axes: Vec<String> = axes.iter().map(|axis| self.show_axis(axis)).collect();
            axes.join(" ")
        };
        let unknown = match new.iter().all(|axis| self.is_known(axis)) {
            true => "",
            false => ", size unknown",
        };
        let text = match (gone.as_slice(), new.as_slice()) {
            ([], []) if before.axes == after.axes => return String::new(),
            ([], []) => "other order".to_owned(),
            (gone, []) => format!("{} gone", listed(gone)),
            ([], new) => format!("{} new{unknown}", listed(new)),
            (gone, new) => format!("{} → {}{unknown}", listed(gone), listed(new)),
        };
        match text.chars().count() <= MOST_CHANGE {
            true => text,
            false => String::new(),
        }
    }

    /// Where hints stand: at the end of each line of a pipe over several lines, and at the end of
    /// a chain on one line that isn't part of another pipe.
    fn shown_lines(&self, head: &ast::Expr, stages: &[ast::Stage], is_chain: bool) -> ShownLines {
        let line = |offset: u32| self.lines.line(offset);
        let breaks: Vec<bool> = std::iter::once(head.span.end)
            .chain(stages.iter().map(|stage| stage.span.end))
            .zip(stages.iter().map(|stage| stage.pipe.start))
            .map(|(before, pipe)| line(before) < line(pipe))
            .collect();
        let several = breaks.contains(&true);
        let last = several || is_chain && self.body.pipes == 1;
        ShownLines {
            head: breaks.first().copied().unwrap_or(false),
            stages: breaks.into_iter().skip(1).chain([last]).collect(),
        }
    }
}

/// After which parts of a pipe a hint stands.
struct ShownLines {
    head: bool,
    stages: Vec<bool>,
}
