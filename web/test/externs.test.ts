/** Row 27 from JavaScript: functions of a page as extern declarations find them, run in the engine. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ENGINE, start } from "../build/engine.ts";
import { Strand } from "../pkg/strand_wasm.js";
import { plain, type ValueInfo } from "../src/engine/contract.ts";
import { Externs, type ExternTensor, type ExternValue } from "../src/engine/externs.ts";

start(join(import.meta.dirname, "..", ENGINE));

type Given = ExternTensor;

const page = {
  fns: {
    halve: { doc: "Half of it.", ufunc: (x: number) => x / 2 },
    hypot: { ufunc: (x: number, y: number) => Math.hypot(x, y) },
    positive: { ufunc: (x: number) => x > 0, dtype: "bool" },
    next: { ufunc: (x: number | bigint) => (typeof x === "bigint" ? x + 1n : x + 1) },
    both: { ufunc: (x: boolean, y: boolean) => x && y },
    wordy: { ufunc: () => "x" },
    rows: (x: Given) => ({ shape: x.shape.slice(0, 1), data: x.data.slice(0, x.shape[0]) }),
    bare: (x: Given) => Float32Array.from(x.data as Float32Array, (v) => v + 1),
    lists: () => [
      [1, 2],
      [3, 4],
    ],
    ragged: () => [[1], [2, 3]],
    short: (x: Given) => ({ shape: x.shape, data: x.data.slice(1) }),
    wide: () => new Float64Array(2),
    odd: () => new Uint16Array(2),
    count: (x: Given) => x.data.length,
    total: (x: Given) => (x.data as Float32Array).reduce((sum, v) => sum + v, 0),
    twice: (x: number) => 2 * x,
    big: (x: number | bigint) => BigInt(x) * 2n,
    opposite: (x: boolean) => !x,
    greet: (name: string) => `hello ${name}`,
    kept: {
      doc: "The first elements.",
      parameters: [
        { name: "x", kind: "tensor", rank: 1, dtype: "f32" },
        { name: "k", kind: "int", default: 2 },
      ],
      call: (x: Given, k: number) => ({ shape: [k], data: x.data.slice(0, k) }),
    },
    named: { parameters: [{ name: "s", kind: "text" }], call: (s: string) => s.length },
    throws: () => {
      throw new RangeError("no luck");
    },
    verbose: () => {
      throw new Error(
        "a reason that is much longer than what fits into a message of one line, so it is a note",
      );
    },
    later: async () => Promise.resolve(1),
    nothing: () => undefined,
    object: () => ({}),
    fraction: () => 0.5,
    indices: (x: Given) => ({ dtype: "i64", shape: [2], data: [0, x.data.length] }),
    bits: (x: Given) => ({ ...x, dtype: "bool", data: Uint8Array.from(x.data as Float32Array, Number) }),
    greedy: (x: Given) => {
      x.data.fill(0 as never);
      return 1;
    },
  },
};

interface Ran {
  values: string[];
  error: string | null;
  drawn: string;
}

/** What the script shows, dtype and shape first, and how it ended. */
function run(text: string, exported: unknown = page): Ran {
  const strand = new Strand();
  strand.setExterns(Externs.of("fns.js", exported).call);
  const shown: ValueInfo[] = [];
  const options = { sizes: {}, fill: "index", memoryLimit: 0, inspect: false } as const;
  const { error } = plain(
    strand.run(text, options, (given) => {
      const event = plain(given);
      if (event.kind === "value") shown.push(event.value);
    }),
  );
  const values = shown.map(({ id, host, shape, dtype }) => {
    if (host !== null) return host;
    const { data } = strand.view(id, new Uint32Array(), 0, 9, 0, 9);
    return `${dtype}[${shape.join(" ")}] ${[...data].join(" ")}`;
  });
  const message = error === null ? null : `${error.code}: ${error.message}`;
  return { values, error: message, drawn: error?.rendered ?? "" };
}

