/** A worker with one engine. It answers `{ prepare: workload }` with samples and `{ run: times }` with milliseconds. */
let engine;

async function answer({ load, prepare, run }) {
  if (load !== undefined) {
    engine = await import(load);
    return engine.load();
  }
  if (prepare !== undefined) return engine.prepare(prepare);
  const start = performance.now();
  const done = engine.run(run);
  if (done instanceof Promise) await done;
  return performance.now() - start;
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ value: await answer(data) });
  } catch (error) {
    self.postMessage({ error: String(error?.message ?? error) });
  }
};
