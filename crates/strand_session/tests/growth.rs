//! Checking a text twice as long is twice the work: steps and allocated bytes are counted, not time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use strand_session::{CheckReport, Document};

thread_local! {
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator; counts the bytes that each thread asks for.
struct Counting;

// SAFETY: every request goes to `System` as it came, which keeps the contract; the counter is a `Cell` of this thread
// that needs neither an allocation nor a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.set(ALLOCATED.get() + layout.size() as u64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `System` with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Programs of about so many lines: all right, all wrong, each in its own way.
fn programs(lines: usize) -> Vec<(&'static str, String)> {
    let each = |line: &dyn Fn(usize) -> String| -> String {
        (0..lines).map(|at| line(at) + "\n").collect()
    };
    let script = |line: &dyn Fn(usize) -> String| "x = [1.0, 2.0]\n".to_owned() + &each(line);
    let body = |line: &dyn Fn(usize) -> String| {
        let head = "fn f(x: [n d], w: [n]) -> [n d]:\n    y0 = x\n";
        format!("{head}{}    return y{lines}\n", each(line))
    };
    vec![
        (
            "right script",
            script(&|at| format!("y{at} = x + [1.0, 2.0]")),
        ),
        (
            "right functions",
            each(&|at| format!("fn f{at}(x: [n d], w: [n]) -> [d] = w @ x")),
        ),
        (
            "right body",
            body(&|at| format!("    y{} = y{at} * 2.0", at + 1)),
        ),
        (
            "own axes",
            each(&|at| format!("fn f{at}(x: [a{at} b{at}]) -> [b{at} a{at}] = x to [b{at} a{at}]")),
        ),
        (
            "chains",
            script(&|at| format!("y{at} = x |> map(t => t * 2.0) |> sum")),
        ),
        (
            "calls",
            "fn g(x: [n]) -> [n] = x * 2.0\na0 = [1.0, 2.0]\n".to_owned()
                + &each(&|at| format!("a{} = g(a{at})", at + 1)),
        ),
        (
            "calls of calls",
            "fn f0(x: [n]) -> [n] = x * 2.0\n".to_owned()
                + &each(&|at| format!("fn f{}(x: [n]) -> [n] = f{at}(x)", at + 1)),
        ),
        ("dims", each(&|at| format!("dim D{at} = {}", at + 1))),
        (
            "loops",
            script(&|at| format!("s{at} = x\nfor i in range(3):\n    s{at} = s{at} * 2.0")),
        ),
        (
            "branches",
            script(&|at| format!("if {at} > 3:\n    s{at} = 1.0\nelse:\n    s{at} = 2.0")),
        ),
        ("comments", each(&|at| format!("# {at}"))),
        (
            "wrong script",
            script(&|at| format!("y{at} = x + [1.0, 2.0, 3.0]")),
        ),
        (
            "wrong functions",
            each(&|at| format!("fn f{at}(x: [n d], w: [n]) -> [n d] = x * w")),
        ),
        (
            "wrong body",
            body(&|at| format!("    y{} = y{at} * w", at + 1)),
        ),
        (
            "wrong results",
            each(&|at| format!("fn f{at}(x: [n d]) -> [d] = sum(x, over=d)")),
        ),
        ("unknown names", each(&|at| format!("y{at} = zz{at} + 1"))),
        (
            "unknown names in functions",
            each(&|at| format!("fn f{at}(x: [n]) -> [n] = x + zz{at}")),
        ),
        (
            "unbound axes",
            each(&|at| format!("fn f{at}(x: [n]) -> [m{at}] = x")),
        ),
        (
            "later names",
            each(&|at| format!("y{at} = y{} + 1", at + 1)),
        ),
        (
            "defined twice",
            each(&|_| "fn f(x: [n]) -> [n] = x".to_owned()),
        ),
        ("unclosed", each(&|at| format!("y{at} = (1 + "))),
        ("unopened", each(&|at| format!("y{at} = 1 + )"))),
        ("unread", each(&|at| format!("fn f{at}(x: [n) -> [n] = x"))),
        (
            "recursion",
            each(&|at| format!("fn f{at}(x: [n]) -> [n] = f{at}(x)")),
        ),
        (
            "chained spellings",
            script(&|at| format!("y{at} = x.relu().abs().sum(dim=0)")),
        ),
        (
            "PyTorch spellings",
            script(&|at| format!("y{at} = x.sum(dim=0)")),
        ),
        ("hints", script(&|at| format!("y{at} = x + [[1.0], [2.0]]"))),
        (
            "tokens",
            "x = [".to_owned() + &each(&|at| format!("  {at}.0,")) + "]\n",
        ),
        ("sum", "x = 1.0".to_owned() + &" + 1.0".repeat(lines) + "\n"),
    ]
}

fn work(text: &str) -> (u64, u64) {
    let (steps, bytes) = (strand_session::steps(), ALLOCATED.get());
    let document = Document::new(text);
    let report = CheckReport::new(&document);
    assert!(report.functions.len() <= text.len());
    (strand_session::steps() - steps, ALLOCATED.get() - bytes)
}

#[test]
fn twice_the_lines_are_twice_the_work() {
    let ratio = |twice: u64, once: u64| twice as f64 / once as f64;
    let mut wrong = Vec::new();
    for ((name, once), (_, twice)) in programs(1000).into_iter().zip(programs(2000)) {
        let (before, after) = (work(&once), work(&twice));
        let (steps, bytes) = (ratio(after.0, before.0), ratio(after.1, before.1));
        if steps > 2.25 || bytes > 2.25 {
            wrong.push(format!(
                "{name}: {before:?}, {after:?}: {steps:.2} × the steps, {bytes:.2} × the bytes"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
