import assert from "node:assert/strict";
import { test } from "node:test";
import { beginLines, faultOfRecord, readTransfer } from "#ledger/transfer/lines.ts";
import { TransferError, type TransferRecord } from "#ledger/transfer/records.ts";

/** Lines that somebody edited or that another program wrote: each fault names its line, member and value. */
const ACCOUNT = "acc_Ann000000000";
const KEY = "key_Ann0000000000000000001";
const GOOD: Record<string, Record<string, unknown>> = {
  account: {
    ...{ record: "account", id: ACCOUNT, createdAt: 1, state: "open", freeCall: "open" },
    ...{ lowBalance: 20, notifiedLevel: "enough", prices: null },
  },
  address: { record: "address", email: "ann@example.com", account: ACCOUNT, createdAt: 1 },
  key: {
    ...{ record: "key", id: KEY, account: ACCOUNT, sha256: "a".repeat(64), start: "tb_A" },
    ...{ label: "production", createdAt: 1, lastUsedAt: null, revokedAt: null },
    ...{ previousSha256: null, previousUntil: null, limits: null, budgetSpent: null },
  },
  grant: {
    ...{ record: "grant", account: ACCOUNT, id: "starter:1", kind: "starter", amount: 5 },
    ...{ remaining: 5, voided: 0, voidedAt: null, grantedAt: 1, expiresAt: null },
    ...{ waivedExpiresAt: null, clawback: 0, clawbackVersion: 0 },
  },
  debit: {
    ...{ record: "debit", account: ACCOUNT, at: 1, callId: "call_1", key: KEY, tool: "hash" },
    ...{ credits: 1, isFree: false, grant: "starter:1", parts: null, reversedAt: null },
  },
  usage: {
    ...{ record: "usage", account: ACCOUNT, hour: 3_600_000, key: KEY, tool: "hash" },
    ...{ calls: 1, freeCalls: 0, credits: 1 },
  },
  idempotency: {
    ...{ record: "idempotency", account: ACCOUNT, tool: "hash", key: "a/b", at: 1 },
    ...{ callId: "call_1", bodySha256: "x", responseSha256: "y", receivedAt: 1, random: null },
  },
  actedCall: {
    ...{ record: "actedCall", account: ACCOUNT, tool: "send", key: "a/b", at: 1 },
    ...{ callId: "call_1", bodySha256: "x" },
  },
  closedAddress: { record: "closedAddress", emailHash: "b".repeat(64), closedAt: 1 },
  secret: { record: "secret", value: "hush" },
};

const utf8 = new TextEncoder();
const HEADER = '{"record":"header","format":"toolbooth-ledger","version":1}';
const read = (...lines: string[]) => [...readTransfer(lines.map((line) => utf8.encode(line)))];

const faultOf = (...lines: string[]): string => faultIn(HEADER, ...lines);

function faultIn(...lines: string[]): string {
  try {
    read(...lines);
  } catch (error) {
    assert.ok(error instanceof TransferError, String(error));
    return error.message;
  }
  return "none";
}

test("a record of each kind is read as it is", () => {
  const lines = Object.values(GOOD).map((line) => JSON.stringify(line));
  const counts = Object.fromEntries(Object.keys(GOOD).map((kind) => [kind, 1]));
  const records = read(HEADER, ...lines, JSON.stringify({ record: "trailer", counts }));
  assert.deepEqual(
    records.map(({ line, record }) => [line, record.record]),
    Object.keys(GOOD).map((kind, at) => [at + 2, kind]),
  );
});

