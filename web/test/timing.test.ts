/** When a text is checked and what is shown of it while somebody types, by a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runsByItself, Speed } from "../src/app/budget.ts";
import type { Checking as CheckingType, Connect } from "../src/app/checking.ts";
import type { Clock } from "../src/app/clock.ts";
import { looksUnfinished } from "../src/app/unfinished.ts";
import type { Diagnostic } from "../src/engine/contract.ts";

// The store looks for the page's address and storage, which stay empty here.
Object.assign(globalThis, { window: { location: { search: "" } } });
const { Checking } = await import("../src/app/checking.ts");

class TestClock implements Clock {
  private time = 0;
  private calls: { at: number; call: () => void }[] = [];
  now = () => this.time;
  after = (milliseconds: number, call: () => void) => {
    const entry = { at: this.time + milliseconds, call };
    this.calls.push(entry);
    return () => {
      this.calls = this.calls.filter((other) => other !== entry);
    };
  };
  pass(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      const next = this.calls.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.calls = this.calls.filter((other) => other !== next);
      this.time = next.at;
      next.call();
    }
    this.time = end;
  }
}

function problem(code: string, text: string, word: string): Diagnostic {
  const from = text.indexOf(word);
  return {
    code,
    severity: "error",
    message: "",
    range: { from, to: from + word.length },
    line: text.slice(0, from).split("\n").length,
    column: 1,
    labels: [],
    diff: null,
    notes: [],
    fixes: [],
    checked: null,
    rendered: "",
    source: "",
    speech: "",
  };
}

/** A page in which `type` edits the text; checks answer at once with what `finds` says. */
function page(finds: (text: string) => Diagnostic[]) {
  const clock = new TestClock();
  const state = { text: "", caretLine: 1 };
  const asked: string[] = [];
  const checking: CheckingType = new Checking(
    () => state,
    () => undefined,
    clock,
  );
  const connect: Connect = (onChecked) => ({
    check: (text) => {
      asked.push(text);
      onChecked({
        text,
        check: { diagnostics: finds(text), functions: [], inlays: [], sizes: [], chains: [], cost: null },
        torch: null,
        milliseconds: 0,
      });
    },
    cancel: () => undefined,
    markdown: () => Promise.resolve(null),
    hover: () => Promise.resolve(null),
    complete: () => Promise.resolve(null),
    cost: () => Promise.resolve(null),
    format: () => Promise.resolve(null),
  });
  checking.start(connect);
  const type = (text: string, caretLine = text.split("\n").length) => {
    Object.assign(state, { text, caretLine });
    checking.edited();
  };
  const codes = () => checking.problems.value.map(({ code }) => code);
  return { clock, asked, checking, state, type, codes };
}

test("a text is checked 120 ms after the last key, and only as it is then", () => {
  const { clock, asked, type } = page(() => []);
  asked.length = 0;
  type("a");
  clock.pass(119);
  assert.deepEqual(asked, []);
  type("ab");
  clock.pass(119);
  assert.deepEqual(asked, []);
  clock.pass(1);
  assert.deepEqual(asked, ["ab"]);
});

test("an error that a half-written line has by itself waits 700 ms after the last key", () => {
  const { clock, type, codes } = page((text) => [problem("E0102", text, "(")]);
  type("y = (");
  clock.pass(699);
  assert.deepEqual(codes(), []);
  clock.pass(1);
  assert.deepEqual(codes(), ["E0102"]);
  type("y = (1");
  clock.pass(300);
  assert.deepEqual(codes(), [], "while somebody types on, it waits again");
});

test("it shows as soon as the caret leaves its line, and at once where it isn't the caret's", () => {
  const { clock, type, codes, state, checking } = page((text) => [problem("E0101", text, "=")]);
  type("y =");
  clock.pass(150);
  assert.deepEqual(codes(), []);
  state.caretLine = 2;
  checking.caretMoved();
  assert.deepEqual(codes(), ["E0101"]);
  const other = page((text) => [problem("E0101", text, "=")]);
  other.type("y =\nx", 2);
  other.clock.pass(120);
  assert.deepEqual(other.codes(), ["E0101"]);
});

test("other errors show with the check, and a mended one goes with it", () => {
  const { clock, type, codes } = page((text) => (text.includes("w") ? [problem("E0503", text, "w")] : []));
  type("x * w");
  clock.pass(120);
  assert.deepEqual(codes(), ["E0503"]);
  type("x");
  clock.pass(120);
  assert.deepEqual(codes(), []);
});

test("a name waits while it begins one that is known to the language or the text", () => {
  const held = (text: string, name: string) => looksUnfinished(problem("E0301", text, name), text, 1);
  assert.equal(held("y = softm(x)", "softm"), true);
  assert.equal(
    looksUnfinished(problem("E0301", "y = weig\nweights = 1.0", "weig"), "y = weig\nweights = 1.0", 1),
    true,
  );
  assert.equal(held("y = zqx", "zqx"), false);
  assert.equal(looksUnfinished(problem("E0503", "sof", "sof"), "sof", 1), false);
});

test("a program runs by itself up to 20 million multiply-adds and 32 MB", () => {
  assert.equal(runsByItself({ multiplyAdds: 20e6, bytes: 32e6 }), true);
  assert.equal(runsByItself({ multiplyAdds: 20e6 + 1, bytes: 0 }), false);
  assert.equal(runsByItself({ multiplyAdds: 0, bytes: 32e6 + 1 }), false);
  assert.equal(runsByItself(null), false);
});

test("what a run would take is told from this machine's last runs", () => {
  let kept: readonly number[] = [];
  const speed = new Speed([], (rates) => {
    kept = rates;
  });
  const cost = { multiplyAdds: 200e6, bytes: 0 };
  assert.equal(speed.secondsFor(cost), 2);
  speed.ran(cost, 1000);
  assert.equal(speed.secondsFor(cost), 1);
  // One run beside something else changes little, a tiny one nothing.
  speed.ran(cost, 1000);
  speed.ran(cost, 60_000);
  speed.ran({ multiplyAdds: 10, bytes: 0 }, 1);
  assert.equal(speed.secondsFor(cost), 1);
  assert.equal(kept.length, 3);
  assert.equal(new Speed(kept, () => undefined).secondsFor(cost), 1);
});
