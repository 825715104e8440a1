import { type Config, readConfig } from "#config.ts";
import { type App, createApp } from "#http/app.ts";
import { accountPart } from "#ids.ts";
import {
  farLedgerOfObjects,
  type LedgerStub,
  ledgerOfObjects,
} from "#store/durable-object-ledger.ts";
import packageJson from "../../package.json" with { type: "json" };

/**
 * The front door at Cloudflare's edge: the calls. A Worker near the caller reads and runs; the object of the account, named
 * by its part of the key, is asked once (`store/durable-object.ts`). Everything else belongs to the pages' Worker.
 */
export { AccountLedger } from "#store/durable-object.ts";

type Env = {
  LEDGER: { getByName(name: string): LedgerStub };
  /** The Worker with the pages and the people; left out, there are none. */
  PEOPLE?: { fetch(request: Request): Promise<Response> };
} & Record<string, unknown>;

const OF_THE_CALLS = /^\/(?:api\/|healthz$|readyz$)/;
const ALGORITHMS = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

let opened: { env: Env; app: App } | undefined;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (env.PEOPLE !== undefined && !OF_THE_CALLS.test(pathname)) return env.PEOPLE.fetch(request);
    // Made once for an isolate; its settings do not change while it lives.
    if (opened?.env !== env) opened = { env, app: open(env) };
    return opened.app.fetch(request);
  },
};

function open(env: Env): App {
  const config = readConfig(textsOf(env));
  const find = ({ account }: { account?: string }) =>
    env.LEDGER.getByName(account === undefined ? READINESS : accountPart(account));
  return createApp(
    {
      settings: settingsOf(config),
      ledger: ledgerOfObjects(find),
      farLedger: farLedgerOfObjects(find, config.rateLimit),
      now: () => Date.now(),
      elapsed: () => performance.now(),
      random: (count) => crypto.getRandomValues(new Uint8Array(count)),
      digest,
      hashKey: async (key) => toHex(await digest("sha256", new TextEncoder().encode(key))),
      // The platform gives each call its own time, and compresses by itself.
      ...{ runHeavy: null, compress: null, people: null, pages: null, metrics: null },
      isLocal: () => false,
      observe() {},
      complain: (message, { requestId, cause }) =>
        console.error(JSON.stringify({ message, requestId, cause: String(cause) })),
    },
    null,
  );
}

/** The object that `/readyz` writes to; no account's part has this length. */
const READINESS = "readiness";

const textsOf = (env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((each): each is [string, string] => typeof each[1] === "string"),
  );

function settingsOf({ publicUrl, secrets, rateLimit, metricsToken }: Config) {
  if (secrets === null || publicUrl === null) {
    throw new Error("At the edge SECRET and PUBLIC_URL must be set");
  }
  return { publicUrl, secrets, rateLimit, metricsToken, version: packageJson.version };
}

const digest = async (name: keyof typeof ALGORITHMS, bytes: Uint8Array) =>
  new Uint8Array(await crypto.subtle.digest(ALGORITHMS[name], bytes as Uint8Array<ArrayBuffer>));

const toHex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
