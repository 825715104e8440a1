/** The same runs over PostgreSQL, where each order is a round trip to a server. */
import { test } from "node:test";
import { newDatabase, openNode } from "../stores/postgres/fixture.ts";
import { liveOften, RUNS } from "./live-often.ts";

test(`${RUNS} random runs of two years agree with the model, in PostgreSQL`, (t) =>
  liveOften(t, async () => {
    const { ledger, ledgerEvents, close } = await openNode(await newDatabase());
    return {
      ...{ ledger, ledgerEvents, close },
      debitTogether: (orders) => Promise.all(orders.map((order) => ledger.debit(order))),
    };
  }));
