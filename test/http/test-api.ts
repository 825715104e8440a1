/**
 * A runtime of the service as its tests see it: requests, and commands behind the scenes. The suites are functions of an
 * opener and run through every runtime; what a runtime cannot show is reported.
 */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { keyStart, makeKey } from "#accounts/key-format.ts";
import { ERRORS, type ErrorCode } from "#errors.ts";
import { newAccountId, newKeyId } from "#ids.ts";
import type { KeyLimits, Ledger } from "#ledger/port.ts";
import { ledgerOver } from "#stores/ledger/store-ledger.ts";
import { recorded } from "../recording/recording.ts";
import { HANGS_MS } from "../support/deadline.ts";
import type { Command, Trouble } from "./ledger-access.ts";

export const SECRETS = ["a secret for the tests that is long enough"];
export const PUBLIC_URL = "https://toolbooth.example";

export type Sent = {
  method?: string;
  headers?: Record<string, string> | [string, string][];
  body?: string | Uint8Array | undefined;
  /** Sends the body in pieces without a length. */
  chunked?: boolean;
};

/** What an opener opens: requests and commands. */
export type Opened = {
  fetch(path: string, sent: Sent): Promise<Response>;
  perform(command: Command): Promise<unknown>;
  close(): Promise<void>;
};

export type TestServiceSettings = {
  rateLimit: number;
  /** TOOLBOOTH_FREE_CALL_CREDITS; left out, its default. */
  freeCallCredits?: number;
  /** The clock stands still but for `advance`, and random bytes are the same for the same count. */
  fixed?: true;
  /** Left out, it is the runtime's own value. */
  bodyTimeoutMs?: number;
};
/** The setting as a runtime reads it. */
export const freeCallText = ({ freeCallCredits }: TestServiceSettings): Record<string, string> =>
  freeCallCredits === undefined ? {} : { TOOLBOOTH_FREE_CALL_CREDITS: String(freeCallCredits) };

export type Opener = {
  name: string;
  /** What this runtime cannot show, and why. */
  cannot: Partial<Record<"compress", string>>;
  open(settings: TestServiceSettings): Promise<Opened>;
};

/** So high that no test meets it unless it wants to; the headers are there all the same. */
const RATE_LIMIT_OUT_OF_THE_WAY = 100_000;

export type TestService = Awaited<ReturnType<typeof openService>>;

/** Where the sessions of a recording go (`test/recording/main.ts`). */
const RECORDING = process.env["TEST_RECORD"];

export async function openService(opener: Opener, settings: TestServiceSettings) {
  const opened = await (RECORDING === undefined ? opener : recorded(opener, RECORDING)).open(
    settings,
  );
  const ledger: Ledger = ledgerOver((name, order) =>
    opened.perform({ command: "order", name, order }),
  );
  const count = async (command: Command) => (await opened.perform(command)) as number;
  return {
    name: opener.name,
    cannot: opener.cannot,
    settings,
    ledger,
    close: opened.close,
    now: () => count({ command: "now" }),
    held: () => count({ command: "held" }),
    roundTrips: () => count({ command: "roundTrips" }),
    advance: (ms: number) => opened.perform({ command: "advance", ms }),
    trouble: (trouble: Trouble) => opened.perform({ command: "trouble", trouble }),
    ordered: (name: keyof Ledger) => count({ command: "ordered", name }),
    loggedErrors: async () => (await opened.perform({ command: "loggedErrors" })) as string[],
    send: async (path: string, sent: Sent = {}) => readResponse(await opened.fetch(path, sent)),
  };
}

type SentenceOptions = {
  settings?: TestServiceSettings;
  needs?: keyof Opener["cannot"];
  /** What an adapter between the app and its runtime can break in it: then it runs through every adapter. */
  adapter?: string;
};

/**
 * Tests of one runtime; of an adapter, those that show what it can break. Tests with the same settings share a service, opened
 * at the first one and closed after the last; accounts are each sentence's own, and the ledger's trouble ends with it.
 */
export function createSentences(opener: Opener, part: "all" | "adapter" = "all") {
  const services = new Map<string, Promise<TestService>>();
  after(async () => {
    for (const service of services.values()) await (await service).close();
  });
  function open(
    settings: TestServiceSettings = { rateLimit: RATE_LIMIT_OUT_OF_THE_WAY },
  ): Promise<TestService> {
    const name = JSON.stringify(settings);
    const service = services.get(name) ?? openService(opener, settings);
    services.set(name, service);
    return service;
  }
  return function sentence(
    words: string,
    proof: (service: TestService) => Promise<unknown>,
    given: SentenceOptions = {},
  ) {
    if (part === "adapter" && given.adapter === undefined) return;
    const skip = given.needs !== undefined && (opener.cannot[given.needs] ?? false);
    test(`${opener.name}: ${words}`, { skip }, async () => {
      const service = await open(given.settings);
      try {
        await proof(service);
      } finally {
        await service.trouble("none");
      }
    });
  };
}

