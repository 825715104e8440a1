import { test } from "node:test";
import { sharedPostgres } from "../../support/postgres.ts";
import { CUT, KILL, LOSE_COMMITS, runRounds } from "./rounds.ts";

/** `kills.chaos.ts` has more rounds, and faults of the database itself. */
test("after a node is killed under load and connections break, the ledger has every received response and charged nothing twice", async (t) => {
  await runRounds(t, await sharedPostgres(), 2, [KILL, LOSE_COMMITS, CUT]);
});
