/** A fleet: nodes as processes of their own that share a PostgreSQL and nothing else. */
import { closing } from "./closing.ts";

// The order matters: see there.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createKey, openAccount } from "#accounts/accounts.ts";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { findSecret } from "#stores/postgres/settings.ts";
import { hashKey, random } from "../../../src/apps/node/runtime.ts";
import { assertTotals } from "../../contract/ledger/fixture.ts";
import {
  type Environment,
  type ServerProcess,
  startServer,
  temporaryFolder,
} from "../../http/server-process.ts";
import { sharedPostgres } from "../../support/postgres.ts";

type Hooks = Pick<TestContext, "after">;

/** The URL of the service. Its nodes have other addresses, behind a proxy that names the client. */
const PUBLIC_URL = "http://localhost";
export const BEHIND_PROXY = { PUBLIC_URL, TOOLBOOTH_TRUSTED_PROXIES: "127.0.0.1" };

export type FleetNode = ServerProcess & { outbox: string };

export async function startNode(t: Hooks, env: Environment): Promise<FleetNode> {
  const folder = temporaryFolder(t);
  const given = { DATA_DIR: folder, RATE_LIMIT: "0", ...env };
  const node = await startServer(t, given);
  return { ...node, outbox: `${folder}/outbox` };
}

/** The ledger and the directory behind the nodes, and the secret that the nodes created. */
export async function openAccounts(t: Hooks, url: string) {
  const pool = openPostgresPool(url, { max: 4 });
  const { ledger, close } = createPostgresLedger(pool);
  t.after(async () => {
    await close();
    await pool.close();
  });
  const secret = await findSecret(pool);
  if (secret === null) throw new Error("The nodes have no secret");
  const { directory } = createPostgresDashboardStore(pool);
  return { pool, ledger, directory, random, hashKey, secrets: [secret], keyPrefix: "tb_" };
}

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

const atEnd: Hooks = { after: (close) => void closing.push(close as () => unknown) };

type Fleet = Awaited<ReturnType<typeof openFleet>>;
let shared: Promise<Fleet> | undefined;

/** The fleet of all tests that neither stop a node nor disturb its database. Each test has accounts of its own. */
export function sharedFleet(): Promise<Fleet> {
  shared ??= openFleet(Number(process.env["TEST_FLEET_NODES"] ?? 2));
  return shared;
}

async function openFleet(count: number) {
  const url = await (await sharedPostgres()).createDatabase();
  const env = { DATABASE_URL: url, ...BEHIND_PROXY };
  const nodes = await Promise.all(Array.from({ length: count }, () => startNode(atEnd, env)));
  const accountDeps = await openAccounts(atEnd, url);
  const callers = nodes.map(({ base }) => openCaller(base));
  closing.push(() => callers.forEach((caller) => void caller.close()));
  closing.push(() => stopFleet(nodes, accountDeps));
  let users = 0;

  /** Opens an account whose free call is used, with a key that the first two nodes have seen. */
  async function openUser(credits: number) {
    users += 1;
    const email = `user${users}@example.com`;
    const { account } = await openAccount(accountDeps, email, Date.now());
    const { id, key } = await createKey(accountDeps, account, "test", Date.now());
    assert.equal((await callers[0]?.call(key))?.charged, "0");
    await grant(account, "first", credits + 1);
    assert.equal((await callers[1]?.call(key))?.charged, "1");
    return { email, account, id, key };
  }
  const grant = (account: string, id: string, amount: number) =>
    accountDeps.ledger.grant({
      ...{ account, id, amount, kind: "operator", expiresAt: null, now: Date.now() },
    });
  return { url, nodes, callers, accountDeps, openUser, grant };
}

/** The ledger reconciles in the end, and the nodes stop by themselves and have logged no error. */
async function stopFleet(nodes: FleetNode[], accountDeps: Accounts): Promise<void> {
  await assertTotals(accountDeps.ledger, Date.now());
  for (const { code } of await Promise.all(nodes.map((node) => node.end("SIGTERM"))))
    assert.equal(code, 0);
  for (const node of nodes) assert.doesNotMatch(node.written(), /"level":"(?:error|fatal)"/);
}

