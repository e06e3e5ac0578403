/**
 * How long a visitor waits, by a model that another program on the machine doesn't change: the bytes that must have
 * come over a line of a given speed, the round trips until the last of them is asked for, and the time that the page's
 * own threads computed meanwhile, as Chromium's trace has it, on a processor so many times slower. All of it is added
 * up, though on a real line much of it happens at the same time.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { DIST, eventually } from "./harness.mjs";
import { tasksOf, traced } from "./tasks.mjs";

/** The bytes of a file of the build as it is sent, by its address. */
function zippedSize(url) {
  return gzipSync(readFileSync(join(DIST, "assets", basename(new URL(url).pathname)))).length;
}

/** Opening the connection, before the first request: one round trip for TCP, one for TLS. */
const CONNECTING = 2;

const MARK = "strand:first-value";

/** What the page asks for once its first answer is there, and isn't waited for. */
const isLater = (url) => /strand-later/.test(url);

/** The requests of a page from now on, with what had to be there before each was made. */
async function watchRequests(page) {
  const session = await page.context().newCDPSession(page);
  const requests = new Map();
  session.on("Network.requestWillBeSent", ({ requestId, request, type, initiator }) => {
    const from = initiator.url ?? initiator.stack?.callFrames[0]?.url;
    requests.set(requestId, { url: request.url, type, from, kind: initiator.type, bytes: null });
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request !== undefined) request.bytes = encodedDataLength;
  });
  await session.send("Network.enable");
  // A file that several workers ask for comes once.
  return () => [...new Map([...requests.values()].map((request) => [request.url, request])).values()];
}

/** How many requests come one after another until this one is answered. */
function generation(request, requests) {
  if (request.type === "Document") return 1;
  // A worker is the scripts' to start, though the browser says that it is the page's.
  const asks = ({ url, type, kind }) =>
    request.kind === "other" ? type === "Script" && kind !== "other" : url === request.from;
  const before = requests.filter((other) => other !== request && asks(other));
  return 1 + Math.max(0, ...before.map((other) => generation(other, requests)));
}

function lineOf(requests) {
  return {
    // The browser doesn't say how much of a worker's script came.
    bytes: requests.reduce((sum, { url, bytes }) => sum + (bytes ?? zippedSize(url)), 0),
    roundTrips: CONNECTING + Math.max(...requests.map((request) => generation(request, requests))),
  };
}

/** Milliseconds that a thread computed in tasks that began between two times of the trace. */
function computed(events, thread, from, to) {
  const tasks = tasksOf(events, thread).filter(({ ts }) => ts >= from && ts < to);
  return tasks.reduce((sum, { own }) => sum + own, 0);
}

/** What a page computed until its first paint and until its first live value, from its trace and its own marks. */
function computing(events, { painted, live }) {
  const mark = events.find(({ name }) => name === MARK);
  const at = (milliseconds) => mark.ts - (live - milliseconds) * 1000;
  const workers = events.filter(
    ({ name, pid, args }) =>
      name === "thread_name" && pid === mark.pid && args.name.startsWith("DedicatedWorker"),
  );
  return {
    untilPainted: computed(events, mark, at(0), at(painted)),
    untilLive: [mark, ...workers]
      .map((thread) => computed(events, thread, at(0), at(live)))
      .reduce((sum, milliseconds) => sum + milliseconds, 0),
  };
}

/** When the page was first painted and first had a live value, and which of its files the first paint waited for. */
function marksOf(page) {
  return page.evaluate((mark) => {
    const time = (name) => performance.getEntriesByName(name)[0]?.startTime;
    const blocks = ({ renderBlockingStatus }) => renderBlockingStatus === "blocking";
    return {
      painted: time("first-contentful-paint"),
      live: time(mark),
      blocking: performance
        .getEntriesByType("resource")
        .filter(blocks)
        .map(({ name }) => name),
      page: performance.getEntriesByType("navigation")[0].name,
    };
  }, MARK);
}

/** Opens the page by `go`, and gives what its first paint and its first live value took of line and processor. */
export async function waitFor(page, go) {
  const requested = await watchRequests(page);
  let seen;
  const events = await traced(page, async () => {
    await go();
    seen = await eventually(
      () => marksOf(page),
      ({ live }) => live !== undefined,
      "the first value",
      {
        limit: 60_000,
      },
    );
  }, ["__metadata"]);
  const requests = requested();
  assert.ok(seen.painted < seen.live, "the picture comes first");
  const first = requests.filter(({ url }) => url === seen.page || seen.blocking.includes(url));
  const needed = requests.filter(({ url }) => url.startsWith("http") && !isLater(url));
  const computes = computing(events, seen);
  return {
    painted: { ...lineOf(first), computed: computes.untilPainted, wall: seen.painted },
    live: { ...lineOf(needed), computed: computes.untilLive, wall: seen.live },
  };
}

/** Milliseconds by the model: `bits` a second, `latency` for a round trip, a processor `slower` times. */
export function modelled({ bytes, roundTrips, computed }, { bits, latency, slower }) {
  return ((bytes * 8) / bits) * 1000 + roundTrips * latency + slower * computed;
}

export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
