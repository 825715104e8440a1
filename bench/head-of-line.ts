import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type LoadResult, makeRequest, runFlatOut, runPaced } from "./load.ts";
import { reconcile, showReconciliation } from "./reconcile.ts";
import { percentile, type Spread, showSpread, showTable, spreadOf } from "./report.ts";
import { makeDataDir, startOwnServer } from "./servers.ts";
import { requireSuccess } from "./throughput.ts";

/** Measures how long a small call waits while large documents are rendered without a pause, compared with an idle server. */
export type HeadOfLineOptions = {
  rounds: number;
  idleSeconds: number;
  busySeconds: number;
  logLevel: string;
};

export type HeadOfLineReport = {
  idle: { p50Ms: Spread; p99Ms: Spread };
  busy: { p50Ms: Spread; p99Ms: Spread };
  p99Ratio: Spread;
  documents: number;
  documentBytes: number;
  documentMs: number;
  text: string;
};

const DOCUMENT_BYTES = 1_000_000;
const DOCUMENT_CONNECTIONS = 2;
const SMALL_CONNECTIONS = 8;
/** Far below the server's capacity, so that the small calls do not queue behind each other. */
const SMALL_PER_SECOND = 200;
/** The large documents start before the small calls and end after them. */
const HEAD_START_MS = 400;

export async function measureHeadOfLine(options: HeadOfLineOptions): Promise<HeadOfLineReport> {
  const { dataDir, remove } = makeDataDir();
  const server = await startOwnServer(dataDir, options.logLevel).catch((error) => {
    remove();
    throw error;
  });
  const small = [makeRequest("/api/v1/hash", '{"text":"hello"}', server.key)];
  const markdown = realText(DOCUMENT_BYTES);
  const large = [makeRequest("/api/v1/markdown-render", JSON.stringify({ markdown }), server.key)];
  let responded = 0;
  const checked = async (load: Promise<LoadResult>) => {
    const result = await load;
    requireSuccess(server, result);
    responded += result.responses;
    return result;
  };
  const callSmall = (durationMs: number) =>
    checked(
      runPaced({
        port: server.port,
        requests: small,
        connections: SMALL_CONNECTIONS,
        perSecond: SMALL_PER_SECOND,
        durationMs,
      }),
    );
  const render = (durationMs: number) =>
    checked(
      runFlatOut({
        port: server.port,
        requests: large,
        connections: DOCUMENT_CONNECTIONS,
        durationMs,
      }),
    );

  const rounds: { idle: LoadResult; busy: LoadResult; documents: LoadResult }[] = [];
  try {
    await callSmall(1_000);
    await render(1_000);
    for (let number = 0; number < options.rounds; number += 1) {
      const idle = await callSmall(options.idleSeconds * 1000);
      const rendering = render(options.busySeconds * 1000 + 2 * HEAD_START_MS);
      await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS));
      const [busy, documents] = await Promise.all([
        callSmall(options.busySeconds * 1000),
        rendering,
      ]);
      rounds.push({ idle, busy, documents });
    }
    await server.stop("SIGKILL");
    const totals = await reconcile(dataDir, responded);
    const report = summarise(rounds, Buffer.byteLength(markdown), options);
    const text = `${report.text}\n${showReconciliation(totals)}`;
    if (!totals.ok) throw new Error(`${text}\n\nThe ledger does not match the responses`);
    return { ...report, text };
  } finally {
    await server.stop();
    remove();
  }
}

function summarise(
  rounds: { idle: LoadResult; busy: LoadResult; documents: LoadResult }[],
  documentBytes: number,
  options: HeadOfLineOptions,
): HeadOfLineReport {
  const spread = (which: "idle" | "busy", percent: number) =>
    spreadOf(rounds.map((one) => percentile(one[which].latencies, percent)));
  const idle = { p50Ms: spread("idle", 50), p99Ms: spread("idle", 99) };
  const busy = { p50Ms: spread("busy", 50), p99Ms: spread("busy", 99) };
  const p99Ratio = spreadOf(
    rounds.map((one) => percentile(one.busy.latencies, 99) / percentile(one.idle.latencies, 99)),
  );
  const documents = rounds.reduce((sum, one) => sum + one.documents.responses, 0);
  const documentMs = spreadOf(rounds.map((one) => percentile(one.documents.latencies, 50))).median;
  const text = [
    `Head of line: ${SMALL_PER_SECOND} small calls (hash) per second on ${SMALL_CONNECTIONS} connections, ${options.rounds} rounds; ms, median of rounds (min–max)`,
    showTable(
      ["small calls", "p50", "p99"],
      [
        ["while idle", showSpread(idle.p50Ms, 2), showSpread(idle.p99Ms, 2)],
        ["while documents render", showSpread(busy.p50Ms, 2), showSpread(busy.p99Ms, 2)],
      ],
    ),
    `p99 ratio ${showSpread(p99Ratio, 2)}. ${documents} documents of ${documentBytes} bytes were rendered in a median of ${documentMs.toFixed(0)} ms, ${DOCUMENT_CONNECTIONS} at a time.`,
  ].join("\n");
  return { idle, busy, p99Ratio, documents, documentBytes, documentMs, text };
}

/** Real Markdown: the README files of the installed packages in the order of their paths, repeated if they are too short. */
export function realText(bytes: number): string {
  const folder = path.join(import.meta.dirname, "..", "node_modules");
  const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?:^|[\\/])readme\.md$/i.test(name))
    .sort()
    .map((name) => readFileSync(path.join(folder, name), "utf8"));
  if (texts.length === 0)
    throw new Error("No README.md was found in node_modules; run npm ci first");
  const once = texts.join("\n\n");
  const size = Buffer.byteLength(once);
  const all = Buffer.from(once.repeat(Math.ceil(bytes / size)));
  // Removes a character that the cut has split.
  return all.subarray(0, bytes).toString("utf8").replace(/�+$/, "");
}
