import { after, type TestContext } from "node:test";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { holdCountsContract } from "../../contract/hold-counts.ts";
import { ledgerContract, ledgerDurability } from "../../contract/ledger.ts";
import { ledgerModel } from "../../contract/ledger-model.ts";
import { emptyDatabase, inBatches, type Node, newDatabase, openNode } from "./fixture.ts";

let opened: Promise<Node> | undefined;
after(async () => (await opened)?.close());

/** The same database each time, without its rows. */
async function open() {
  opened ??= newDatabase().then((url) => openNode(url));
  const node = await opened;
  await emptyDatabase(node.pool);
  return inBatches(node);
}

async function openToReopen(t: TestContext) {
  const url = await newDatabase();
  let node = await openNode(url);
  t.after(() => node.close());
  return {
    ledger: node.ledger,
    async reopen() {
      await node.close();
      node = await openNode(url);
      return node.ledger;
    },
  };
}

const MODEL_RUNS = Number(process.env["TEST_MODEL_RUNS"] ?? 20);

ledgerContract("in PostgreSQL", open);
// Fewer runs, because each step is a round trip to another process.
ledgerModel("in PostgreSQL", open, { runs: Math.ceil(MODEL_RUNS / 10) });
ledgerDurability("in PostgreSQL", openToReopen);
holdCountsContract("in PostgreSQL", async () => {
  const { ledger, ledgerEvents } = await open();
  const { pool } = (await opened) as Node;
  return { ledger, ledgerEvents, database: createPostgresDatabase(pool) };
});
