import type { DebitOrder } from "#ledger/port.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { accountAt, keyAt } from "./postgres-fixture.ts";
import { openUsualWay } from "./postgres-usual.ts";

/** A node without HTTP: on each message it debits at maximum load, with batches or with a statement per call. */
export type Turn = { way: Way; accounts: number; callers: number; durationMs: number };
export type Way = "batch" | "usual";
export type TurnResult = {
  responses: number;
  seconds: number;
  cpuMicros: number;
  /** Latencies in milliseconds, in the order of the responses. */
  latencies: number[];
};

const CONNECTIONS = 10;
const url = process.argv[2] as string;
const node = process.argv[3] as string;
const ways = { batch: openOurs(), usual: openUsualWay(url) };
let calls = 0;

function openOurs() {
  const pool = openPostgresPool(url, { max: CONNECTIONS });
  const { ledger, close } = createPostgresLedger(pool);
  return {
    async debit(order: DebitOrder): Promise<void> {
      const { outcome } = await ledger.debit(order);
      if (outcome !== "debited") throw new Error("A call was not debited");
    },
    async close() {
      await close();
      await pool.close();
    },
  };
}

async function run({ way, accounts, callers, durationMs }: Turn): Promise<TurnResult> {
  const { debit } = ways[way];
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + durationMs;
  const cpu = process.cpuUsage();
  const call = async (caller: number) => {
    // Callers of all nodes go over the accounts, each in its own order.
    for (let n = caller * 7919; performance.now() < deadline; n += 1) {
      const sent = performance.now();
      calls += 1;
      await debit({
        account: accountAt(n % accounts),
        keySha256: keyAt(n % accounts),
        callId: `call_${node}_${calls}`,
        tool: "hash",
        now: Date.now(),
        credits: 1,
        freeCallCredits: 1,
        idempotency: null,
      });
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { responses: latencies.length, seconds, cpuMicros: user + system, latencies };
}

process.on("message", async (turn: Turn | "end") => {
  if (turn === "end") {
    await Promise.all([ways.batch.close(), ways.usual.close()]);
    process.disconnect();
    return;
  }
  process.send?.(await run(turn));
});
process.send?.("ready");