const long = "x".repeat(300);
const TIME = "must be a whole number of milliseconds since 1970 UTC";
const ACCOUNT_ID = "must be acc_ and 12 letters and digits";
const EMAIL = "must be an email address in lowercase";
const CONTROL = "must not have line breaks or other control characters";
const NO_PATH = "must be an id, not a path";
const BAD: [kind: string, changes: Record<string, unknown>, sentence: string][] = [
  ["account", { id: "acc_../../etc" }, `id: ${ACCOUNT_ID}; got "acc_../../etc"`],
  ["account", { id: "acc_Ann00000000\n" }, `id: ${ACCOUNT_ID}; got "acc_Ann00000000\\n"`],
  ["account", { createdAt: "2026-02-30" }, `createdAt: ${TIME}; got "2026-02-30"`],
  ["account", { createdAt: -1 }, `createdAt: ${TIME}; got -1`],
  ["account", { createdAt: 1.5 }, `createdAt: ${TIME}; got 1.5`],
  [
    "account",
    { createdAt: 8.64e15 },
    "createdAt: must be a time in milliseconds since 1970 UTC, before the year 10000; got 8640000000000000",
  ],
  ["account", { createdAt: 1e300 }, "createdAt: "],
  ["account", { createdAt: null }, `createdAt: ${TIME}; got null`],
  ["account", { state: "gone" }, 'state: must be one of `open`, `suspended`, `closed`; got "gone"'],
  ["account", { isAdmin: true }, 'has the unknown field "isAdmin"'],
  [
    "address",
    { email: "ann@example.com\r\nBcc: eve@example.com" },
    `email: ${EMAIL}; got "ann@example.com\\r\\nBcc: eve@example.com"`,
  ],
  ["address", { email: "ann@example.com\u2028" }, `email: ${EMAIL}`],
  ["address", { email: "Ann@example.com" }, `email: ${EMAIL}`],
  ["address", { email: "ann" }, `email: ${EMAIL}; got "ann"`],
  ["address", { email: `${long}@example.com` }, `email: ${EMAIL}`],
  ["address", { account: "../toolbooth" }, `account: ${ACCOUNT_ID}; got "../toolbooth"`],
  [
    "closedAddress",
    { emailHash: "ann@example.com" },
    "emailHash: must be the hash of an email address",
  ],
  ["key", { id: "key_../x" }, 'id: must be the id of a key of the account; got "key_../x"'],
  ["key", { id: "key_Bob0000000000000000001" }, "id: must be the id of a key of the account"],
  ["key", { sha256: "hush" }, "sha256: must match the pattern"],
  ["key", { label: "a\nb" }, `label: ${CONTROL}; got "a\\nb"`],
  ["key", { label: "a\ud800" }, `label: ${CONTROL}; got "a\\ud800"`],
  ["key", { label: long }, "label: must have at most 100 characters"],
  ["key", { previousUntil: 2 }, "the previous secret must have an end"],
  ["grant", { amount: -5 }, "amount: must be at least 1; got -5"],
  ["grant", { amount: 2.5 }, "amount: must be a whole number; got 2.5"],
  ["grant", { amount: 1e13 }, "amount: must be at most 1000000000000; got 10000000000000"],
  ["grant", { remaining: -1 }, "remaining: must be at least 0; got -1"],
  ["grant", { id: "" }, 'id: must not be empty; got ""'],
  ["grant", { id: long }, "id: must have at most 255 characters"],
  ["grant", { kind: "gift" }, "kind: must be one of"],
  ["debit", { key: "key_../x" }, 'key: must be the id of a key; got "key_../x"'],
  ["debit", { callId: "call_1\u0000" }, `callId: ${CONTROL}; got "call_1\\u0000"`],
  [
    "debit",
    {
      credits: 4,
      parts: [
        { id: "starter:1", kind: "starter", credits: 1 },
        { id: "b", kind: "pack", credits: 2 },
      ],
    },
    "the parts must add up to the credits, and the first one must be of the grant",
  ],
  ["debit", { credits: -1 }, "credits: must be at least 0; got -1"],
  ["debit", { tool: "/etc/passwd" }, `tool: ${NO_PATH}; got "/etc/passwd"`],
  ["debit", { tool: "..\\secret" }, `tool: ${NO_PATH}`],
  [
    "debit",
    {
      credits: 3,
      parts: [
        { id: "starter:1", kind: "starter", credits: 1 },
        { id: "", kind: "pack", credits: 2 },
      ],
    },
    'parts.1.id: must not be empty; got ""',
  ],
  ["usage", { hour: 3_600_001 }, "hour: must be the start of an hour; got 3600001"],
  ["usage", { calls: 0.5 }, "calls: must be a whole number; got 0.5"],
];

