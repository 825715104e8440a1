import type { TestContext } from "node:test";
import { ledgerContract, ledgerDurability } from "../../contract/ledger.ts";
import { ledgerModel } from "../../contract/ledger-model.ts";
import { openObjects } from "./fixture.ts";

const MODEL_RUNS = Number(process.env["TEST_MODEL_RUNS"] ?? 50);
const objects = openObjects();
let opened = 0;

async function open(_: TestContext) {
  opened += 1;
  const name = `object ${opened}`;
  return {
    ledger: objects.object(name).ledger,
    async reopen() {
      await objects.restart();
      return objects.object(name).ledger;
    },
  };
}

ledgerContract("in a Durable Object", open);
// Fewer steps, because each is a request to another process. The SQLite store, whose statements these are, runs all of
// them.
ledgerModel("in a Durable Object", open, { runs: Math.ceil(MODEL_RUNS / 10) });
ledgerDurability("in a Durable Object", open);
