//! Completion by shape: what may stand at a caret, each with the type that it gives.
//!
//! Texts are offered by what is known at the caret ([`Known`]), tried in the statement there, and
//! proven in the program; what doesn't check isn't shown. A stage that the value takes but that
//! can't be the last goes on with `|> `.

mod lines;
mod offers;
mod stages;
mod types;
mod values;

use strand_check::{Known, Trials, Tried};
use strand_ir::{Program, Type};
use strand_source::{Map, Span};
use strand_syntax::{Caret, Place};

use offers::{Class, Offer, Offers};

/// How many texts are tried.
const MOST_TRIED: usize = 240;
/// How many stages that go on are tried with what may follow.
const MOST_CLOSED: usize = 24;
/// With how many stages that may be the last.
const MOST_LASTS: usize = 2;
/// How many items are shown.
const MOST_SHOWN: usize = 50;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ItemKind {
    Stage,
    Function,
    Method,
    Variable,
    Field,
    Axis,
    Size,
    Type,
    Keyword,
}

impl ItemKind {
    /// The kind in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Function => "function",
            Self::Method => "method",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Axis => "axis",
            Self::Size => "size",
            Self::Type => "type",
            Self::Keyword => "keyword",
        }
    }
}

/// Something that may stand at a caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionItem {
    /// How a list shows it.
    pub label: String,
    /// What is written in the place of [`Completions::replaced`].
    pub insert: String,
    /// The pieces of `insert` that a reader may want to change, in bytes. They are filled with what
    /// checks.
    pub holes: Vec<Span>,
    /// What it is.
    pub kind: ItemKind,
    /// The type that it gives, or what it is; may be empty.
    pub ty: String,
    /// One sentence.
    pub doc: String,
    /// Whether more must follow: `relu |> `.
    pub goes_on: bool,
}

/// What may stand at a caret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// What an item replaces: the name that is being written.
    pub replaced: Span,
    /// The likeliest first.
    pub items: Vec<CompletionItem>,
}

/// What may stand at a byte offset of a text.
pub fn complete(text: &str, offset: u32) -> Completions {
    let Some(caret) = strand_syntax::caret(text, offset) else {
        return Completions::default();
    };
    let prefix = text
        .get(caret.replaced.start as usize..offset as usize)
        .unwrap_or("");
    let raw = caret.replaced.text(text);
    let mut trials = Trials::new(&caret, raw, prefix);
    let mut offers = Offers::new(prefix);
    let ground = Ground {
        known: trials.known(),
        program: trials.program(),
        caret: &caret,
        text,
    };
    ground.offer(&mut offers);
    let wanted = ground.known.wanted.as_ref();
    let wanted = wanted.map(|ty| ground.program.display_type(ty));
    let mut offers = offers.best(MOST_TRIED);
    if caret.called {
        offers.iter_mut().for_each(Offer::drop_arguments);
    }
    let known = trials.known().clone();
    let program = trials.program().clone();
    let mut last = || {
        let mut offers = Offers::new("");
        let ground = Ground {
            known: &known,
            program: &program,
            caret: &caret,
            text,
        };
        ground.offer(&mut offers);
        offers.best(MOST_TRIED)
    };
    let items = judge(&mut trials, offers, wanted.as_deref(), &mut last);
    Completions {
        replaced: caret.replaced,
        items,
    }
}

/// What offers are made from.
struct Ground<'g> {
    known: &'g Known,
    program: &'g Program,
    caret: &'g Caret,
    text: &'g str,
}

impl Ground<'_> {
    fn offer(&self, offers: &mut Offers) {
        match &self.caret.place {
            Place::Stage => self.stages(offers),
            Place::Over => self.axes(offers),
            Place::Field => self.fields(offers),
            Place::Convert(how) => self.conversions(*how, offers),
            Place::Size => self.sizes(offers),
            Place::Type => self.types(offers),
            Place::Elements(dtype) => self.elements(dtype.as_deref(), offers),
            Place::Mode => lines::modes(offers),
            Place::Operator => lines::operators(offers),
            Place::Line => {
                self.lines(offers);
                self.values(offers);
            }
            Place::Index => {
                self.index(offers);
                self.values(offers);
            }
            Place::Operand => self.values(offers),
            Place::Argument { path, given } => self.arguments(path, given, offers),
        }
    }

    fn show(&self, ty: &Type) -> String {
        self.program.display_type(ty)
    }
}

/// An offer with what trying it told.
struct Judged {
    offer: Offer,
    tried: Option<Tried>,
    /// Whether it stands only if more follows.
    open: bool,
    proven: bool,
    fits: bool,
    /// The same with what may follow, up to the end of the pipe.
    closed: Option<String>,
}

impl Judged {
    fn order(&self) -> (bool, bool, u8, bool, u32, usize) {
        let offer = &self.offer;
        let length = offer.label.len();
        (
            !self.proven,
            self.open,
            offer.likeness,
            !self.fits,
            offer.weight,
            length,
        )
    }
}

