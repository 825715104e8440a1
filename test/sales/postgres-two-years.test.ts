/** The same runs over PostgreSQL: fewer, because each order is a round trip to a server. */
import { test } from "node:test";
import { newDatabase, openNode } from "../stores/postgres/fixture.ts";
import { liveOften } from "./live-often.ts";

const RUNS = Math.ceil(Number(process.env["TEST_SALES_RUNS"] ?? 5) / 5);

test(`${RUNS} random runs of two years agree with the model, in PostgreSQL`, (t) =>
  liveOften(t, RUNS, async () => {
    const { ledger, close } = await openNode(await newDatabase());
    return {
      ...{ ledger, close },
      debitTogether: (orders) => Promise.all(orders.map((order) => ledger.debit(order))),
    };
  }));
