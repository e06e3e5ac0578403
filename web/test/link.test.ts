import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { checksum } from "../src/share/checksum.ts";
import { decodeLink, encodeLink, LINK_LIMIT, LinkTooLong, type Shared } from "../src/share/link.ts";

/** Links as they were once given away, with what each must open to for ever. New ones are added, none is changed. */
const RECORDED = join(import.meta.dirname, "../../tests/links");

interface Recorded {
  fragment: string;
  shared: Shared;
}

const recorded = readdirSync(RECORDED)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => ({ name, ...(JSON.parse(readFileSync(join(RECORDED, name), "utf8")) as Recorded) }));

test("there are recorded links", () => {
  assert.ok(recorded.length >= 3);
});

for (const { name, fragment, shared } of recorded) {
  test(`the recorded link ${name} opens to what it held`, async () => {
    assert.deepEqual(await decodeLink(`#${fragment}`), { kind: "shared", shared });
    assert.deepEqual(await decodeLink(fragment), { kind: "shared", shared });
  });

  test(`no damage to ${name} gives another text`, async () => {
    const damaged = new Set<string>();
    for (let at = 0; at < fragment.length; at++) {
      damaged.add(fragment.slice(0, at) + fragment.slice(at + 1));
      damaged.add(fragment.slice(0, at));
      for (const other of ["A", "b", "0", "-", "&", "=", "%"]) {
        damaged.add(fragment.slice(0, at) + other + fragment.slice(at + 1));
      }
    }
    damaged.delete(fragment);
    for (const link of damaged) {
      const decoded = await decodeLink(`#${link}`);
      if (link === "") assert.equal(decoded.kind, "none");
      else assert.equal(decoded.kind, "damaged", link);
    }
  });
}

function program(text: string): Shared {
  return { text, languageVersion: "0.1", sizes: {}, tab: "result", selection: { from: 0, to: 0 } };
}

test("a link gives back exactly what was shared", async () => {
  const all: Shared[] = [
    program(""),
    program("dim D = 3\r\n\ttabs and carriage returns\r"),
    program("# 👩‍👩‍👧 emoji, \u0000 a zero, \uFEFF a mark, e\u0301\n"),
    program("x".repeat(200_000)),
    {
      text: "fn f(x: [длина D]) -> [] = sum(x)\n",
      languageVersion: "1.2-beta+3",
      sizes: { длина: 12, D: 1_000_000, n_1: 1 },
      tab: "torch",
      selection: { from: 9, to: 3 },
    },
  ];
  for (const shared of all) {
    const fragment = await encodeLink(shared);
    assert.match(fragment, /^[A-Za-z0-9._~%&=-]*$/);
    assert.deepEqual(await decodeLink(`#${fragment}`), { kind: "shared", shared });
  }
});

test("a link that programs would cut off is refused", async () => {
  let state = 1;
  const noise = Array.from({ length: 30_000 }, () => {
    state = (state * 48271) % 2147483647;
    return String.fromCharCode(33 + (state % 90));
  }).join("");
  await assert.rejects(encodeLink(program(noise)), LinkTooLong);
  const address = "https://example.org/strand/";
  const half = noise.slice(0, 20_000);
  assert.ok(address.length + (await encodeLink(program(half), address)).length < LINK_LIMIT);
});

function signedLink(fields: Record<string, string>): string {
  const signed = ["v", "l", "s", "t", "sel", "p"].map((name) => `${name}=${fields[name] ?? ""}`);
  const sum = checksum(signed.join("&"));
  return [...signed.slice(0, 5), `c=${sum}`, ...signed.slice(5)].join("&");
}

const good = {
  v: "1",
  l: "0.1",
  s: "n-5",
  t: "result",
  sel: "0-0",
  p: deflateRawSync("dim D = 3\n").toString("base64url"),
};

test("fields that say something impossible are refused, also with a right checksum", async () => {
  assert.equal((await decodeLink(signedLink(good))).kind, "shared");
  const bad: Partial<typeof good>[] = [
    { s: "n-0" },
    { s: "n-x" },
    { s: "n5" },
    { s: "%E0%A4%A-3" },
    { t: "memory" },
    { sel: "0" },
    { sel: "0-999" },
    { p: "!!!" },
    { p: "AAAA" },
    { p: deflateRawSync(Buffer.from([0xff, 0xfe, 0x41])).toString("base64url") },
    { l: "%" },
  ];
  for (const change of bad) {
    const link = signedLink({ ...good, ...change });
    assert.deepEqual(await decodeLink(link), { kind: "damaged", reason: "form" }, link);
  }
});

test("a link that unpacks to more than 256 KB is refused within 100 ms", async () => {
  const p = deflateRawSync(Buffer.alloc(16 * 1024 * 1024, 32)).toString("base64url");
  const times = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const start = performance.now();
    assert.deepEqual(await decodeLink(signedLink({ ...good, p })), { kind: "damaged", reason: "too-large" });
    times.push(performance.now() - start);
  }
  // The best of five: another program may have the processor meanwhile.
  assert.ok(Math.min(...times) < 100, `${times.join(", ")} ms`);
});

test("a newer form says so, and other fragments are no links of ours", async () => {
  assert.deepEqual(await decodeLink("#v=2&anything"), { kind: "damaged", reason: "newer" });
  assert.deepEqual(await decodeLink("#section"), { kind: "damaged", reason: "form" });
  assert.deepEqual(await decodeLink(""), { kind: "none" });
  assert.deepEqual(await decodeLink("#"), { kind: "none" });
  assert.deepEqual(await decodeLink(`#${"x".repeat(LINK_LIMIT + 1)}`), {
    kind: "damaged",
    reason: "too-large",
  });
});
