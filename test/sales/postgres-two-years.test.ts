/** The same lives over PostgreSQL: fewer, for each order is a way to a server and back. */
import { test } from "node:test";
import { newDatabase, openNode } from "../stores/postgres/fixture.ts";
import { liveOften } from "./live-often.ts";

const RUNS = Math.ceil(Number(process.env["TEST_SALES_RUNS"] ?? 5) / 5);

test(`${RUNS} random lives of two years agree with the model, in PostgreSQL`, (t) =>
  liveOften(t, RUNS, async () => {
    const { ledger, close } = await openNode(await newDatabase());
    return {
      ...{ ledger, close },
      debitTogether: (orders) => Promise.all(orders.map((order) => ledger.debit(order))),
    };
  }));
