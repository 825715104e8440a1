import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { startPostgres } from "../../support/postgres.ts";
import { CUT, KILL, LOSE_COMMITS, type Misfortune, runRounds } from "./rounds.ts";

/** Two nodes and their PostgreSQL while nodes are killed, the database crashes and the network fails, in many rounds. */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 7);

const DELAY: Misfortune = async ({ network }, pick) => {
  network.delay(5 + pick(40));
  await wait(100 + pick(400));
  network.delay(0);
};
const SWALLOW: Misfortune = async ({ network }, pick) => {
  network.swallow(true);
  await wait(100 + pick(800));
  network.swallow(false);
  network.cut();
};

/** Selects the backends that run debits. The condition must not match this statement itself. */
const DEBITING = `SELECT pid FROM pg_stat_activity
  WHERE application_name = 'toolbooth' AND query LIKE '%debit' || '_batch%'`;

/** Stops backends for longer than an order waits: delayed packets arrive after the reversal. */
const STOP: Misfortune = async ({ accountDeps }, pick) => {
  const debiting = await accountDeps.pool.once<{ pid: number }>("read", DEBITING);
  const stopped = debiting.filter(({ pid }) => signal(pid, "SIGSTOP"));
  await wait(LEDGER_TIMEOUT_MS + pick(2_000));
  for (const { pid } of stopped) signal(pid, "SIGCONT");
};

/** Returns whether the process was still running. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

test(`after ${ROUNDS} rounds of chaos the ledger has every received response and charged nothing twice`, async (t) => {
  const server = await startPostgres();
  t.after(() => server.dispose());
  const crash: Misfortune = async (_, pick) => {
    await server.stop("immediate");
    await wait(pick(800));
    await server.start();
  };
  const misfortunes = [KILL, crash, LOSE_COMMITS, DELAY, SWALLOW, CUT, STOP];
  await runRounds(t, server, ROUNDS, misfortunes);
});
