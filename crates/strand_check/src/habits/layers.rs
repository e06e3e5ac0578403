//! The layers and losses of torch.nn.

use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::calls::{CallArg, path_of};
use crate::context::Checker;

/// What a layer is in Strand.
#[derive(Clone, Copy)]
pub(super) enum Layer {
    /// A function, by PyTorch's name in torch.nn.functional.
    Function(&'static str),
    /// In words.
    Note(&'static str),
}

static LAYERS: &[(&str, Layer)] = &[
    (
        "Conv1d",
        Layer::Note("Its weights are a field: `conv1d(x, w)`."),
    ),
    (
        "Conv2d",
        Layer::Note("Its weights are a field: `conv2d(x, w)`."),
    ),
    ("CrossEntropyLoss", Layer::Function("cross_entropy")),
    ("Dropout", Layer::Function("dropout")),
    (
        "Embedding",
        Layer::Note("A table is a model's field: `table: [V D] = normal(0.02)`; then `table[i]`."),
    ),
    ("GELU", Layer::Function("gelu")),
    (
        "LayerNorm",
        Layer::Note("It is a function: `layer_norm(x, over=D) * gain + shift`."),
    ),
    (
        "Linear",
        Layer::Note("Weights are a model's fields: `w: [D H] = normal(0.02)`; then `x @ w`."),
    ),
    ("LogSoftmax", Layer::Function("log_softmax")),
    ("MSELoss", Layer::Function("mse")),
    (
        "Module",
        Layer::Note("`model Name:` declares one, with fields and methods."),
    ),
    (
        "Parameter",
        Layer::Note("A model's field is a parameter: `w: [D H] = normal(0.02)`."),
    ),
    ("ReLU", Layer::Function("relu")),
    (
        "Sequential",
        Layer::Note("Calls follow each other in a pipe: `x |> f |> g`."),
    ),
    ("SiLU", Layer::Function("silu")),
    ("Sigmoid", Layer::Function("sigmoid")),
    ("Softmax", Layer::Function("softmax")),
    ("Softplus", Layer::Function("softplus")),
    ("Tanh", Layer::Function("tanh")),
];

pub(super) fn of(name: &str) -> Option<Layer> {
    let row = LAYERS.iter().find(|(known, _)| *known == name);
    row.map(|(_, layer)| *layer)
}

impl Checker<'_> {
    /// `nn.ReLU()(x)`
    pub(crate) fn layer_call(
        &mut self,
        callee: &ast::Expr,
        args: &[CallArg<'_>],
        span: Span,
    ) -> bool {
        let ast::ExprKind::Call {
            callee: made,
            args: options,
            ..
        } = &callee.kind
        else {
            return false;
        };
        let Some(path) = path_of(made).filter(|path| path.len() > 1) else {
            return false;
        };
        let name = path[path.len() - 1].name.clone();
        let Some(layer) = of(&name).filter(|_| self.is_foreign(&path)) else {
            return false;
        };
        let Layer::Function(function) = layer else {
            self.layer(layer, &name, made.span);
            self.type_anyway(args);
            return true;
        };
        let options: Vec<CallArg<'_>> = options.iter().map(CallArg::Written).collect();
        let all: Vec<CallArg<'_>> = args
            .iter()
            .chain(&options)
            .filter_map(|arg| match arg {
                CallArg::Written(arg) => Some(CallArg::Written(arg)),
                _ => None,
            })
            .collect();
        if self.has_wrong_argument(function, &all) {
            return true;
        }
        let said = self.spell_call(None, function, &all);
        let what = format!(
            "Strand writes `{}` as `{function}`",
            made.span.text(self.text)
        );
        self.say_call(said, made.span, span, &what);
        true
    }

    /// A layer of torch.nn by itself.
    pub(super) fn layer(&mut self, layer: Layer, name: &str, place: Span) {
        let note = match layer {
            Layer::Function(function) => format!("It is a function: `{function}(x)`."),
            Layer::Note(note) => note.to_owned(),
        };
        let message = format!("Strand has no layer `{name}`");
        let finding = Diagnostic::new(Code::E0301, place, message);
        self.report(finding.note(note));
    }
}
