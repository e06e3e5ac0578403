import { initSync, Strand } from "./pkg/strand_wasm.js";
import { readFileSync } from "node:fs";
initSync({ module: readFileSync("pkg/strand_wasm_bg.wasm") });
const s = new Strand();
const t = readFileSync("/tmp/b.strand", "utf8");
for (const D of [100, 300, 1000]) {
  const t0 = performance.now();
  const ts: number[] = [];
  s.run(t, { sizes: { D }, fill: "index", memoryLimit: 1e9 }, (e) => {
    ts.push(performance.now() - t0);
  });
  console.log(D, ts, performance.now() - t0, process.cpuUsage());
  const t1 = performance.now();
  s.view(1, [0], 0, 3, 0, 3);
  console.log("view", performance.now() - t1);
  const t2 = performance.now();
  s.npy(1);
  console.log("npy", performance.now() - t2);
}
