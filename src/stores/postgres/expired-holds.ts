import type { LedgerOperations } from "#ledger/port.ts";
import { expiredHolds, readExpiredHolds } from "../sql/expired-holds.ts";
import { textOf } from "./database.ts";
import { decideTogether } from "./decide-together.ts";
import type { PostgresPool } from "./pool.ts";

type Order = LedgerOperations["expireHolds"][0];
type Outcome = LedgerOperations["expireHolds"][1];

/** Ends the holds whose holders are silent. One node at a time does so. */
export const createExpireHolds =
  ({ roundTrips }: PostgresPool) =>
  (order: Order): Promise<Outcome> =>
    roundTrips("write", async (send) => {
      const [mine = [], due = []] = await send({
        statements: [LOCK, textOf(expiredHolds(order))],
      });
      const { orders, isMore } = readExpiredHolds(due, order);
      if (mine.length === 0 || orders.length === 0) return { ended: 0, isMore: false };
      const outcomes = await decideTogether(send, "lapse", orders);
      const ended = outcomes.filter((outcome) => "ended" in outcome && outcome.ended);
      return { ended: ended.length, isMore };
    });

/** The number is arbitrary but fixed, and the lock ends with the transaction. */
const LOCK = "SELECT 1 WHERE pg_try_advisory_xact_lock(7200006)";