/// Lets what goes on go on with a stage that can be the last, where there is one.
fn close(trials: &mut Trials, judged: &mut [Judged], last: &mut dyn FnMut() -> Vec<Offer>) {
    let open: Vec<usize> = (0..judged.len()).filter(|at| judged[*at].open).collect();
    if open.is_empty() {
        return;
    }
    let stands = |one: &Judged| !one.open && one.tried.is_some();
    let mut lasts: Vec<Offer> = judged
        .iter()
        .filter(|one| stands(one))
        .map(|one| one.offer.clone())
        .collect();
    if lasts.is_empty() {
        lasts = last();
        lasts.retain(|offer| !matches!(offer.class, Class::Call(_)));
        let texts: Vec<String> = lasts.iter().map(|offer| offer.insert.clone()).collect();
        let mut tried = trials.tried(&texts).into_iter();
        lasts.retain(|_| tried.next().flatten().is_some_and(|tried| tried.stands));
    }
    lasts.truncate(MOST_LASTS);
    let open = open.get(..MOST_CLOSED.min(open.len())).unwrap_or_default();
    for last in &lasts {
        let text = |at: &usize| format!("{} |> {}", judged[*at].offer.insert, last.insert);
        let texts: Vec<String> = open.iter().map(text).collect();
        for ((at, text), tried) in open.iter().zip(&texts).zip(trials.tried(&texts)) {
            let one = &mut judged[*at];
            if one.closed.is_none() && tried.is_some_and(|tried| tried.stands) {
                one.closed = Some(text.clone());
            }
        }
    }
}

fn judge(
    trials: &mut Trials,
    offers: Vec<Offer>,
    wanted: Option<&str>,
    last: &mut dyn FnMut() -> Vec<Offer>,
) -> Vec<CompletionItem> {
    let texts: Vec<String> = offers.iter().map(|offer| offer.insert.clone()).collect();
    let tried = trials.tried(&texts);
    let judged = offers.into_iter().zip(tried).filter_map(|(offer, tried)| {
        let open = match &tried {
            Some(tried) if tried.stands => false,
            Some(tried) if tried.goes_on && offer.may_go_on => true,
            Some(_) if !offer.unfinished => return None,
            _ => false,
        };
        let fits = wanted.is_none() || tried.as_ref().map(|tried| tried.shown.as_str()) == wanted;
        Some(Judged {
            offer,
            tried,
            open,
            proven: true,
            fits,
            closed: None,
        })
    });
    let mut judged: Vec<Judged> = judged.collect();
    strand_source::sort_by_key(&mut judged, Judged::order);
    close(trials, &mut judged, last);
    let mut classes = Classes::default();
    let mut kept: Vec<Judged> = Vec::with_capacity(judged.len());
    for mut one in judged {
        if kept.len() >= MOST_SHOWN {
            break;
        }
        let open = one.open;
        let mut verdict = classes.verdict(trials, &one);
        let goes_on = one.tried.as_ref().is_some_and(|tried| tried.goes_on);
        if verdict == Some(false) && !open && goes_on && one.offer.may_go_on {
            one.open = true;
            verdict = classes.verdict(trials, &one);
        }
        // What there was no time to prove is shown last, if at least its statement stands.
        if verdict.unwrap_or(one.tried.is_some() && !one.open) {
            one.proven = verdict.is_some();
            kept.push(one);
        }
    }
    strand_source::sort_by_key(&mut kept, Judged::order);
    kept.into_iter().map(item).collect()
}

/// Verdicts that offers of one class share.
#[derive(Default)]
struct Classes(Map<(String, Class, bool), Option<bool>>);

impl Classes {
    /// Whether the program with the offer checks; `None` where there was no time to see.
    fn verdict(&mut self, trials: &mut Trials, one: &Judged) -> Option<bool> {
        let text = one.text();
        let open = one.open && one.closed.is_none() || one.offer.unfinished;
        let shown = one.tried.as_ref().map(|tried| tried.shown.clone());
        let class = match &one.offer.class {
            Class::Own => None,
            Class::Call(function) if trials.may_have_effect(function) => None,
            Class::Call(_) => Some(Class::Call(String::new())),
            class => Some(class.clone()),
        };
        let key = shown.zip(class).map(|(shown, class)| (shown, class, open));
        if let Some(known) = key.as_ref().and_then(|key| self.0.get(key)) {
            return *known;
        }
        let verdict = match &one.offer.class {
            Class::Call(function) if !open && trials.may_have_effect(function) => {
                trials.proven_call(&text, function)
            }
            _ => trials.proven(&text, open),
        };
        if let Some(key) = key {
            self.0.insert(key, verdict);
        }
        verdict
    }
}

impl Judged {
    fn text(&self) -> String {
        let insert = &self.offer.insert;
        match &self.closed {
            Some(closed) if self.open => closed.clone(),
            _ if self.open => format!("{insert} |> "),
            _ => insert.clone(),
        }
    }
}

fn item(one: Judged) -> CompletionItem {
    let insert = one.text();
    let is_closed = one.open && one.closed.is_some();
    let shown = one.tried.map(|tried| tried.shown).unwrap_or_default();
    let offer = one.offer;
    let ty = match offer.detail {
        Some(detail) => detail,
        None => shown,
    };
    let mut holes = offer.holes;
    if is_closed {
        let after = offer.insert.len() as u32 + " |> ".len() as u32;
        holes.push(Span::new(after, insert.len() as u32));
    }
    CompletionItem {
        label: offer.label,
        insert,
        holes,
        kind: offer.kind,
        ty,
        doc: offer.doc,
        goes_on: one.open && !is_closed || offer.unfinished,
    }
}
