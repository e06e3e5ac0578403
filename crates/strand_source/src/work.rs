//! Steps of work, counted in debug builds only: a test can then say how they grow with a text, on any machine.

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps: a comparison, an entry that is moved, a line that is read.
#[inline]
pub fn count_steps(steps: usize) {
    #[cfg(debug_assertions)]
    STEPS.set(STEPS.get() + steps as u64);
    #[cfg(not(debug_assertions))]
    let _ = steps;
}

/// The steps that this thread counted so far; 0 in a release build.
pub fn steps() -> u64 {
    #[cfg(debug_assertions)]
    let steps = STEPS.get();
    #[cfg(not(debug_assertions))]
    let steps = 0;
    steps
}
