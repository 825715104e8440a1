/** The API in this process, with the time and the random bytes that the page's code is given in the same test. */
import { createHash } from "node:crypto";
import { createApp } from "#http/app.ts";
import { createSite } from "#http/pages/site.ts";
import { NODE_ROOM } from "#limits.ts";
import { createMemoryLedger } from "#store/memory.ts";
import { createBackstage } from "../doors/backstage.ts";
import { createCaller, openDoor, PUBLIC_URL, SECRETS, sha256 } from "../doors/door.ts";

export const RECEIVED_AT = Date.UTC(2026, 10, 21, 22, 26, 7, 89);
/** A request id that the service keeps, as it is well-formed. */
export const REQUEST_ID = "in-your-browser";

/** The same bytes for the same count, on both sides: the page has this function as a text. */
export const patternedBytes = (count: number) =>
  Uint8Array.from({ length: count }, (_, at) => ((at * 31 + 7) ^ (at >> 5)) & 0xff);

export async function openApi() {
  const backstage = createBackstage(createMemoryLedger(), {
    now: () => RECEIVED_AT,
    elapsed: () => 0,
  });
  const app = createApp(
    {
      ...backstage.parts,
      settings: {
        publicUrl: PUBLIC_URL,
        version: "0.0.0",
        secrets: SECRETS,
        metricsToken: null,
        rateLimit: 0,
      },
      random: patternedBytes,
      digest: (algorithm, bytes) => createHash(algorithm).update(bytes).digest(),
      hashKey: sha256,
      runHeavy: null,
      compress: null,
      isLocal: () => false,
      metrics: null,
      people: null,
      farLedger: null,
      afterwards: null,
      room: NODE_ROOM,
      bodyTimeoutMs: null,
      repliesInPieces: false,
      pages: null,
      observe() {},
    },
    createSite,
  );
  const opener = {
    name: "in process",
    cannot: {},
    open: async () => ({
      fetch: async (path: string, { method = "GET", headers, body }: Sent) =>
        app.fetch(
          new Request(`http://127.0.0.1${path}`, {
            method,
            headers: {
              "content-length": String(body?.length ?? 0),
              ...Object.fromEntries(headers),
            },
            body: body ?? null,
          } as RequestInit),
        ),
      perform: backstage.perform,
      close: async () => {},
    }),
  };
  const door = await openDoor(opener as never, { rateLimit: 0 });
  const caller = await createCaller(door, { credits: 1_000_000 });
  return {
    /** The status and the bytes that a client of the API gets. */
    async post(tool: string, body: Uint8Array) {
      const headers = { "Content-Type": "application/json", "X-Request-Id": REQUEST_ID };
      const { status, bytes } = await caller.post(tool, { headers, body });
      return { status, bytes };
    },
  };
}

type Sent = { method?: string; headers: [string, string][]; body?: Uint8Array };
