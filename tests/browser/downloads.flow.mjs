/** Values as files: what the page saves is what NumPy would have saved. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { eventually, expectClean, setText, setUp } from "./harness.mjs";

const flow = setUp();

/** A value of each dtype, with NumPy's name of the dtype and its elements as `numpy.save` writes them. */
const SAVED = [
  ["[[1, 0], [0, 1]] to bool", "|b1", "01000001"],
  ["[[1, 2], [3, 200]] to u8", "|u1", "010203c8"],
  ["[[1, -2], [3, 100]] to i8", "|i1", "01fe0364"],
  ["[[1, -2], [3, 1000]] to i16", "<i2", "0100feff0300e803"],
  ["[[1, -2], [3, 100000]] to i32", "<i4", "01000000feffffff03000000a0860100"],
  [
    "[[1, -2], [3, 100000]] to i64",
    "<i8",
    "0100000000000000feffffffffffffff0300000000000000a086010000000000",
  ],
  ["[[1.0, -2.5], [3.0, 0.1]] to f16", "<f2", "003c00c10042662e"],
  // NumPy has no bf16: PyTorch's `.float()` is what is saved.
  ["[[1.0, -2.5], [3.0, 0.1]] to bf16", "<f4", "0000803f000020c0000040400000cd3d"],
  ["[[1.0, -2.5], [3.0, 0.1]] to f32", "<f4", "0000803f000020c000004040cdcccc3d"],
  [
    "[[1.0, -2.5], [3.0, 0.1]] to f64",
    "<f8",
    "000000000000f03f00000000000004c00000000000000840000000a09999b93f",
  ],
];

async function saved(page, name) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: `Download .npy: ${name}`, exact: true }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), `${name}.npy`);
  const bytes = await readFile(await file.path());
  assert.equal(bytes.subarray(0, 8).toString("latin1"), "\x93NUMPY\x01\x00");
  const end = 10 + bytes.readUInt16LE(8);
  assert.equal(end % 64, 0);
  return {
    head: bytes.subarray(10, end).toString("latin1").trim(),
    data: bytes.subarray(end).toString("hex"),
  };
}

test("a value of every dtype is saved as NumPy saves it", async () => {
  const { visitor, page } = await flow.opened();
  const lines = SAVED.map(([written], at) => `v${at} = ${written}\nv${at}`);
  await setText(page, `${lines.join("\n")}\n`);
  await expectClean(page);
  for (const [at, [written, descr, data]] of SAVED.entries()) {
    const head = `{'descr': '${descr}', 'fortran_order': False, 'shape': (2, 2), }`;
    await eventually(() => saved(page, `v${at}`), { head, data }, written);
  }
  await visitor.done();
});

test("a transposed value is saved in the order that is seen", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "a = [[1, 2, 3], [4, 5, 6]] to u8\nb = a |> transpose\nb\n");
  await expectClean(page);
  const head = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }";
  await eventually(() => saved(page, "b"), { head, data: "010402050306" });
  await visitor.done();
});
