import assert from "node:assert/strict";
/** The parts of the real Node process (server, ledger thread, tool pool) on a free port of this machine, called through sockets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createApp } from "#api/app.ts";
import { createToolCalls } from "#api/tool-calls.ts";
import { TOOLBOOTH } from "#brand.ts";
import type { AppContext } from "#calls/app-context.ts";
import { readConfig } from "#config/config.ts";
import { NODE_MEMORY } from "#limits.ts";
import { createSite } from "#site/site.ts";
import { apiOptionsOf } from "#site/site-context.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { TOOLS } from "#tools/registry.ts";
import { databaseFile, openDataFolder } from "../../src/apps/node/data-folder.ts";
import { createNodeLog } from "../../src/apps/node/log.ts";
import { createNodeMetrics } from "../../src/apps/node/metrics.ts";
import { createNodePlatform } from "../../src/apps/node/platform.ts";
import { version } from "../../src/apps/node/runtime.ts";
import { type NodeServerOptions, startNodeServer } from "../../src/apps/node/server.ts";
import { openToolPool } from "../../src/apps/node/tool-pool.ts";
import { BARE_SITE } from "./bare-site.ts";
import { patternedBytes, START } from "./fixed-context.ts";
import { inPieces } from "./in-process.ts";
import { createBackstage } from "./ledger-access.ts";
import {
  entriesOf,
  freeCallText,
  type Opened,
  type Opener,
  PUBLIC_URL,
  SECRETS,
  type Sent,
  type TestServiceSettings,
} from "./test-api.ts";

export const nodeSocket: Opener = {
  name: "through a Node socket",
  cannot: {},
  open: (settings) => openNodeSocket(settings),
};

export type OpenedNodeSocket = Opened & { port: number };

export async function openNodeSocket(
  settings: TestServiceSettings,
  {
    memory = NODE_MEMORY,
    ...options
  }: Partial<NodeServerOptions & Pick<AppContext, "memory">> = {},
): Promise<OpenedNodeSocket> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-socket-"));
  openDataFolder(folder).close();
  const thread = await openSqliteThread({ file: databaseFile(folder) });
  const pool = openToolPool(1, assert.ifError);
  const metrics = createNodeMetrics({
    ...{ ledger: thread.waiting, tools: pool.waiting },
    dashboard: () => null,
    reversals: async () => [],
    faults: () => new Map(),
    storage: { freeBytes: () => null, wal: () => null },
    database: null,
  });
  const config = readConfig({
    RATE_LIMIT: String(settings.rateLimit),
    ...freeCallText(settings),
  });
  const time = settings.fixed
    ? { now: () => START, elapsed: () => 0 }
    : { now: () => Date.now(), elapsed: () => performance.now() };
  const backstage = createBackstage(thread.ledger, time);
  const random = settings.fixed ? { random: patternedBytes } : {};
  const { rateLimit, freeCallCredits } = config;
  const log = createNodeLog("silent");
  const staged = backstage.parts(settings);
  const context = {
    ...createNodePlatform({ config, tools: TOOLS, pool, metrics, log, ...random }),
    settings: {
      ...TOOLBOOTH,
      publicUrl: PUBLIC_URL,
      secrets: SECRETS,
      rateLimit,
      freeCallCredits,
    },
    sales: () => ({ payable: false, contact: null }),
    ...staged,
    memory,
  };
  const site = { settings: apiOptionsOf(context, version), ...BARE_SITE };
  const app = createApp(createToolCalls(context), createSite(site));
  const at = { host: "127.0.0.1", port: 0 };
  const server = await startNodeServer(() => app, { ...at, ...options });
  return {
    port: server.port,
    fetch: (to, sent) => fetchOver(`http://127.0.0.1:${server.port}`, to, sent),
    perform: backstage.perform,
    async close() {
      await server.stop(25_000);
      await thread.close();
      await pool.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The request through Node's own client, which keeps its connections. */
export function fetchOver(base: string, to: string, sent: Sent): Promise<Response> {
  const { method = "GET", headers, body, chunked } = sent;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? null);
  const streamed = chunked && bytes !== null ? inPieces(bytes) : bytes;
  return fetch(base + to, {
    redirect: "manual",
    method,
    headers: entriesOf(headers),
    body: streamed as never,
    duplex: "half",
  } as RequestInit);
}
