/** The main thread's tasks, from Chromium's own trace. */

/** What the page promises of every task while somebody types, a program runs or a value is shown. */
const PROMISED_MS = 50;

const inMilliseconds = (micros) => micros / 1000;

/** Runs `act` and gives the events of Chromium's trace meanwhile. */
export async function traced(page, act, categories = []) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing", ...categories] });
  await act();
  return JSON.parse((await browser.stopTracing()).toString()).traceEvents;
}

/**
 * The tasks of the thread that an event is of: when each began, how long the thread itself computed in it, and how long
 * it took by the clock, which on a busy machine is mostly waiting for a core.
 */
export function tasksOf(events, { pid, tid }) {
  return events
    .filter((event) => event.pid === pid && event.tid === tid && event.name.endsWith("RunTask"))
    .map(({ ts, tdur, dur }) => ({ ts, own: inMilliseconds(tdur ?? 0), wall: inMilliseconds(dur ?? 0) }));
}

/** Milliseconds that the page's main thread computes from one mark that `act` brings about to another. */
export async function computedBetween(page, act, from, to) {
  const events = await traced(page, act);
  const [begin, end] = [from, to].map((mark) => events.find(({ name }) => name === mark));
  // The task in which the first mark was made began before it.
  const tasks = tasksOf(events, begin).filter(({ ts, wall }) => ts <= end.ts && ts + wall * 1000 >= begin.ts);
  return tasks.reduce((sum, { own }) => sum + own, 0);
}

/**
 * The longest computing of one task while `act` runs, said beside its wall time in the test's report. It is the thread's
 * own time that a test may assert: another program on the machine doesn't lengthen it.
 */
export async function longestTask(t, page, act) {
  const start = `tasks of ${Math.random()}`;
  const events = await traced(page, async () => {
    await page.evaluate((mark) => performance.mark(mark), start);
    await act();
  });
  const tasks = tasksOf(
    events,
    events.find(({ name }) => name === start),
  );
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