/** A declaration, a call, and what it gives or how it fails. */
const calls: [string, string, string | RegExp][] = [
  ["halve(x)", "halve([1.0, 3.0])", "f32[2] 0.5 1.5"],
  ["halve(x)", "halve([1.0, 3.0] to f64)", "f64[2] 0.5 1.5"],
  ["halve(x)", "halve([1.0, 3.0] to f16)", "f16[2] 0.5 1.5"],
  ["halve(x)", "halve([1.0, 3.0] to bf16)", "bf16[2] 0.5 1.5"],
  ["halve(x)", "halve([4, 6] to i32)", "i32[2] 2 3"],
  ["halve(x)", "[1.0, 3.0] |> halve", "f32[2] 0.5 1.5"],
  ["halve(x)", "[1.0, 3.0] |> halve |> sum", "f32[] 2"],
  ["hypot(x, y)", "[3.0, 6.0] |> hypot([4.0, 8.0])", "f32[2] 5 10"],
  ["hypot(x, y)", "hypot([[3.0], [6.0]], [4.0, 8.0])", /^f32\[2 2\] 5 8\.54\d+ 7\.21\d+ 10$/],
  ["positive(x: [n]) -> [n] bool", "positive([1.0, -1.0])", "bool[2] 1 0"],
  ["next(x)", "next([1, 2])", "i64[2] 2 3"],
  ["both(x: [n] bool, y: [n] bool) -> [n] bool", "both([true, true], [true, false])", "bool[2] 1 0"],
  ["wordy(x)", "wordy([1.0])", "R07: wordy failed: it gave a text for an element"],
  ["rows(x: [n D]) -> [n]", "rows([[1.0, 2.0], [3.0, 4.0]])", "f32[2] 1 2"],
  ["bare(x: [n]) -> [n]", "bare([1.0, 2.0])", "f32[2] 2 3"],
  ["lists() -> [2 2]", "lists()", "f32[2 2] 1 2 3 4"],
  ["lists() -> [2 3]", "lists()", "R01: the last axis of lists's result has size 2, not 3"],
  ["lists() -> [4]", "lists()", "R01: lists's result has 2 axes, but [4] has 1"],
  ["ragged() -> [2 2]", "ragged()", "R07: ragged failed: it gave lists of different lengths"],
  ["short(x: [n]) -> [n]", "short([1.0, 2.0])", "R07: short failed: it gave 1 element for the shape [2]"],
  ["short(x: [n]) -> [n]", "[1.0, 2.0] |> short", "R07: short failed: it gave 1 element for the shape [2]"],
  ["rows(x: [n D]) -> [D]", "rows([[1.0], [3.0]])", "R01: the only axis of rows's result has size 2, not 1"],
  ["wide() -> [2]", "wide()", "R01: wide's result is f64, not f32"],
  ["odd() -> [2]", "odd()", "R07: odd failed: it gave a Uint16Array, which no dtype has"],
  ["count(x: [n]) -> int", "count([1.0, 2.0])", "2"],
  ["total(x: [n]) -> float", "total([1.0, 2.5])", "3.5"],
  ["total(x: [n]) -> []", "total([1.0, 2.5])", "f32[] 3.5"],
  ["count(x: [n]) -> int", "[1.0, 2.0] |> count", "2"],
  ["twice(x: int) -> int", "twice(21)", "42"],
  ["twice(x: float) -> float", "twice(1.0)", "2.0"],
  ["big(x: int) -> int", "big(4503599627370497)", "9007199254740994"],
  ["big(x: int) -> int", "big(4611686018427387904)", "R07: big failed: it gave an int past 64 bits"],
  ["opposite(x: bool) -> bool", "opposite(true)", "False"],
  ["greet(name: str) -> str", 'greet("Ada")', "hello Ada"],
  ["kept(x: [n]) -> [2]", "kept([1.0, 2.0, 3.0])", "f32[2] 1 2"],
  ["kept(x: [n], k: int) -> [3]", "kept([1.0, 2.0, 3.0], 3)", "f32[3] 1 2 3"],
  ["kept(x: [n], k: int) -> [3]", "[1.0, 2.0, 3.0, 4.0] |> kept(3)", "f32[3] 1 2 3"],
  ["kept(x: [n m]) -> [2]", "kept([[1.0]])", "R07: kept failed: x has 2 axes, not 1"],
  ["kept(x: [n] i64) -> [2]", "kept([1, 2])", "R07: kept failed: x is i64, not f32"],
  ["kept(x: [n], k: float) -> [2]", "kept([1.0], 1.5)", "R07: kept failed: k is a number, not an int"],
  ["kept(x: float) -> [2]", "kept(1.5)", "R07: kept failed: x is a number, not a tensor"],
  [
    "kept(x: [n], k: int, m: int) -> [2]",
    "kept([1.0], 1, 2)",
    "R07: kept failed: it takes 2 arguments, not 3",
  ],
  ["kept() -> [2]", "kept()", "R07: kept failed: x is missing"],
  ["named(s: int) -> int", "named(3)", "R07: named failed: s is a number, not a text"],
  ["throws(x: [n]) -> [n]", "[1.0] |> throws", "R07: throws failed: no luck"],
  ["throws() -> int", "throws()", "R07: throws failed: no luck"],
  ["verbose() -> int", "verbose()", "R07: verbose failed"],
  ["later() -> int", "later()", "R07: later failed: it gave a promise, but extern functions answer at once"],
  ["nothing() -> int", "nothing()", "R07: nothing failed: it gave nothing"],
  ["object() -> [2]", "object()", "R07: object failed: it gave an object without data"],
  ["fraction() -> int", "fraction()", "R01: fraction's result is a float, not int"],
  ["indices(x: [n]) -> [2] i64 Index[n]", "indices([1.0, 2.0])", /^R02: /],
  ["bits(x: [n]) -> [n] bool", "bits([1.0, 0.0])", "bool[2] 1 0"],
  ["absent(x: [n]) -> [n]", "absent([1.0])", /^R07: absent failed/],
];

