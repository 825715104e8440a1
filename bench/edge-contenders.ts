import { createHash, randomBytes } from "node:crypto";
import { keyStart, makeKey } from "#accounts/key-format.ts";
import { accountPart, newAccountId, newKeyId } from "#ids.ts";
import { ledgerOver } from "#ledger/ledger-over.ts";
import type { Ledger } from "#ledger/port.ts";
import { type BatchResult, unwrap } from "#stores/sqlite/batch.ts";
import { type EdgeServer, type EdgeWorker, startEdgeServer } from "./edge-servers.ts";
import { makeRequest } from "./load.ts";

/** A contender: a server, how to call it, and how many calls its ledger recorded. */
export type Contender = {
  name: string;
  server: EdgeServer;
  request(tool: string, body: string, more?: string): Buffer;
  /** The number of recorded calls, and whether the ledger reconciles. Null if the contender has no ledger. */
  totals: ((server: EdgeServer) => Promise<LedgerTotals>) | null;
  worker: EdgeWorker;
};
export type LedgerTotals = { recorded: number; ok: boolean };

/** More than a run can spend. */
const CREDITS = 1_000_000_000;
const SECRET = "a secret for measuring only";

const BARE: EdgeWorker = { name: "bare", entry: "edge-bare.ts", objects: {}, variables: {} };
const SMALLEST: EdgeWorker = {
  name: "smallest metered",
  entry: "edge-smallest.ts",
  objects: { ACCOUNT: "MeteredAccount" },
  variables: {},
};
const OWN: EdgeWorker = {
  name: "toolbooth",
  entry: "edge-own.ts",
  objects: { LEDGER: "AccountLedger", IDLE: "IdleLedger" },
  // The highest possible limit: calls are counted, but none is rejected.
  variables: { SECRET, PUBLIC_URL: "https://edge.test", RATE_LIMIT: "1000000" },
};
const STEPWISE: EdgeWorker = {
  ...OWN,
  name: "toolbooth by steps",
  variables: { ...OWN.variables, STEPS: "1" },
};

export const restart = (contender: Contender, folder: string): Promise<EdgeServer> =>
  startEdgeServer(contender.worker, folder);

/** The bare Worker gets the same request as the others. */
export async function startContenders(
  folder: string,
  started: EdgeServer[],
): Promise<Record<"bare" | "smallest" | "own" | "stepwise", Contender>> {
  const start = async (worker: EdgeWorker) => {
    const server = await startEdgeServer(worker, folder);
    started.push(server);
    return { name: worker.name, server, worker };
  };
  const own = await openOwn(await start(OWN));
  return {
    bare: {
      ...(await start(BARE)),
      request: (tool, body) => makeRequest(`/api/v1/${tool}`, body),
      totals: null,
    },
    smallest: await openSmallest(await start(SMALLEST)),
    own,
    stepwise: await openOwn(await start(STEPWISE)),
  };
}

type Started = Pick<Contender, "name" | "server" | "worker">;

async function openSmallest(started: Started): Promise<Contender> {
  // The length of a Toolbooth key.
  const key = `${randomBytes(6).toString("hex")}.${randomBytes(23).toString("hex").slice(1)}`;
  await started.server.command({ open: true, key, credits: CREDITS });
  return {
    ...started,
    request: (tool, body) => makeRequest(`/api/v1/${tool}`, body, key),
    async totals(server) {
      type Kept = { balance: number; rows: number };
      const { balance, rows } = await server.command<Kept>({ open: false, key, credits: 0 });
      return { recorded: rows, ok: balance + rows === CREDITS };
    },
  };
}

async function openOwn(started: Started): Promise<Contender> {
  const [account, now] = [newAccountId(randomBytes), Date.now()];
  const ledger = ledgerAt(started.server);
  await ledger.openAccount({ account, freeCall: "withheld", now });
  const key = makeKey(account, [SECRET], randomBytes);
  const id = newKeyId(account, randomBytes);
  const sha256 = createHash("sha256").update(key).digest("hex");
  await ledger.createKey({ account, id, sha256, start: keyStart(key), label: "bench", now });
  const grant = { account, id: "bench", kind: "operator" as const, amount: CREDITS };
  await ledger.grant({ ...grant, expiresAt: null, now });
  return {
    ...started,
    request: (tool, body, more = "") => makeRequest(`/api/v1/${tool}${more}`, body, key),
    async totals(server) {
      const stored = ledgerAt(server);
      const usage = await stored.usage({ account, from: 0, to: Number.MAX_SAFE_INTEGER });
      const recorded = usage.reduce((sum, row) => sum + row.calls, 0);
      const { ok } = await stored.audit({ account, now: Date.now() });
      const { balance } = await stored.credits({ account, now: Date.now() });
      return { recorded, ok: ok && balance + recorded === CREDITS };
    },
  };
}

/** Calls the ledger in the object of the order's account, through the benchmark's route. */
const ledgerAt = (server: EdgeServer): Ledger =>
  ledgerOver(async (name, order) => {
    const { account } = order as { account: string };
    const command = { object: accountPart(account), name, order };
    return unwrap(await server.command<BatchResult>(command));
  });