for (const [kind, changes, sentence] of BAD)
  test(`an import names a ${kind} with ${JSON.stringify(changes).slice(0, 60)}`, () => {
    const line = JSON.stringify({ ...GOOD[kind], ...changes });
    const fault = faultOf(JSON.stringify(GOOD["closedAddress"]), line);
    const start = `Line 3 is an invalid record of kind "${kind}" (${sentence}`;
    assert.ok(fault.startsWith(start), fault);
  });

test("names that every object has are unknown kinds, and no other value is a kind", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "", "Account"])
    assert.equal(
      faultOf(`{"record":${JSON.stringify(name)}}`),
      `Line 2 is a record of unknown kind ${JSON.stringify(name)}`,
    );
  for (const line of ["{}", "null", "[]", "7", '{"record":7}', '{"record":null}'])
    assert.equal(faultOf(line), 'Line 2 is not a record: it has no member "record"');
  assert.match(faultOf('{"record":"account","__proto__":{"id":"x"}}'), /^Line 2 is an invalid/);
});

const ONE = JSON.stringify(GOOD["account"]);
const trailer = (counts: object, more = {}) =>
  JSON.stringify({ record: "trailer", counts, ...more });
const NO_HEADER = "Line 1 is not the header of a Toolbooth export";
for (const [what, lines, fault] of [
  ["nothing", [], "The input is empty"],
  ["text", ["x"], "Line 1 is not JSON in UTF-8: the file is damaged, or it is not an export"],
  ["records alone", [ONE], NO_HEADER],
  ["another format", [HEADER.replace("toolbooth-", "other-")], NO_HEADER],
  [
    "a later version",
    [HEADER.replace('"version":1', '"version":2')],
    "The export has format version 2, but this version of Toolbooth reads only version 1",
  ],
  [
    "lines without a trailer",
    [HEADER, ONE],
    "The input ends after line 2 without a trailer: it is truncated",
  ],
  [
    "lines after the trailer",
    [HEADER, trailer({}), ONE],
    "Line 3 comes after the trailer, which must be the last line",
  ],
  [
    "a line too many",
    [HEADER, ONE, trailer({})],
    'Line 3: the trailer counts 0 records of kind "account", but there are 1: lines are missing or repeated',
  ],
  [
    "a line too few",
    [HEADER, trailer({ account: 1 })],
    'Line 2: the trailer counts 1 records of kind "account", but there are 0: lines are missing or repeated',
  ],
  [
    "a changed line",
    [HEADER, ONE, trailer({ account: 1 }, { sha256: "0" })],
    'Line 3: the SHA-256 in the trailer does not match the lines: a line was changed. If the change is intended, remove "sha256" from the trailer',
  ],
] as const)
  test(`${what} is no export`, () => {
    assert.equal(faultIn(...lines), fault);
  });

test("written lines are read again, and a record that could not be is found before", () => {
  const chunks: Uint8Array[] = [];
  const lines = beginLines((bytes) => void chunks.push(bytes));
  lines.put("account", utf8.encode(`${ONE}\n`));
  assert.deepEqual(lines.end(), { account: 1 });
  const written = chunks.map((bytes) => new TextDecoder().decode(bytes).trimEnd());
  assert.deepEqual(read(...written), [{ line: 2, record: GOOD["account"] }]);
  const account = GOOD["account"] as TransferRecord;
  assert.equal(faultOfRecord(account), null);
  assert.match(
    faultOfRecord({ ...account, lowBalance: -1 } as TransferRecord) ?? "",
    /^an invalid record of kind "account" \(lowBalance: /,
  );
});

test("a trailer counts known kinds only", () => {
  const fault = (counts: string) => faultOf(`{"record":"trailer","counts":${counts}}`);
  for (const counts of ['{"__proto__":1}', '{"coupon":1}'])
    assert.match(fault(counts), /^Line 2: the trailer counts records of unknown kind "/);
  for (const counts of ['{"account":-1}', '{"account":1.5}', "7", "null"])
    assert.match(fault(counts), /^Line 2 is an invalid record of kind "trailer"/);
});

test("hashes and the secret are not shown", () => {
  for (const line of [
    { ...GOOD["key"], sha256: "hush" },
    { ...GOOD["closedAddress"], emailHash: "" },
    { record: "secret", value: 7, hush: 1 },
  ])
    assert.ok(!/got/.test(faultOf(JSON.stringify(line))), JSON.stringify(line));
});
