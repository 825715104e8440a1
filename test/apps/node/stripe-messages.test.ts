import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../../http/server-process.ts";
import { messageOf } from "../../stripe/messages.ts";
import { openPayments } from "./payments-fixture.ts";

test("a message about a dispute is received with as much evidence as Stripe takes", async (t) => {
  const { fake, env } = await openPayments(t);
  const { base } = await startServer(t, env);
  const evidence = { uncategorized_text: "あ".repeat(150_000) };
  const about = { id: "evt_1", created: 0, version: "2026-10-28.endive" };
  const dispute = { id: "dp_1", object: "dispute", created: 0, payment_intent: null, evidence };
  // What has changed is there with its values before.
  const changed = { ...dispute, previous_attributes: { evidence } };
  const message = messageOf("charge.dispute.updated", changed, about);
  assert.equal(await fake.send(`${base}/webhooks/stripe`, message), 200);
});
