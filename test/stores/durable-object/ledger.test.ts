import { ledgerContract, ledgerDurability } from "../../contract/ledger.ts";
import { ledgerModel } from "../../contract/ledger-model.ts";
import { openObject } from "./fixture.ts";

/** Few: each step is a request to another process. The SQLite store, whose statements these are, takes more. */
const MODEL_RUNS = Number(process.env["TEST_MODEL_RUNS"] ?? 3);

async function open() {
  const { ledger, ledgerEvents, sumUsage, restart } = openObject();
  return {
    ...{ ledger, ledgerEvents, sumUsage },
    async reopen() {
      await restart();
      return ledger;
    },
  };
}

ledgerContract("in a Durable Object", open);
ledgerModel("in a Durable Object", open, { runs: MODEL_RUNS });
ledgerDurability("in a Durable Object", open);
