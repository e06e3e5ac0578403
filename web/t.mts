import { initSync, Strand } from "./pkg/strand_wasm.js";
import { readFileSync } from "node:fs";
initSync({ module: readFileSync("pkg/strand_wasm_bg.wasm") });
const s = new Strand();
const t = readFileSync(process.argv[2] ?? "src/examples/lining-up.strand", "utf8");
const c = s.check(t);
console.log(
  c.functions.map((f) => f.name + " " + f.hasError),
  c.cost,
  c.inlays,
);
for (const d of c.diagnostics) console.log(d.rendered, d.labels, d.fixes);
try {
  console.log(
    JSON.stringify(
      s.run(t, { sizes: {}, fill: "index", memoryLimit: 1e9 }, (e) =>
        console.log(JSON.stringify(e).slice(0, 300)),
      ),
    ),
  );
} catch (e) {
  console.log("threw", e);
}
console.log(s.torch(t).text);
