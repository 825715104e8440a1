import { parentPort, workerData } from "node:worker_threads";
import { startOfDay } from "#accounts/starter-claim.ts";
import { countJobs } from "#jobs/job-queue.ts";
import { createDashboard } from "#service/dashboard.ts";
import type { FromDashboard, ThreadData, ToDashboard } from "./dashboard.ts";
import { createDashboardPlatform } from "./dashboard-platform.ts";
import { openDashboardStores } from "./dashboard-store.ts";
import { isForOperator } from "./operator-server.ts";

/** The dashboard thread: it looks up sessions, serves the dashboard and sends emails, so that no call waits for any of these. */
if (parentPort === null) throw new Error("This file must be started as a worker thread");
const port = parentPort;
const say = (message: FromDashboard) => port.postMessage(message);
const { config, connection, tools } = workerData as ThreadData;
const platform = createDashboardPlatform(say, "file" in connection, tools);
const { stores, requests, countHolds, close } = openDashboardStores(connection, {
  config,
  ...platform,
});
const dashboard = createDashboard({ config, stores, platform });

/** Reports the counts of jobs, sign-ups and holds to the main thread, which serves `/metrics`. */
const COUNT_EVERY_MS = 15_000;
async function reportCounts(): Promise<void> {
  const { jobs, directory, emailQueue } = stores;
  const { now, dropped, logError } = platform;
  try {
    const [counted, starters, requested, holds] = await Promise.all([
      countJobs(jobs, ["email", "outbox", "webhook"]),
      directory.countStarters({ since: startOfDay(now()) }),
      emailQueue.countRequested({ now: now() }),
      countHolds(),
    ]);
    const signUps = { starters, requested, dropped };
    say({ kind: "counts", counts: { jobs: counted, signUps, holds } });
  } catch (cause) {
    logError("Counting jobs failed", { cause });
  }
}
const counting = setInterval(() => void reportCounts(), COUNT_EVERY_MS);
void reportCounts();

port.on("message", (message: ToDashboard) => {
  if (message.kind === "request") {
    respond(message).catch((cause) => fail(message.id, cause));
  } else if (message.kind === "requests") {
    const { id, chunks } = message;
    void requests.append(chunks).then((outcome) => say({ kind: "handed", id, outcome }));
  } else void stop();
});
say({ kind: "ready" });

/** Catches every error: an error that ended the thread would end all other requests too. */
async function respond(message: ToDashboard & { kind: "request" }): Promise<void> {
  const { id, peer, isLocal } = message;
  const request = readRequest(message);
  const response = isForOperator(new URL(request.url).pathname)
    ? await dashboard.operator.fetch(request, { address: peer, isLocal })
    : await dashboard.fetch(request, peer);
  const names = [...response.headers].filter(([name]) => name !== "set-cookie");
  const cookies = response.headers.getSetCookie().map((text) => ["set-cookie", text] as const);
  const head = { id, status: response.status, headers: [...names, ...cookies] };
  if (response.headers.has("content-disposition") && response.body !== null) {
    const { body } = response;
    port.postMessage({ kind: "response", ...head, body } satisfies FromDashboard, [body]);
    return;
  }
  const body = new Uint8Array(await response.arrayBuffer());
  say({ kind: "response", ...head, body });
}

/** Some HTTP requests cannot be a `Request`: GET with a body, and TRACE. */
function readRequest({ method, url, headers, body }: ToDashboard & { kind: "request" }): Request {
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, {
    method: /^(?:CONNECT|TRACE|TRACK)$/i.test(method) ? "OPTIONS" : method,
    headers,
    body: hasBody ? (body as Uint8Array<ArrayBuffer> | null) : null,
  });
}

function fail(id: number, cause: unknown): void {
  platform.logError("Dashboard request failed", { cause });
  say({ kind: "response", id, status: 500, headers: [], body: new Uint8Array() });
}

async function stop(): Promise<void> {
  clearInterval(counting);
  dashboard.stopDownloads();
  await Promise.all([platform.idle(), dashboard.close()]);
  await close();
  port.close();
}
