/**
 * What a visitor's first moments ask of the engine: the page's first program with its values, its wrong edit, what a
 * word of it is, its PyTorch text. Which functions that enters is written as JSON: they make the engine's first part.
 * What isn't here works too, as soon as the later part is there.
 *
 * node tour.mjs FOLDER-OF-THE-GLUE WATCHED-MODULE PROGRAM.md > entered.json
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [glueFolder, modulePath, pagePath] = process.argv.slice(2);

const entered = new Set();
const Instance = WebAssembly.Instance;
WebAssembly.Instance = function (module, imports) {
  return new Instance(module, { ...imports, watch: { entered: (number) => entered.add(number) } });
};

let workers = 0;

/** An engine with a memory of its own, as each worker has one. */
async function worker() {
  const glue = pathToFileURL(join(glueFolder, "strand_wasm.js"));
  glue.search = `worker=${workers++}`;
  const { initSync, Strand, version } = await import(glue.href);
  initSync({ module: readFileSync(modulePath) });
  version();
  return new Strand();
}

const options = { sizes: {}, fill: "index", memoryLimit: 2 ** 30, inspect: false };

function look(checker, text) {
  checker.check(text);
  checker.cost(text, {});
}

function run(runner, text) {
  const shown = [];
  runner.run(text, options, (event) => {
    if (event.kind === "value") shown.push(event.value);
    if (event.kind === "call") shown.push(...event.call.arguments, ...[event.call.result].filter(Boolean));
  });
  for (const { id, host, shape } of shown) {
    if (host === null)
      runner.view(
        id,
        Uint32Array.from(shape.slice(0, -2), () => 0),
        0,
        24,
        0,
        24,
      );
  }
}

/** A gallery page's program, and the one that its edit makes of it. */
function programs(path) {
  const page = readFileSync(path, "utf8");
  const [, text] = /```strand[^\n]*\n([^]*?\n)```/.exec(page);
  const [, edit] = /```edit[^\n]*\n([^]*?)```/.exec(page);
  const lines = (mark) =>
    edit
      .split("\n")
      .filter((line) => line.startsWith(mark))
      .map((line) => line.slice(2));
  const edited = text.replace(lines("-").join("\n"), () => lines("+").join("\n"));
  if (edited === text) throw new Error(`the edit of ${path} changes nothing`);
  return { text, edited };
}

const { text, edited } = programs(pagePath);

const checker = await worker();
look(checker, text);
look(checker, edited);
for (const { index } of text.matchAll(/\w+(?=\[)/g)) checker.hover(text, index);
checker.torch(text);
// Memory that was given back and is taken again goes other ways.
for (let time = 0; time < 8; time++) {
  look(checker, text);
  look(checker, edited);
}
const runner = await worker();
for (let time = 0; time < 8; time++) run(runner, text);

process.stdout.write(JSON.stringify([...entered].sort((a, b) => a - b)));
