/** The main thread's tasks, from Chromium's own trace. */

/** What the page promises of every task while somebody types, a program runs or a value is shown. */
const PROMISED_MS = 50;

const inMilliseconds = (micros) => micros / 1000;

/**
 * Runs `act` and gives the tasks of the page's main thread meanwhile: how long the thread itself computed in each, and
 * how long each took by the clock, which on a busy machine is mostly waiting for a core.
 */
async function tasksOf(page, act) {
  const browser = page.context().browser();
  const mark = `tasks of ${Math.random()}`;
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
  await page.evaluate((name) => performance.mark(name), mark);
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const { pid, tid } = traceEvents.find(({ name }) => name === mark);
  return traceEvents
    .filter((event) => event.pid === pid && event.tid === tid && event.name.endsWith("RunTask"))
    .map(({ tdur, dur }) => ({ own: inMilliseconds(tdur ?? 0), wall: inMilliseconds(dur ?? 0) }));
}

/**
 * The longest computing of one task while `act` runs, said beside its wall time in the test's report. It is the thread's
 * own time that a test may assert: another program on the machine doesn't lengthen it.
 */
export async function longestTask(t, page, act) {
  const tasks = await tasksOf(page, act);
  const most = (key) => Math.max(...tasks.map((task) => task[key]));
  const over = tasks.filter(({ wall }) => wall > PROMISED_MS).length;
  t.diagnostic(
    `${tasks.length} tasks, the longest computed ${most("own").toFixed(1)} ms; by the clock ${over} took over ` +
      `${PROMISED_MS} ms, the longest ${most("wall").toFixed(0)} ms`,
  );
  return most("own");
}

/** Whether what `longestTask` gave keeps the promise. */
export function keepsThePromise(milliseconds) {
  return milliseconds > 0 && milliseconds <= PROMISED_MS;
}
