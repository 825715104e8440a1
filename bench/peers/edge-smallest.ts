import { DurableObject } from "cloudflare:workers";
import type { ToolContext } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";

/**
 * The smallest possible metered Worker, for comparison: the account id in the key, the key's hash, one round trip to the
 * account's object, one guarded UPDATE that also finds the key, and one row in the ledger. It runs Toolbooth's tools, so that
 * only the pipeline differs. It has no validation, limits, rate limit, error details, idempotency, grants or request ids.
 */
type Storage = {
  sql: { exec(text: string, ...values: (string | number)[]): { toArray(): object[] } };
  transactionSync<Result>(body: () => Result): Result;
};
type Account = {
  open(keySha256: string, credits: number): void;
  debit(keySha256: string, tool: string): Promise<number | null>;
  totals(): Promise<LedgerTotals>;
};
type LedgerTotals = { balance: number; rows: number };
type Env = { ACCOUNT: { getByName(name: string): Account } };

export class MeteredAccount extends DurableObject {
  readonly #storage: Storage;

  constructor(state: { storage: Storage }, env: unknown) {
    super(state as never, env as never);
    this.#storage = state.storage;
    const { sql } = state.storage;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS account (key_sha256 TEXT PRIMARY KEY, balance INTEGER NOT NULL)",
    );
    sql.exec("CREATE TABLE IF NOT EXISTS ledger (at INTEGER NOT NULL, tool TEXT NOT NULL)");
  }

  open(keySha256: string, credits: number): void {
    this.#storage.sql.exec("INSERT INTO account VALUES (?, ?)", keySha256, credits);
  }

  /** Returns the remaining balance, or null without credits or for a wrong key. */
  debit(keySha256: string, tool: string): number | null {
    const { sql } = this.#storage;
    return this.#storage.transactionSync(() => {
      const [row] = sql
        .exec(
          "UPDATE account SET balance = balance - 1 WHERE key_sha256 = ? AND balance >= 1 RETURNING balance",
          keySha256,
        )
        .toArray();
      if (row === undefined) return null;
      sql.exec("INSERT INTO ledger (at, tool) VALUES (?, ?)", Date.now(), tool);
      return (row as { balance: number }).balance;
    });
  }

  totals(): LedgerTotals {
    return this.#storage.sql
      .exec("SELECT balance, (SELECT count(*) FROM ledger) AS rows FROM account")
      .toArray()[0] as LedgerTotals;
  }
}

const ALGORITHMS = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };
const context: ToolContext = {
  receivedAt: 0,
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  digest: async (name, bytes) =>
    new Uint8Array(await crypto.subtle.digest(ALGORITHMS[name], bytes as Uint8Array<ArrayBuffer>)),
};

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const utf8 = new TextEncoder();

async function hashKey(key: string): Promise<string> {
  let hex = "";
  const digest = await crypto.subtle.digest("SHA-256", utf8.encode(key));
  for (const byte of new Uint8Array(digest)) hex += HEX[byte];
  return hex;
}

const PATH = "/api/v1/";
const refuse = (status: number) => new Response(null, { status });

async function call(request: Request, env: Env): Promise<Response> {
  const text = await request.text();
  const name = request.url.slice(request.url.indexOf(PATH) + PATH.length);
  const tool = TOOLS.find((each) => each.name === name);
  const key = request.headers.get("authorization")?.slice("Bearer ".length);
  if (tool === undefined || key === undefined) return refuse(404);
  const input = tool.verbatim === undefined ? JSON.parse(text) : text;
  const output = await tool.run(input, { ...context, receivedAt: Date.now() });
  const body = tool.encode?.(output) ?? JSON.stringify(output);
  const keySha256 = await hashKey(key);
  const balance = await env.ACCOUNT.getByName(key.slice(0, key.indexOf("."))).debit(
    keySha256,
    tool.name,
  );
  if (balance === null) return refuse(402);
  return new Response(body, {
    headers: { "Content-Type": "application/json", "Credits-Remaining": String(balance) },
  });
}

/** The benchmark's own route: opens an account and returns its totals. */
async function command(request: Request, env: Env): Promise<Response> {
  const { open, key, credits } = (await request.json()) as {
    open: boolean;
    key: string;
    credits: number;
  };
  const account = env.ACCOUNT.getByName(key.slice(0, key.indexOf(".")));
  if (open) await account.open(await hashKey(key), credits);
  return Response.json(await account.totals());
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    request.method === "PUT" ? command(request, env) : call(request, env),
};