export type Sentence = ReturnType<typeof createSentences>;

export type ApiResponse = Awaited<ReturnType<typeof readResponse>>;

async function readResponse(response: Response) {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  return {
    status: response.status,
    headers: response.headers,
    header: (name: string) => response.headers.get(name),
    bytes,
    text,
    // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what its test asserts.
    json: (): any => JSON.parse(text),
  };
}

export const sha256 = (text: string | Uint8Array) =>
  createHash("sha256").update(text).digest("hex");

export type Caller = Awaited<ReturnType<typeof createCaller>>;

type Given = { credits?: number; freeCall?: "open" | "withheld" };

/** An account with one key; unless told otherwise with 100 credits, and without the free first call. */
export async function createCaller(
  service: TestService,
  { credits = 100, freeCall = "withheld" }: Given = {},
) {
  const { ledger } = service;
  const account = newAccountId(randomBytes);
  const now = await service.now();
  await ledger.openAccount({ account, freeCall, now });
  const { key, keyId } = await createKey(service, account);
  const grant = (amount: number) =>
    ledger.grant({
      account,
      id: `operator:${amount}`,
      kind: "operator",
      amount,
      expiresAt: null,
      now,
    });
  if (credits > 0) await grant(credits);
  const post = (tool: string, sent: Sent = {}) =>
    service.send(`/api/v1/${tool}`, {
      method: "POST",
      ...sent,
      headers: [["Authorization", `Bearer ${key}`], ...entriesOf(sent.headers)],
    });
  return {
    account,
    key,
    keyId,
    grant,
    post,
    /** A call with a JSON body as most clients send it. */
    call: (tool: string, body?: unknown, headers: Record<string, string> = {}) =>
      post(tool, {
        headers: { "Content-Type": "application/json", ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    balance: async () => (await ledger.credits({ account, now: await service.now() })).balance,
  };
}

const NO_LIMITS: KeyLimits = {
  ...{ expiresAt: null, tools: null, networks: null, rate: null },
  budgets: { total: null, month: null, day: null },
};

export async function createKey(
  service: TestService,
  account: string,
  given: Partial<KeyLimits> | null = null,
) {
  const limits = given === null ? null : { ...NO_LIMITS, ...given };
  const key = makeKey(account, SECRETS, randomBytes);
  const keyId = newKeyId(account, randomBytes);
  const order = { account, id: keyId, sha256: sha256(key), start: keyStart(key), label: "test" };
  await service.ledger.createKey({ ...order, limits, now: await service.now() });
  return { key, keyId };
}

export const entriesOf = (headers: Sent["headers"]): [string, string][] =>
  Array.isArray(headers) ? headers : Object.entries(headers ?? {});

/** Asserts that the response is an error with this code, and returns its body. */
export function assertProblem(
  result: ApiResponse,
  code: ErrorCode,
  type = "application/problem+json",
) {
  const { status, title } = ERRORS[code];
  assert.equal(result.status, status, `${result.status} ${result.text}`);
  const problem = result.json();
  assert.equal(problem.code, code, result.text);
  assert.equal(result.header("content-type"), type);
  assert.deepEqual(
    [problem.ok, problem.status, problem.title, problem.type],
    [false, status, title, `${PUBLIC_URL}/docs/errors#${code}`],
  );
  assert.ok(typeof problem.detail === "string" && problem.detail !== "");
  assert.equal(problem.requestId, result.header("x-request-id"));
  assert.equal(result.header("cache-control"), "no-store");
  assert.equal(result.header("access-control-allow-origin"), "*");
  assert.equal(result.header("credits-charged") ?? "0", "0", "an error never costs a credit");
  return problem;
}

/** Asserts an answer of a tool, and returns its body. */
export function assertResponse(result: ApiResponse, charged?: number) {
  assert.equal(result.status, 200, `${result.status} ${result.text.slice(0, 500)}`);
  assert.equal(result.header("content-type"), "application/json");
  if (charged !== undefined) assert.equal(result.header("credits-charged"), String(charged));
  const body = result.json();
  assert.equal(body.ok, true);
  return body;
}

/** Waits for what comes soon, with a deadline that only a fault meets. */
export async function eventually(
  what: string,
  isSo: () => Promise<boolean>,
  deadlineMs = HANGS_MS,
) {
  for (const started = Date.now(); !(await isSo()); ) {
    const waited = Date.now() - started;
    assert.ok(waited < deadlineMs, `${what}: not within ${deadlineMs} ms`);
    // Asking a browser or a server takes time of its own: what comes late is asked for less often.
    const pause = Math.min(Math.max(5, waited / 4), 50);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
