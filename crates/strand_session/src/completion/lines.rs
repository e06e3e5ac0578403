//! What a line may begin with, and what may go on after a value.

use strand_ir::Type;

use super::offers::{Class, Offer, Offers};
use super::{Ground, ItemKind};

fn keyword(template: &str, doc: &str) -> Offer {
    let label = template
        .split(['{', ':', '\n', '('])
        .next()
        .unwrap_or(template);
    let word = label.trim_end();
    Offer::new(ItemKind::Keyword, template)
        .label(word)
        .doc(doc)
        .detail("")
}

/// `train` and `eval` after `with`.
pub(super) fn modes(offers: &mut Offers) {
    for (word, doc) in [
        ("train", "dropout draws."),
        ("eval", "dropout hands its input on."),
    ] {
        offers.push(keyword(word, doc).weight(1));
    }
}

/// What may stand after a value.
pub(super) fn operators(offers: &mut Offers) {
    let words = [
        ("|> ", "Hands the value to a function or stage."),
        (
            "to ",
            "Converts the dtype or domain, or rearranges the axes.",
        ),
        ("as ", "States a shape."),
        ("and ", "Whether both hold."),
        ("or ", "Whether one of both holds."),
        ("if {true} else ", "One of two values by a condition."),
        ("over ", "The axis that a loop goes along."),
        ("by ", "The step of a range."),
    ];
    for (at, (template, doc)) in words.into_iter().enumerate() {
        offers.push(keyword(template, doc).weight(at as u32).unfinished());
    }
}

impl Ground<'_> {
    pub(super) fn lines(&self, offers: &mut Offers) {
        let indent = " ".repeat(self.caret.indent as usize);
        let block = |head: &str| format!("{head}:\n{indent}    {{pass}}");
        if self.caret.indent == 0 {
            self.declarations(offers);
        } else {
            self.returns(offers);
        }
        let size = self.known.axis_names.first().map(|name| name.to_string());
        let dim = self.program.dims.first();
        let dim = dim.map(|dim| self.program.symbols.name(dim.symbol).to_owned());
        let size = size.or(dim).unwrap_or_else(|| "10".to_owned());
        let index = self.fresh(&["i", "j", "k"]);
        let loops = format!("for {{{index}}} in 0..{{{size}}}");
        offers.push(
            keyword(&block(&loops), "A loop over whole numbers.")
                .label("for")
                .weight(40),
        );
        for (name, tensor) in self
            .tensors()
            .filter(|(_, tensor)| tensor.rank() > 0)
            .take(2)
        {
            let row = self.fresh(&["row", "part", "r"]);
            let axis = self.axis_text(tensor, 0);
            if axis.starts_with('-') {
                continue;
            }
            let head = format!("for {{{row}}} in {name} over {axis}");
            let label = format!("for {row} in {name} over {axis}");
            offers.push(
                keyword(&block(&head), "A loop over slices.")
                    .label(label)
                    .weight(41),
            );
        }
        offers.push(keyword(&block("if {true}"), "A block under a condition.").weight(42));
        offers.push(keyword(&block("while {false}"), "A loop under a condition.").weight(43));
        offers.push(keyword("assert {true}", "Stops the run where it doesn't hold.").weight(44));
        offers.push(
            keyword(&block("with {train}"), "The mode that dropout needs.")
                .label("with")
                .weight(45),
        );
        for (word, doc) in [
            ("pass", "Nothing."),
            ("break", "Leaves the loop."),
            ("continue", "Goes on with the loop's next step."),
        ] {
            offers.push(keyword(word, doc).weight(46));
        }
    }

    fn returns(&self, offers: &mut Offers) {
        for (at, (name, ty)) in self.known.variables.iter().enumerate().take(8) {
            let offer = Offer::new(ItemKind::Keyword, &format!("return {{{name}}}"));
            let offer = offer.doc("What the function gives.").detail(self.show(ty));
            offers.push(offer.class(Class::Own).weight(at as u32));
        }
    }

    fn declarations(&self, offers: &mut Offers) {
        let taken = |name: &str| {
            let mut functions = self.program.functions.iter();
            let mut dims = self.program.dims.iter();
            let mut models = self.program.models.iter();
            let mut variables = self.known.variables.iter();
            functions.any(|f| &*f.name == name)
                || dims.any(|dim| self.program.symbols.name(dim.symbol) == name)
                || models.any(|model| &*model.name == name)
                || variables.any(|(known, _): &(_, Type)| &**known == name)
        };
        let free = |names: &[&'static str]| {
            names
                .iter()
                .copied()
                .find(|name| !taken(name))
                .unwrap_or("other")
        };
        let name = free(&["f", "g", "h", "step", "apply"]);
        let axis = free(&["n", "m", "k", "p"]);
        let value = free(&["x", "v", "u", "w"]);
        let function = format!("fn {{{name}}}({value}: [{{{axis}}}]) -> [{axis}] = {{{value}}}");
        offers.push(keyword(&function, "A function.").label("fn").weight(11));
        let size = free(&["D", "H", "C", "N", "K"]);
        offers.push(
            keyword(&format!("dim {{{size}}} = {{8}}"), "A size with a name.")
                .label("dim")
                .weight(12),
        );
        let model = free(&["MLP", "Net", "Model", "Block"]);
        let fields = format!(
            "model {{{model}}}:\n    w: [3] = {{zeros}}\n    fn forward(self, {value}: [3]) -> [3] = {{{value} * self.w}}"
        );
        offers.push(
            keyword(&fields, "A model with weights.")
                .label("model")
                .weight(33),
        );
        let erf = free(&["erfc", "erfinv", "lgamma", "digamma"]);
        let external = format!("extern fn {{{erf}}}(x) from \"torch\"");
        offers.push(
            keyword(&external, "A function of PyTorch.")
                .label("extern fn")
                .weight(34),
        );
        let module = free(&["np", "py", "lib", "data"]);
        let import = format!("import python \"{{numpy}}\" as {{{module}}}");
        offers.push(
            keyword(&import, "A Python module.")
                .label("import")
                .weight(35),
        );
    }
}
