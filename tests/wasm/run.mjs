/**
 * Every program of the suites in the engine that the page loads, against the native program: the same diagnostics,
 * chains, PyTorch text and values, to the bit.
 *
 *     node tests/wasm/run.mjs PACKAGE_FOLDER STRAND_PROGRAM [PART_OF_A_NAME]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { firstDifference } from "./compare.mjs";
import { loadEngine } from "./engine.mjs";
import { nativeVerdict } from "./native.mjs";
import { programsBelow } from "./suites.mjs";

const SUITES = fileURLToPath(new URL("../suite", import.meta.url));

const [packageFolder, strand, part = ""] = process.argv.slice(2);
if (strand === undefined) {
  console.error("usage: node tests/wasm/run.mjs PACKAGE_FOLDER STRAND_PROGRAM [PART_OF_A_NAME]");
  process.exit(2);
}

const programs = programsBelow(SUITES).filter(({ file, name }) => `${file} ${name}`.includes(part));
if (programs.length === 0) {
  console.error(`tests/suite has no program whose file and name contain "${part}"`);
  process.exit(1);
}

const natives = await nativeVerdicts(programs);
let engine = await loadEngine(packageFolder);
let failed = 0;
for (const [index, program] of programs.entries()) {
  const problem = await problemWith(program, natives[index]);
  if (problem === null) continue;
  failed += 1;
  console.log(`tests/suite/${program.file}:${program.line} ${program.name}\n    ${problem}`);
  console.log(
    `    rerun: node tests/wasm/run.mjs ${packageFolder} ${strand} ${JSON.stringify(program.name)}`,
  );
}
console.log(`${programs.length - failed} programs agree, ${failed} don't`);
process.exitCode = failed === 0 ? 0 : 1;

async function problemWith({ text }, native) {
  if (native instanceof Error) return native.message;
  let verdict;
  try {
    verdict = engine(text);
  } catch (error) {
    // Its memory can't be trusted any more.
    engine = await loadEngine(packageFolder);
    return `the engine threw ${error}`;
  }
  const difference = firstDifference(native, verdict);
  if (difference === null) return null;
  const { path, left, right } = difference;
  return `${path}: native ${JSON.stringify(left)}, engine ${JSON.stringify(right)}`;
}

/** One verdict or error per program; as many native programs at once as there are processors. */
async function nativeVerdicts(programs) {
  const folder = mkdtempSync(join(tmpdir(), "strand-suites-"));
  const verdicts = new Array(programs.length);
  let next = 0;
  const work = async () => {
    while (next < programs.length) {
      const index = next++;
      verdicts[index] = await nativeVerdict(strand, folder, index, programs[index].text).catch(
        (error) => error,
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  rmSync(folder, { recursive: true });
  return verdicts;
}
