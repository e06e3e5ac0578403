//! The layers and losses of torch.nn.

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
