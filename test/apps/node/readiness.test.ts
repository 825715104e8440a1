import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ledger } from "#ledger/port.ts";
import { createLastingFaults } from "../../../src/apps/node/lasting-faults.ts";
import { createNodeReadiness } from "../../../src/apps/node/readiness.ts";

/** `/readyz` on a node: lasting faults, the debits of the last seconds, and the probe. */

test("a lasting fault that stops calls makes the node unready with its sentence until it is over", async () => {
  const lines: string[] = [];
  const add = (message: string) => lines.push(message);
  const faults = createLastingFaults({ error: add, info: add });
  const ledger = { probe: async () => ({ ready: true }) } as unknown as Ledger;
  const ready = createNodeReadiness({ ledger, faults, now: () => 0, elapsed: () => 0 });
  faults.set("disk", { message: "The disk is nearly full.", stopsCalls: false });
  assert.equal(await ready(), null);
  faults.set("files", { message: "The file is gone.", stopsCalls: true });
  assert.deepEqual(await ready(), { message: "The file is gone." });
  faults.clear("files");
  assert.equal(await ready(), null);
  assert.deepEqual(lines, [
    "The disk is nearly full.",
    "The file is gone.",
    "This is over: The file is gone.",
  ]);
});
