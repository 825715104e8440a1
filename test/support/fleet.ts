import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import path from "node:path";
import type { TestContext } from "node:test";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { findSecret } from "#stores/postgres/settings.ts";
import { hashKey, random } from "../../src/apps/node/runtime.ts";
import {
  type Environment,
  type ServerProcess,
  startServer,
  temporaryFolder,
} from "../http/server-process.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

/** A fleet: a PostgreSQL, and nodes as processes of their own that share it and nothing else. */
type Hooks = Pick<TestContext, "after">;

/** None of these tests is about a crash of the database, so it need not wait for the disk. */
const NO_SYNC = { fsync: "off", full_page_writes: "off" };

export const startFleetDatabase = (): Promise<Postgres> => startPostgres(NO_SYNC);

export type FleetNode = ServerProcess & { outbox: string };

/** Nodes that are started at the same moment, each with an empty data folder. */
export async function startNodes(t: Hooks, count: number, env: Environment): Promise<FleetNode[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const folder = temporaryFolder(t);
      const node = await startServer(t, { DATA_DIR: folder, RATE_LIMIT: "0", ...env });
      return { ...node, outbox: `${folder}/outbox` };
    }),
  );
}

/** What the command line has: the books behind the nodes, and the secret that they made for themselves. */
export async function openAccounts(t: Hooks, url: string) {
  const pool = openPostgresPool(url, { max: 4 });
  const { ledger, close } = createPostgresLedger(pool);
  t.after(async () => {
    await close();
    await pool.close();
  });
  const secret = await findSecret(pool);
  if (secret === null) throw new Error("The nodes have made no secret");
  const { directory } = createPostgresDashboardStore(pool);
  return { ...{ pool, ledger, directory, random, hashKey }, secrets: [secret] };
}

/** What became of a call; `body` is the text of the answer. */
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

/** Calls over connections that are kept, as many as a handful of busy clients would have. */
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
        const asked = request(options, (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          response.once("error", reject).once("end", () => {
            const { headers: told, statusCode: status = 0 } = response;
            resolve({
              ...{ status, body: text, retryAfter: told["retry-after"] },
              charged: told["credits-charged"] as string | undefined,
              replayed: told["idempotency-replayed"] === "true",
            });
          });
        });
        asked.once("error", reject).end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** What the service calls itself; its nodes have other addresses, behind a proxy that tells whose request it is. */
export const PUBLIC_URL = "http://fleet.test";
export const BEHIND_PROXY = { PUBLIC_URL, TOOLBOOTH_TRUSTED_PROXIES: "127.0.0.1" };

/** A browser whose requests a proxy spreads over the nodes: its cookies, and a network address of its own. */
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

const EMAIL_DEADLINE_MS = 120_000;

/** The token of the link in the newest letter to this address, whichever node has written it. */
export async function tokenFor(nodes: FleetNode[], email: string): Promise<string> {
  for (const began = Date.now(); Date.now() - began < EMAIL_DEADLINE_MS; ) {
    const emails = nodes.flatMap(({ outbox }) =>
      existsSync(outbox)
        ? readdirSync(outbox)
            .filter((name) => name.endsWith(".eml"))
            .map((name) => ({ name, text: readFileSync(path.join(outbox, name), "utf8") }))
        : [],
    );
    const ours = emails
      .filter(({ text }) => text.includes(`To: ${email}`))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    // Long lines are broken in a letter (quoted-printable).
    const plain = ours.at(-1)?.text.replaceAll("=\r\n", "").replaceAll("=3D", "=");
    const token = /\?token=([\w.-]+)/.exec(plain ?? "")?.[1];
    if (token !== undefined) return token;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`No letter to ${email}`);
}
