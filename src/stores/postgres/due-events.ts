import { dueGrants, readDueGrants } from "../sql/due-grants.ts";
import { textOf } from "./database.ts";
import { decideTogether } from "./decide-together.ts";
import type { PostgresPool } from "./pool.ts";

/** Writes the events that become due as time passes. One node at a time does so. */
export const createRecordDue =
  ({ roundTrips }: PostgresPool) =>
  ({ now, rowsMax }: { now: number; rowsMax: number }) =>
    roundTrips("write", async (send) => {
      const [mine = [], due = []] = await send({
        statements: [LOCK, textOf(dueGrants(now, rowsMax))],
      });
      const { orders, isMore } = readDueGrants(due, now, rowsMax);
      if (mine.length === 0 || orders.length === 0) return { notified: 0, isMore: false };
      const outcomes = await decideTogether(send, "recordDue", orders);
      const notified = outcomes.filter((outcome) => "recorded" in outcome && outcome.recorded);
      return { notified: notified.length, isMore };
    });

/** The number is arbitrary but fixed, and the lock ends with the transaction. */
const LOCK = "SELECT 1 WHERE pg_try_advisory_xact_lock(7200005)";
