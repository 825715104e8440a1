/** The first door: the app is called in this process, with the memory ledger, a clock of its own and random bytes that are the same in every run. */
import { type App, createApp } from "#http/app.ts";
import type { House } from "#http/house.ts";
import { createSite } from "#http/pages/site.ts";
import { NODE_ROOM } from "#limits.ts";
import { createMemoryLedger } from "#stores/memory/memory.ts";
import { fixedSupply } from "../supply.ts";
import { type Backstage, createBackstage } from "./backstage.ts";
import {
  type DoorSettings,
  entriesOf,
  type Opened,
  type Opener,
  PUBLIC_URL,
  SECRETS,
  type Sent,
  sha256,
} from "./door.ts";
import { START } from "./fixed-supply.ts";

export const inProcess: Opener = {
  name: "in process",
  cannot: {
    compress: "this house leaves compression to its runtime",
    client: "there is no connection that a client could close",
  },
  async open(settings) {
    // The clock stands still but for `advance`, so that what depends on it is exact.
    const time = { now: () => START, elapsed: () => 0 };
    return openInProcess(createBackstage(createMemoryLedger(), time), settings);
  },
};

/** The app in this process over whichever ledger the backstage has. */
export function openInProcess(
  backstage: Backstage,
  settings: DoorSettings,
  more: Partial<House> = {},
): Opened & { app: App } {
  const supply = fixedSupply();
  const app = createApp(
    {
      ...backstage.parts,
      settings: {
        publicUrl: PUBLIC_URL,
        version: "0.0.0",
        secrets: SECRETS,
        metricsToken: null,
        ...settings,
      },
      random: supply.random,
      digest: supply.digest,
      hashKey: sha256,
      runHeavy: null,
      compress: null,
      isLocal: () => false,
      metrics: null,
      people: null,
      waitUntil: null,
      room: NODE_ROOM,
      bodyTimeoutMs: null,
      repliesInPieces: false,
      pages: null,
      observe() {},
      ...more,
    },
    createSite,
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
