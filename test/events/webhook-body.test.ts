import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { signedHeaders } from "#events/deliver-webhooks.ts";
import { testBody, webhookBody } from "#events/webhook-body.ts";
import { type EventContent, LEDGER_EVENT_KINDS, type LedgerEvent } from "#ledger/events.ts";

const DOCS = readFileSync(path.join(import.meta.dirname, "../../docs/webhooks.md"), "utf8");
const AT = Date.UTC(2026, 10, 22, 10);
const ACCOUNT = "acc_4fzYQ0nJq8d0";
const GRANT = { id: "stripe:pi_3Q", kind: "pack" } as const;
const key = { id: "key_4fzYQ0nJq8d0a1B2c3D4e5", label: "production", start: "tb_4fzY" };
const CONTENTS: EventContent[] = [
  { kind: "credits.low", balance: 19, lowBalance: 20 },
  { kind: "credits.depleted" },
  {
    kind: "credits.granted",
    grant: { ...GRANT, amount: 1_000, expiresAt: Date.UTC(2027, 10, 22, 10) },
  },
  {
    ...{ kind: "credits.expiring", days: 30 },
    grant: { ...GRANT, remaining: 640, expiresAt: Date.UTC(2026, 11, 22, 10) },
  },
  { kind: "key.created", key },
  { kind: "key.revoked", key },
];
const eventOf = (content: EventContent): LedgerEvent => ({
  ...{ id: `evt_${ACCOUNT}_${AT}_1`, account: ACCOUNT, at: AT, ...content },
});

test("the documentation shows the exact body of every kind of event", () => {
  const shown = [...DOCS.matchAll(/^```json\n(.*)\n```$/gm)].map(([, body]) => body);
  const bodies = [...CONTENTS.map(eventOf).map(webhookBody), testBody(ACCOUNT, AT)];
  assert.deepEqual(shown, bodies);
  assert.deepEqual(
    CONTENTS.map(({ kind }) => kind),
    [...LEDGER_EVENT_KINDS],
  );
});

test("the request in the documentation is signed with the secret shown below it", () => {
  const [, lines = "", body = ""] =
    /^POST \/hooks HTTP\/1\.1\n([\s\S]*?)\n\n(.*)\n```$/m.exec(DOCS) ?? [];
  const secret = /whsec_[A-Za-z0-9+/]{32}/.exec(DOCS)?.[0] ?? "";
  const shown = Object.fromEntries(lines.split("\n").map((line) => line.split(": ")));
  const order = { secrets: [secret], id: shown["webhook-id"] ?? "", body, at: AT + 3_000 };
  const sent = Object.entries(signedHeaders(order)).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  assert.deepEqual(shown, Object.fromEntries(sent));
  assert.equal(body, webhookBody(eventOf(CONTENTS[0] as EventContent)));
});

test("credits that never expire have null as their expiry", () => {
  const grant = { id: "one", kind: "operator", amount: 5, expiresAt: null } as const;
  const body = JSON.parse(webhookBody(eventOf({ kind: "credits.granted", grant })));
  assert.deepEqual(body.data, { account: ACCOUNT, grant });
});