export type ApiResponse = {
  status: number;
  body: string;
  charged: string | undefined;
  replayed: boolean;
  retryAfter: string | undefined;
};

export type Caller = {
  call(
    key: string,
    given?: { body?: string; idempotencyKey?: string; tool?: string },
  ): Promise<ApiResponse>;
  close(): void;
};

/** Calls over kept connections, as a handful of busy clients would. */
export function openCaller(base: string, maxSockets = 64): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const { hostname, port } = new URL(base);
  return {
    call: (
      key,
      { body = '{"text":"x","algorithm":"sha256"}', idempotencyKey, tool = "hash" } = {},
    ) =>
      new Promise((resolve, reject) => {
        const headers: Record<string, string | number> = {
          Authorization: `Bearer ${key}`,
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(body),
        };
        if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
        const options = { hostname, port, path: `/api/v1/${tool}`, method: "POST", headers, agent };
        const sent = request(options, (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          response.once("error", reject).once("end", () => {
            const { headers: received, statusCode: status = 0 } = response;
            resolve({
              ...{ status, body: text, retryAfter: received["retry-after"] },
              charged: received["credits-charged"] as string | undefined,
              replayed: received["idempotency-replayed"] === "true",
            });
          });
        });
        sent.once("error", reject).end(body);
      }),
    close: () => agent.destroy(),
  };
}

export async function statusOf({ base }: FleetNode, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${base}/api/v1/uuid`, { method: "POST", headers });
  await response.arrayBuffer();
  return response.status;
}

/** A browser behind the proxy: its cookies, and a network address of its own. */
export function openVisitor(address: string) {
  const cookies = new Map<string, string>();
  return async function ask(
    node: FleetNode,
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: object,
  ): Promise<{ status: number; body: unknown; retryAfter: string | null }> {
    const response = await fetch(node.base + path, {
      method,
      headers: {
        Origin: PUBLIC_URL,
        "Content-Type": "application/json",
        "X-Forwarded-For": address,
        Cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const at = pair.indexOf("=");
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? null : JSON.parse(text),
      retryAfter: response.headers.get("retry-after"),
    };
  };
}

export type Visitor = ReturnType<typeof openVisitor>;
export type Member = { ask: Visitor; email: string };

let members = 0;
/** Signs a user up, who asks for the code on the first node and enters it on the last one. */
export async function openMember(nodes: FleetNode[]): Promise<Member> {
  members += 1;
  const [first, last] = [nodes[0], nodes.at(-1)] as [FleetNode, FleetNode];
  const ask = openVisitor(`10.1.${members}.1`);
  const email = `member${members}@example.com`;
  const succeed = async (node: FleetNode, path: string, body: object) => {
    const response = await ask(node, "POST", `/dashboard/auth/sign-in/${path}`, body);
    assert.equal(response.status, 200, JSON.stringify(response.body));
  };
  await succeed(first, "start", { email });
  await succeed(last, "code", { code: (await codesFor(nodes, email, 1))[0] });
  return { ask, email };
}

/** Returns the codes in the emails to this address, oldest first, once there are `count`, whichever nodes have written them. */
export async function codesFor(
  nodes: FleetNode[],
  email: string,
  count: number,
): Promise<string[]> {
  for (;;) {
    const emails = nodes.flatMap(({ outbox }) =>
      existsSync(outbox)
        ? readdirSync(outbox)
            .filter((name) => name.endsWith(".eml"))
            .map((name) => ({ name, text: readFileSync(path.join(outbox, name), "utf8") }))
        : [],
    );
    const codes = emails
      .filter(({ text }) => text.includes(`To: ${email}`))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ text }) => /^Code: (\d{4} \d{4})/m.exec(text)?.[1])
      .filter((code) => code !== undefined);
    if (codes.length >= count) return codes;
    await wait(20);
  }
}
