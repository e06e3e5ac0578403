//! Host values as counted handles: an element of an object array is the number of a slot here.
//!
//! A slot counts the elements that name it. Copying an element counts up, overwriting or dropping
//! it counts down, and the value goes when the count does. Handle 0 is `None`, so that zeroed
//! memory holds values; a number that names no slot is `None` too.

use std::cell::RefCell;

use crate::descr::Descr;
use crate::value::Value;

/// The number of a slot, or 0.
pub(crate) type Handle = u64;

struct Slot {
    count: usize,
    value: Value,
}

#[derive(Default)]
struct Slots {
    list: Vec<Option<Slot>>,
    free: Vec<usize>,
    live: usize,
}

thread_local! {
    static SLOTS: RefCell<Slots> = RefCell::default();
}

fn place(handle: Handle) -> Option<usize> {
    usize::try_from(handle).ok()?.checked_sub(1)
}

/// Runs `f` on the slots; none when the thread is ending. `f` must drop no value: values may run
/// code of the host.
fn with<R>(f: impl FnOnce(&mut Slots) -> R) -> Option<R> {
    SLOTS.try_with(|slots| f(&mut slots.borrow_mut())).ok()
}

/// A handle of a value, counted once.
pub(crate) fn put(value: Value) -> Handle {
    if matches!(value, Value::None) {
        return 0;
    }
    let slot = Slot { count: 1, value };
    with(|slots| {
        slots.live = slots.live.saturating_add(1);
        let at = match slots.free.pop() {
            Some(at) => at,
            None => {
                slots.list.push(None);
                slots.list.len().saturating_sub(1)
            }
        };
        if let Some(place) = slots.list.get_mut(at) {
            *place = Some(slot);
        }
        (at as Handle).saturating_add(1)
    })
    .unwrap_or(0)
}

/// The value of a handle.
pub(crate) fn get(handle: Handle) -> Value {
    let value = |slots: &mut Slots| {
        let slot = slots.list.get(place(handle)?)?.as_ref()?;
        Some(slot.value.clone())
    };
    with(value).flatten().unwrap_or_default()
}

/// Counts one more element that names the handle.
pub(crate) fn retain(handle: Handle) {
    with(|slots| {
        let slot = place(handle).and_then(|at| slots.list.get_mut(at)?.as_mut());
        if let Some(slot) = slot {
            slot.count = slot.count.saturating_add(1);
        }
    });
}

/// Counts one element less; the value goes with the last.
pub(crate) fn release(handle: Handle) {
    let last = with(|slots| {
        let at = place(handle)?;
        let place = slots.list.get_mut(at)?;
        let slot = place.as_mut()?;
        slot.count = slot.count.saturating_sub(1);
        if slot.count > 0 {
            return None;
        }
        let gone = place.take();
        slots.free.push(at);
        slots.live = slots.live.saturating_sub(1);
        gone
    });
    // Outside the borrow, since the value's own code may use the engine.
    drop(last.flatten());
}

/// How many host values the thread's object arrays hold, each counted once per separate storing.
#[must_use]
pub fn live_objects() -> usize {
    with(|slots| slots.live).unwrap_or(0)
}

/// The handles at these places of an element.
fn handles<'a>(element: &'a [u8], offsets: &'a [usize]) -> impl Iterator<Item = Handle> + 'a {
    offsets.iter().filter_map(|&at| {
        let bytes = element.get(at..)?.first_chunk()?;
        Some(Handle::from_ne_bytes(*bytes))
    })
}

/// Counts the handles at these places of an element once more.
pub(crate) fn retain_all(element: &[u8], offsets: &[usize]) {
    handles(element, offsets).for_each(retain);
}

/// Releases the handles at these places of an element.
pub(crate) fn release_all(element: &[u8], offsets: &[usize]) {
    handles(element, offsets).for_each(release);
}

/// Where the handles lie in each of a block's elements; they are released with the block.
pub(crate) struct Held {
    size: usize,
    offsets: Vec<usize>,
    run: fn(&[u8], &Self),
}

impl Held {
    /// None for elements without host values.
    pub(crate) fn new(descr: &Descr) -> Option<Box<Self>> {
        descr.has_objects().then(|| {
            Box::new(Self {
                size: descr.size(),
                offsets: descr.object_offsets(),
                run: release_elements,
            })
        })
    }

    /// Releases the handles of all elements. The function comes from where handles are made, so
    /// that an engine without objects doesn't hold it.
    pub(crate) fn release(&self, bytes: &[u8]) {
        (self.run)(bytes, self);
    }
}

fn release_elements(bytes: &[u8], held: &Held) {
    for element in bytes.chunks_exact(held.size.max(1)) {
        release_all(element, &held.offsets);
    }
}
