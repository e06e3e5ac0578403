//! The numeric error state: what happens when a loop divides by zero, overflows and so on.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::context::Context;
use crate::error::{ArrayError, Result};
use crate::found::Found;

/// What to do with one kind of finding; the values of `np.seterr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    Ignore,
    /// Adds a warning to the record.
    Warn,
    /// Makes the call an error, after its output is complete.
    Raise,
    /// Calls the function of [`Numerics::on_call`].
    Call,
    /// Adds a printed line to the record.
    Print,
    /// Adds a line of the log to the record.
    Log,
}

/// A mode per kind of finding; `np.errstate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// A finite operand at a pole, an integer divided by zero.
    pub divide: Mode,
    /// A result too large for its type.
    pub over: Mode,
    /// An inexact result below the least normal number.
    pub under: Mode,
    /// A NaN from operands that had none.
    pub invalid: Mode,
}

impl Modes {
    /// The same mode for every kind.
    #[must_use]
    pub const fn all(mode: Mode) -> Self {
        Self {
            divide: mode,
            over: mode,
            under: mode,
            invalid: mode,
        }
    }
}

impl Default for Modes {
    /// Warns, and ignores underflow.
    fn default() -> Self {
        Self {
            under: Mode::Ignore,
            ..Self::all(Mode::Warn)
        }
    }
}

/// An entry of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// How it was to be reported: `Warn`, `Print` or `Log`.
    pub mode: Mode,
    /// The sentence: `divide by zero encountered in divide`.
    pub text: String,
}

/// The smallest, default and largest number of elements that pass through a buffer at once.
const BUFSIZE: (usize, usize, usize) = (16, 8192, 10_000_000);

type Callback = Rc<dyn Fn(&str, Found)>;

/// What calls of ufuncs read at set-up: memory, error modes and the size of buffers; and the
/// record that they add to.
pub struct Numerics {
    context: Context,
    modes: Cell<Modes>,
    bufsize: Cell<usize>,
    record: RefCell<Vec<Event>>,
    callback: RefCell<Option<Callback>>,
    pub(super) loops: super::host::UserLoops,
}

impl Numerics {
    /// The default state over the memory of `context`.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self {
            context: context.clone(),
            modes: Cell::default(),
            bufsize: Cell::new(BUFSIZE.1),
            record: RefCell::default(),
            callback: RefCell::default(),
            loops: super::host::UserLoops::default(),
        }
    }

    /// Where results take their memory from.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The modes; `np.geterr`.
    #[must_use]
    pub fn modes(&self) -> Modes {
        self.modes.get()
    }

    /// Changes the modes and gives the former ones; `np.seterr`.
    pub fn set_modes(&self, modes: Modes) -> Modes {
        self.modes.replace(modes)
    }

    /// Changes the modes for as long as the guard lives; `with np.errstate(…)`.
    #[must_use = "the modes change back when the guard is dropped"]
    pub fn scope(&self, modes: Modes) -> Scope<'_> {
        Scope {
            numerics: self,
            before: self.set_modes(modes),
        }
    }

    /// Elements that pass through a buffer at once; `np.getbufsize`.
    #[must_use]
    pub fn bufsize(&self) -> usize {
        self.bufsize.get()
    }

    /// Changes the size of buffers and gives the former one; `np.setbufsize`.
    ///
    /// # Errors
    /// `BadArgument` unless it is a multiple of 16 from 16 to 10⁷.
    pub fn set_bufsize(&self, size: usize) -> Result<usize> {
        let (least, _, most) = BUFSIZE;
        if !(least..=most).contains(&size) || !size.is_multiple_of(16) {
            return Err(ArrayError::BadArgument {
                op: "setbufsize",
                why: "the size must be a multiple of 16 from 16 to 10000000".into(),
            });
        }
        Ok(self.bufsize.replace(size))
    }

    /// Sets the function that `Call` calls with the sentence and all findings; `np.seterrcall`.
    pub fn on_call(&self, function: impl Fn(&str, Found) + 'static) {
        *self.callback.borrow_mut() = Some(Rc::new(function));
    }

    /// The entries of the record since the last call.
    #[must_use]
    pub fn take_record(&self) -> Vec<Event> {
        self.record.take()
    }

    /// Adds a warning that isn't numeric.
    pub(super) fn warn(&self, text: &str) {
        self.record.borrow_mut().push(Event {
            mode: Mode::Warn,
            text: text.into(),
        });
    }

    /// Handles each kind of finding once, as its mode says.
    pub(crate) fn handle(&self, modes: Modes, found: Found, op: &str) -> Result<()> {
        if found.is_none() {
            return Ok(());
        }
        let kinds = [
            (Found::DIVIDE, modes.divide, "divide by zero"),
            (Found::OVERFLOW, modes.over, "overflow"),
            (Found::UNDERFLOW, modes.under, "underflow"),
            (Found::INVALID, modes.invalid, "invalid value"),
        ];
        for (kind, mode, name) in kinds {
            if !found.has(kind) {
                continue;
            }
            let text = || format!("{name} encountered in {op}");
            match mode {
                Mode::Ignore => {}
                Mode::Raise => {
                    return Err(ArrayError::FloatingPoint {
                        finding: name,
                        op: op.to_string(),
                    });
                }
                Mode::Warn | Mode::Print | Mode::Log => {
                    self.record.borrow_mut().push(Event { mode, text: text() });
                }
                Mode::Call => {
                    // The function may set another one: nothing is borrowed while it runs.
                    let callback = self.callback.borrow().clone();
                    match callback {
                        Some(callback) => callback(&text(), found),
                        None => {
                            return Err(ArrayError::Host {
                                why: format!("{op}: no function was set for numeric errors"),
                            });
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Modes that hold until this is dropped.
pub struct Scope<'a> {
    numerics: &'a Numerics,
    before: Modes,
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        self.numerics.modes.set(self.before);
    }
}
