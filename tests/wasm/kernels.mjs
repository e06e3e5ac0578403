/**
 * Random expressions by compiled loops and by the block kernels: the same results, to the bit.
 *
 *     node tests/wasm/kernels.mjs KERNELS_MODULE [FIRST_SEED [COUNT]]
 */
import { readFileSync } from "node:fs";
import { instantiate } from "../bench/host.mjs";

const [path, first = "1", count = "5000"] = process.argv.slice(2);
if (path === undefined) {
  console.error("usage: node tests/wasm/kernels.mjs KERNELS_MODULE [FIRST_SEED [COUNT]]");
  process.exit(2);
}

/** Of so many expressions at least a loop must have been compiled, or the comparison compares nothing. */
const LEAST_SHARE = 0.5;
/** Likewise, so many results must have taken an operand's memory. */
const LEAST_SPENT = 0.1;

/** The loops that an engine keeps, and the one that runs. */
const MOST_LOOPS = 257;

const { engine, host } = await instantiate(readFileSync(path));
const message = () =>
  new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.message(), engine.message_length()));

const found = { differ: 0, interpreted: 0, compiled: 0, failed: 0 };
const [from, number] = [Number(first), Number(count)];
for (let seed = from; seed < from + number; seed++) {
  const verdict = engine.check(seed);
  found[["differ", "interpreted", "compiled", "failed"][verdict + 1]] += 1;
  if (verdict < 0) console.log(`seed ${seed}: ${message()}`);
}
const { differ, interpreted, compiled, failed } = found;
console.log(
  `${compiled} compiled expressions, ${interpreted} interpreted ones, ${failed} errors: ${differ} differ; ` +
    `${host.compiled} loops, ${engine.spent()} results in an operand's memory`,
);
if (differ > 0) process.exitCode = 1;
engine.forget();
if (host.most > MOST_LOOPS || host.held !== 0) {
  console.error(`${host.most} loops were held at once; ${host.held} weren't given back with their engine`);
  process.exitCode = 1;
}
if (engine.spent() < LEAST_SPENT * number) {
  console.error("too few results took an operand's memory");
  process.exitCode = 1;
}
if (compiled < LEAST_SHARE * number) {
  console.error("too few expressions were compiled");
  process.exitCode = 1;
}
