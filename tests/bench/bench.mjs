/**
 * Times the engine in Chromium's worker, beside its peers there and native NumPy. `cargo xtask bench` builds what it
 * needs and names it in the environment. Prints one line a workload, with the ratio of the shortest times in brackets,
 * and a table as JSON to the file `--out`.
 */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launch } from "../browser/browser.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PEERS = { tfjs: "tfjs.mjs", "jax-js": "jax.mjs" };
/** Milliseconds that a batch takes at least, and that engines warm up. */
const BATCH = 20;
const WARM = 400;

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "9" },
    peers: { type: "string", default: "" },
    out: { type: "string" },
  },
});

const TYPES = { ".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves the harness, the engine and the peers' packages on the loopback address. */
async function serve() {
  const roots = {
    "/bench/": HERE,
    "/packages/": join(options.peers, "node_modules/"),
    "/bundles/": bundles(),
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://host").pathname;
    if (path === "/") return response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
    const root = Object.keys(roots).find((prefix) => path.startsWith(prefix));
    const inside = root === undefined ? "" : normalize(path.slice(root.length));
    const file = path === "/strand.wasm" ? process.env.STRAND_BENCH : join(roots[root] ?? HERE, inside);
    try {
      if (inside.includes("..")) throw new Error("outside");
      const body = readFileSync(file);
      response
        .writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" })
        .end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

function bundles() {
  return join(options.peers, "bundles/");
}

/** Each peer and its packages as one module. */
async function bundle() {
  const require = createRequire(join(options.peers, "package.json"));
  await require("esbuild").build({
    entryPoints: Object.values(PEERS).map((file) => join(HERE, file)),
    outdir: bundles(),
    bundle: true,
    format: "esm",
    nodePaths: [join(options.peers, "node_modules")],
    define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
    external: ["crypto", "util", "os", "fs", "path", "worker_threads", "perf_hooks", "node-fetch"],
    logLevel: "error",
  });
}

/** NumPy in a process of its own, asked line by line. */
async function native() {
  const threads = Object.fromEntries(["OMP", "OPENBLAS", "MKL"].map((name) => [`${name}_NUM_THREADS`, "1"]));
  const child = spawn(process.env.STRAND_PYTHON, [join(HERE, "native.py")], {
    env: { ...process.env, ...threads },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("NumPy's process ended");
    return JSON.parse(value).value;
  };
  const version = await next();
  const ask = (request) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return next();
  };
  return { name: `NumPy ${version}`, ask, close: () => child.stdin.end() };
}

/** An engine in a worker of the page. */
async function worker(page, name, module) {
  await page.evaluate((name) => {
    globalThis.workers ??= {};
    globalThis.workers[name] = new Worker("/bench/worker.mjs", { type: "module" });
  }, name);
  const ask = async (request) => {
    const { value, error } = await page.evaluate(
      ([name, request]) =>
        new Promise((resolve) => {
          const worker = globalThis.workers[name];
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => resolve({ error: message });
          worker.postMessage(request);
        }),
      [name, request],
    );
    if (error !== undefined) throw new Error(`${name}: ${error}`);
    return value;
  };
  await ask({ load: module });
  return { name, ask };
}

/** The largest error of the samples, relative to the value or to the root of the mean square, the larger of them. */
function errorOf(found, exact) {
  if (found.length !== exact.length) return Infinity;
  const typical = Math.sqrt(exact.reduce((sum, v) => sum + v * v, 0) / exact.length) || 1;
  const errors = exact.map((v, i) => Math.abs(found[i] - v) / Math.max(typical, Math.abs(v)));
  return errors.every((e) => e >= 0) ? Math.max(...errors) : Infinity;
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs that make a batch, once the engine is warm. */
async function calibrate(engine) {
  let [times, spent, all] = [1, 0, 0];
  while (all < WARM || spent < BATCH) {
    spent = await engine.ask({ run: times });
    all += spent;
    if (spent < BATCH)
      times = Math.ceil(times * Math.min(8, Math.max(2, (1.3 * BATCH) / Math.max(spent, 1))));
  }
  return times;
}

/** Milliseconds of one evaluation per engine, medians of rounds in which all take turns. */
async function measure(engines, workload, rounds) {
  const [numpy, ...others] = engines;
  const { exact } = await numpy.ask({ prepare: workload });
  const able = [numpy];
  const notes = [];
  for (const engine of others) {
    let found;
    try {
      found = await engine.ask({ prepare: workload });
    } catch (error) {
      notes.push(error.message);
      continue;
    }
    if (found === null) continue;
    const error = errorOf(found, exact);
    if (error <= (workload.tolerance ?? 1e-4)) able.push(engine);
    else notes.push(`${engine.name}: values are off by ${error}`);
  }
  const batches = new Map();
  for (const engine of able) batches.set(engine, await calibrate(engine));
  const spent = new Map(able.map((engine) => [engine, []]));
  for (let round = 0; round < rounds; round++) {
    for (const engine of able) {
      const times = batches.get(engine);
      spent.get(engine).push((await engine.ask({ run: times })) / times);
    }
  }
  const ratios = {};
  for (const engine of able.slice(1)) {
    ratios[engine.name] = median(spent.get(engine).map((time, round) => time / spent.get(numpy)[round]));
  }
  const least = (engine) => Math.min(...spent.get(engine));
  const floor = Object.fromEntries(able.map((engine) => [engine.name, least(engine) / least(numpy)]));
  const times = Object.fromEntries(able.map((engine) => [engine.name, median(spent.get(engine))]));
  return { times, ratios, floor, notes };
}

function digits(value) {
  return value === undefined ? "–" : value.toPrecision(2);
}

function report({ workload, times, ratios, floor, notes }) {
  const peers = Object.entries(ratios).filter(([name]) => name !== "strand");
  const best = peers.sort((a, b) => a[1] - b[1])[0];
  const own = ratios.strand;
  const verdict = own === undefined ? "failed" : own <= workload.mark ? "met" : "missed";
  const [numpy] = Object.values(times);
  const cells = [
    workload.name.padEnd(12),
    `numpy ${numpy.toPrecision(3)} ms`.padEnd(18),
    `strand ${digits(own)} (${digits(floor.strand)})`.padEnd(20),
    `best here ${best === undefined ? "–" : `${digits(best[1])} ${best[0]}`}`.padEnd(22),
    `mark ${workload.mark}`.padEnd(10),
    verdict,
    ...notes,
  ];
  console.log(cells.join("  "));
}

async function main() {
  const workloads = JSON.parse(readFileSync(join(HERE, "workloads.json"), "utf8"));
  const wanted = options.only.split(",");
  const chosen = workloads.filter(({ name }) => wanted.some((part) => name.includes(part)));
  const withPeers = options.peers !== "";
  if (withPeers) await bundle();
  const server = await serve();
  const browser = await launch();
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  await page.goto(server.url);
  const numpy = await native();
  const engines = [numpy, await worker(page, "strand", "/bench/strand.mjs")];
  for (const [name, file] of withPeers ? Object.entries(PEERS) : []) {
    engines.push(await worker(page, name, `/bundles/${file.replace(".mjs", ".js")}`));
  }
  const rows = [];
  for (const workload of chosen) {
    const row = { workload, ...(await measure(engines, workload, Number(options.rounds))) };
    rows.push(row);
    report(row);
  }
  const means = engines
    .slice(1)
    .map(({ name }) => {
      const found = rows.map(({ ratios }) => ratios[name]).filter((ratio) => ratio !== undefined);
      return [name, Math.exp(found.reduce((sum, r) => sum + Math.log(r), 0) / found.length), found.length];
    })
    .filter(([, , count]) => count > 0);
  for (const [name, mean, count] of means) {
    console.log(`geometric mean of ${name}: ${digits(mean)} over ${count} rows`);
  }
  const browserName = `Chromium ${browser.version()}`;
  if (options.out !== undefined)
    writeFileSync(options.out, JSON.stringify({ rows, means, numpy: numpy.name, browser: browserName }));
  await browser.close();
  numpy.close();
  server.close();
}

await main();
