/** The app in this process, with the memory ledger, a clock of its own and random bytes that are the same in every run. */

import type { TestContext } from "node:test";
import { type App, createApp } from "#api/app.ts";
import { createToolCalls } from "#api/tool-calls.ts";
import { TOOLBOOTH } from "#brand.ts";
import type { AppContext } from "#calls/app-context.ts";
import { runTool, type Sources } from "#calls/run-tool.ts";
import { FREE_CALL_CREDITS_DEFAULT, NODE_MEMORY } from "#limits.ts";
import type { DocsSources } from "#site/docs/navigation.ts";
import { createSite } from "#site/site.ts";
import { apiOptionsOf } from "#site/site-context.ts";
import { TOOLS } from "#tools/registry.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";
import { fixedToolContext } from "../support/tool-context.ts";
import { BARE_SITE } from "./bare-site.ts";
import { START } from "./fixed-context.ts";
import { type Backstage, createBackstage } from "./ledger-access.ts";
import {
  entriesOf,
  type Opened,
  type Opener,
  openService,
  PUBLIC_URL,
  SECRETS,
  type Sent,
  sha256,
  type TestService,
  type TestServiceSettings,
} from "./test-api.ts";

export const inProcess: Opener = {
  name: "in process",
  cannot: { compress: "this app leaves compression to its runtime" },
  open: async (settings) => openMemory(settings),
};

export function openMemory(
  settings: TestServiceSettings,
  changes: Changes = {},
  ledger = createMemoryLedger(),
) {
  // The clock stands still but for `advance`, so that what depends on it is exact.
  const time = { now: () => START, elapsed: () => 0 };
  return openInProcess(createBackstage(ledger, time), settings, changes);
}

export const OUT_OF_THE_WAY: TestServiceSettings = { rateLimit: 100_000, fixed: true };

/** A service in this process that differs from the others, until the test ends. */
export async function openChanged(
  t: Pick<TestContext, "after">,
  changes: Changes = {},
  settings = OUT_OF_THE_WAY,
  open = openMemory,
): Promise<TestService> {
  const opener = { ...inProcess, open: async () => open(settings, changes) };
  const service = await openService(opener, settings);
  t.after(service.close);
  return service;
}

/** What differs from the app as tests have it. */
export type Changes = Partial<AppContext & Sources & { docs: DocsSources }>;

/** The app in this process over whichever ledger the backstage has. */
export function openInProcess(
  backstage: Backstage,
  settings: TestServiceSettings,
  { random, digest, docs, own, ...changes }: Changes = {},
): Opened & { app: App } {
  const toolContext = fixedToolContext();
  const sources = { random: random ?? toolContext.random, digest: digest ?? toolContext.digest };
  const { rateLimit, freeCallCredits = FREE_CALL_CREDITS_DEFAULT } = settings;
  const context: AppContext = {
    ...backstage.parts(settings),
    settings: { ...TOOLBOOTH, publicUrl: PUBLIC_URL, secrets: SECRETS, rateLimit, freeCallCredits },
    tools: TOOLS,
    random: sources.random,
    runTool: (tool, job, _, steps) => runTool(tool, job, { ...sources, begin: steps?.begin, own }),
    whenSent: null,
    hasLeft: null,
    sendStream: (pieces) => pieces,
    hashKey: sha256,
    compress: null,
    metrics: null,
    waitUntil: null,
    sales: () => ({ payable: false, contact: null }),
    memory: NODE_MEMORY,
    uploads: null,
    bodyTimeoutMs: null,
    clientAddress: () => "127.0.0.1",
    record: null,
    ...changes,
  };
  const app = createApp(
    createToolCalls(context),
    createSite({
      settings: apiOptionsOf(context, "0.0.0"),
      ...BARE_SITE,
      docs: () => docs ?? null,
    }),
  );
  return {
    app,
    fetch: async (path, sent) => app.fetch(asTransported(path, sent)),
    perform: backstage.perform,
    close: async () => {},
  };
}

/** A request as a server would have read it off a connection. */
function asTransported(path: string, { method = "GET", headers, body, chunked }: Sent): Request {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? null);
  const all = new Headers(entriesOf(headers));
  if (!chunked && method !== "GET" && method !== "HEAD")
    all.set("content-length", String(bytes?.byteLength ?? 0));
  const stream = bytes === null ? null : inPieces(bytes);
  return new Request(`http://127.0.0.1${path}`, {
    method,
    headers: all,
    body: stream,
    duplex: "half",
  } as RequestInit);
}

export function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) return controller.close();
      controller.enqueue(bytes.slice(at, at + 65_536));
      at += 65_536;
    },
  });
}
