import type { TestContext } from "node:test";
import { ledgerContract, ledgerDurability } from "../../contract/ledger.ts";
import { ledgerModel } from "../../contract/ledger-model.ts";
import { newDatabase, openNode } from "./fixture.ts";

async function open(t: TestContext) {
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

const MODEL_RUNS = Number(process.env["TEST_MODEL_RUNS"] ?? 50);

ledgerContract("in PostgreSQL", open, 4);
// Fewer steps, because each is a round trip to another process.
ledgerModel("in PostgreSQL", open, { runs: Math.ceil(MODEL_RUNS / 10) });
ledgerDurability("in PostgreSQL", open);