test("forty calls and more give values and errors of every kind", () => {
  const complaints: string[] = [];
  for (const [declared, called, wanted] of calls) {
    const { values, error } = run(`extern fn ${declared} from "fns"\n${called}\n`);
    const found = error ?? values.at(-1) ?? "nothing";
    const fits = typeof wanted === "string" ? found === wanted : wanted.test(found);
    if (!fits) complaints.push(`${declared}, ${called}: ${found}, not ${String(wanted)}`);
  }
  assert.deepEqual(complaints, []);
  assert.ok(calls.length >= 40);
});

test("what was shown before a failure stays, and a long reason is a note", () => {
  const { values, error, drawn } = run('extern fn verbose() -> int from "fns"\n1 + 1\nverbose()\n');
  assert.deepEqual(values, ["2"]);
  assert.equal(error, "R07: verbose failed");
  assert.match(drawn, /a reason that is much longer/);
});

test("a missing function is said with those that are there", () => {
  const { error, drawn } = run('extern fn absent(x: [n]) -> [n] from "fns"\nabsent([1.0])\n');
  assert.equal(error, "R07: absent failed");
  assert.match(drawn, /fns\.js has no absent, only halve, hypot, /);
  const { error: other } = run('extern fn f(x: [n]) -> [n] from "scipy.signal"\nf([1.0])\n');
  assert.equal(other, "R07: f failed: fns.js has no module scipy.signal");
  // Functions of torch are the engine's to know.
  const { error: torch } = run(
    'extern fn eigvalsh(x: [n n]) -> [n] from "torch.linalg"\neigvalsh([[1.0]])\n',
  );
  assert.equal(torch, "R07: torch.linalg.eigvalsh can't run in the playground");
});

test("no function changes what another one gets", () => {
  const { values } = run('extern fn greedy(x: [n]) -> int from "fns"\nx = [1.0, 2.0]\ngreedy(x)\nx\n');
  assert.deepEqual(values, ["1", "f32[2] 1 2"]);
});

test("a result of an unknown size may differ from call to call", () => {
  let calls = 0;
  const growing = {
    fns: { more: (): ExternValue => ({ dtype: "f32", shape: [++calls], data: new Float32Array(calls) }) },
  };
  const text = 'import python "fns" as fns\nfor i in 0..3:\n    x = fns.more() as [k]\n    print(sum(x))\n';
  assert.equal(run(text, growing).error, null);
  assert.equal(calls, 3);
});

test("a module that isn't put together rightly says so", () => {
  const wrong: [unknown, string][] = [
    [undefined, "its default export isn't an object of modules"],
    [{ fns: 3 }, "fns isn't an object of functions"],
    [{ fns: { f: 3 } }, "fns.f is neither a function nor an object with call or ufunc"],
    [{ fns: { f: { doc: "x" } } }, "fns.f needs a function as call, or one as ufunc"],
    [{ fns: { f: { ufunc: () => 1, dtype: "u16" } } }, "fns.f has a dtype that isn't one"],
    [
      { fns: { f: { call: () => 1, parameters: [{ kind: "int" }] } } },
      "fns.f has a parameter without a name",
    ],
    [
      { fns: { f: { call: () => 1, parameters: [{ name: "a", kind: "x" }] } } },
      "fns.f: the kind of a is one of tensor, int, float, bool, text",
    ],
  ];
  for (const [exported, message] of wrong) assert.throws(() => Externs.of("fns.js", exported), { message });
});
