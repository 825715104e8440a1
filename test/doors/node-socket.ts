import assert from "node:assert/strict";
/** The second door: the parts of the real process (server, ledger thread, tool pool) on a free port of this machine, called through sockets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readConfig } from "#config.ts";
import { createApp } from "#http/app.ts";
import { createSite } from "#http/pages/site.ts";
import { apiOptionsOf } from "#http/pages/site-context.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { databaseFile, openDataFolder } from "../../src/entry/data-folder.ts";
import { createNodeHouse, version } from "../../src/entry/node-house.ts";
import { createNodeLog } from "../../src/entry/node-log.ts";
import { createNodeMetrics } from "../../src/entry/node-metrics.ts";
import { type NodeServerOptions, startNodeServer } from "../../src/entry/node-server.ts";
import { openToolPool } from "../../src/entry/node-tool-pool.ts";
import { createBackstage } from "./backstage.ts";
import {
  type DoorSettings,
  entriesOf,
  freeCallText,
  type Opened,
  type Opener,
  PUBLIC_URL,
  SECRETS,
  type Sent,
} from "./door.ts";
import { patternedBytes, START } from "./fixed-supply.ts";
import { inPieces } from "./in-process.ts";

export const nodeSocket: Opener = {
  name: "through a Node socket",
  cannot: {},
  open: (settings) => openNodeSocket(settings),
};

export type OpenedNodeSocket = Opened & { port: number };

export async function openNodeSocket(
  settings: DoorSettings,
  timeouts: Pick<NodeServerOptions, "headersTimeoutMs" | "requestTimeoutMs"> = {},
): Promise<OpenedNodeSocket> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-door-"));
  openDataFolder(folder).close();
  const thread = await openSqliteThread({ file: databaseFile(folder) });
  const pool = openToolPool(1, assert.ifError);
  const metrics = createNodeMetrics({
    ...{ ledger: thread.waiting, tools: pool.waiting },
    jobs: async () => [],
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
  const parts = { config, publicUrl: PUBLIC_URL, secrets: SECRETS, pool, metrics };
  const log = createNodeLog("silent");
  const { reverseLater } = backstage.parts(settings);
  const context = {
    ...createNodeHouse({ ...parts, ...random, log, ledger: thread.ledger, reverseLater }),
    ...backstage.parts(settings),
  };
  const site = { settings: apiOptionsOf(context, version), people: null, pages: null };
  const server = await startNodeServer(() => createApp(context, createSite(site)), {
    host: "127.0.0.1",
    port: 0,
    ...timeouts,
  });
  return {
    port: server.port,
    fetch: (to, sent) => fetchOver(`http://127.0.0.1:${server.port}`, to, sent),
    perform: backstage.perform,
    async close() {
      await server.stop();
      await thread.close();
      await pool.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The request through Node's own client, which keeps its connections. */
export function fetchOver(base: string, to: string, sent: Sent): Promise<Response> {
  const { method = "GET", headers, body, chunked, signal } = sent;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? null);
  const streamed = chunked && bytes !== null ? inPieces(bytes) : bytes;
  return fetch(base + to, {
    method,
    headers: entriesOf(headers),
    body: streamed as never,
    duplex: "half",
    signal,
  } as RequestInit);
}
