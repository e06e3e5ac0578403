import assert from "node:assert/strict";
import { test } from "node:test";
import { isDtype, isFloat, isWhole, TORCH_DTYPES } from "../src/engine/dtypes";
import { dtypes } from "../src/generated/words";

test("the page knows the language's dtypes, and none besides", () => {
  const hosts = ["int", "float", "str", "py"];
  const known = dtypes.filter((name) => !hosts.includes(name));
  assert.deepEqual([...new Set(known)].sort(), Object.keys(TORCH_DTYPES).sort());
});

test("each dtype is a float, a whole number or bool", () => {
  for (const [name, torch] of Object.entries(TORCH_DTYPES)) {
    assert.ok(isDtype(name));
    assert.equal(isFloat(name), torch.includes("float"), name);
    assert.equal(isWhole(name), torch.includes("int"), name);
  }
  assert.ok(!isDtype("float") && !isDtype("toString") && !isDtype(undefined));
});
