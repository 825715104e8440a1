/** The output of the operator's commands, which must be the same on every store, through the socket and over the network. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callRef } from "#ids.ts";
import type { Json } from "../apps/cli/fixture.ts";
import { runHere } from "../apps/node/run-command.ts";

export type Opened = {
  /** The environment of the command line. */
  env: Record<string, string>;
  /** The operator that `actions` must show. */
  by: string;
  isOverNetwork: boolean;
  /** Whether one database holds all accounts, so that a grant is found without its account. */
  isWhole: boolean;
  /** Runs SQL in the database of the service's jobs. */
  jobs(sql: string): Promise<unknown>;
  /** Runs SQL in the database of the service's reversals, which on Node is a file in the data folder. */
  reversals(sql: string): Promise<unknown>;
};

const ACCOUNT = "acc";
const TIME = "time";

/** Replaces random ids and times by constants. */
const shapeOf = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/"(acc|key|tb)_[0-9A-Za-z…]+"/g, '"$1"')
      .replaceAll(/"operator:(?:acc_)?[0-9A-Za-z]{12,16}"/g, '"operator"')
      .replaceAll(/"service":"[^"]*"/g, '"service":"SERVICE"')
      .replaceAll(/"20(?:1|2)\d-\d\d-\d\dT[\d:.]+Z"/g, `"${TIME}"`),
  );

const INVOICE = { id: "operator:invoice-7", amount: 5, expiresAt: "2100-01-01T00:00:00.000Z" };
const FIRST = { id: "operator", kind: "operator", amount: 7, expiresAt: null };
const CLAWED = { id: "operator:invoice-7", amount: 5, clawedBack: 3, spent: 0, remaining: 2 };
const FIRST_AGAIN = { id: "operator", amount: 5, expiresAt: null };
const BOB_LISTED = {
  ...{ id: ACCOUNT, email: "bob@b.co", state: "open", balance: 0, createdAt: TIME },
};
const BOB_PRICE = { email: "bob@b.co", tool: "hash", before: null };
const NO_TOTALS = { debited: 0, reversed: 0, held: 0, expired: 0 };

const UNKNOWN_CALL = callRef({ account: "acc_Ada000000000", callId: "call_1", at: 1 });

/** Commands in order, each with the object that it prints or a pattern of its error message. */
const LINES: readonly (readonly [line: string, expected: object | RegExp])[] = [
  [
    "account create Ada@Example.org --credits 7",
    { id: ACCOUNT, email: "ada@example.org", balance: 7 },
  ],
  [
    "account create ada@example.org",
    /already has an account\. .+ credits grant ada@example\.org 100`/,
  ],
  ["account create nobody", /must be a complete email address.+ got "nobody"/],
  ["account create bob@b.co", { id: ACCOUNT, email: "bob@b.co", balance: 0 }],
  ["key create ada@example.org --label production", { id: "key", key: "tb" }],
  ["key create eve@b.co --label production", /^There is no account for eve@b\.co\. /],
  [`key create ada@example.org --label ${"l".repeat(101)}`, /1 to 100 characters/],
  [
    "key list ada@example.org",
    {
      account: ACCOUNT,
      email: "ada@example.org",
      keys: [
        {
          id: "key",
          start: "tb",
          label: "production",
          createdAt: TIME,
          lastUsedAt: null,
          revokedAt: null,
          limits: null,
          previousUntil: null,
          unused: false,
        },
      ],
    },
  ],
  [
    "key create bob@b.co --label limited --tools uuid,hash --budget-day 5 --networks ::1",
    { id: "key", key: "tb" },
  ],
  ["key create bob@b.co --label limited --tools nope", /^There is no tool "nope"/],
  [
    "key list bob@b.co",
    {
      account: ACCOUNT,
      email: "bob@b.co",
      keys: [
        {
          id: "key",
          start: "tb",
          label: "limited",
          createdAt: TIME,
          lastUsedAt: null,
          revokedAt: null,
          limits: {
            ...{ expiresAt: null, tools: ["hash", "uuid"], networks: ["::1/128"], rate: null },
            budgets: {
              day: { credits: 5, spent: 0, remaining: 5, resetsAt: TIME },
              ...{ month: null, total: null },
            },
          },
          previousUntil: null,
          unused: false,
        },
      ],
    },
  ],
  ["key rotate key_Ada0000000000000000000", /^There is no key key_Ada/],
  ["price list --account bob@b.co", { email: "bob@b.co", prices: [] }],
  [
    "price set hash 3 --account bob@b.co",
    { email: "bob@b.co", tool: "hash", credits: 3, before: null },
  ],
  ["price set hash 0 --account Bob@B.co", { ...BOB_PRICE, credits: 0, before: 3 }],
  ["price set hash 0 --account bob@b.co", { ...BOB_PRICE, credits: 0, before: 0 }],
  ["price set echo 1000000 --account bob@b.co", { ...BOB_PRICE, tool: "echo", credits: 1e6 }],
  ["price set echo 1000001 --account bob@b.co", /<N> must be a whole number from 0 to 1000000/],
  ["price set nope 3 --account bob@b.co", /^There is no tool "nope"\. The tools are /],
  ["price set hash 3 --account eve@b.co", /^There is no account for eve@b\.co\. /],
  [
    "price list --account bob@b.co",
    {
      email: "bob@b.co",
      prices: [
        { tool: "echo", credits: 1_000_000 },
        { tool: "hash", credits: 0 },
      ],
    },
  ],
  ["price remove hash --account bob@b.co", { email: "bob@b.co", tool: "hash", before: 0 }],
  ["price remove hash --account bob@b.co", { email: "bob@b.co", tool: "hash", before: null }],
  ["price remove echo --account bob@b.co", { email: "bob@b.co", tool: "echo", before: 1e6 }],
  [
    "credits grant ada@example.org 5 --expires 2099-12-31 --id invoice-7",
    { email: "ada@example.org", ...INVOICE, granted: true, balance: 12 },
  ],
  [
    "credits grant ada@example.org 5 --expires 2099-12-31 --id invoice-7",
    { email: "ada@example.org", ...INVOICE, granted: false, balance: 12 },
  ],
  ["credits grant ada@example.org 6 --id invoice-7", /already exists, with 5 credits/],
  ["credits grant ada@example.org 6 --expires 2020-01-01", /is in the past/],
  [
    "credits show ada@example.org",
    {
      balance: 12,
      grants: [
        { ...INVOICE, kind: "operator", remaining: 5 },
        { ...FIRST, remaining: 7 },
      ],
    },
  ],
  [
    "credits clawback invoice-7 3",
    { email: "ada@example.org", account: ACCOUNT, ...CLAWED, balance: 9 },
  ],
  [
    "credits clawback operator:invoice-7 3 --account ada@example.org",
    { email: "ada@example.org", account: ACCOUNT, ...CLAWED, balance: 9 },
  ],
  [
    "credits clawback invoice-7 2",
    /^3 credits of operator:invoice-7 have already been taken back, /,
  ],
  ["credits clawback invoice-8 2", /^There is no grant invoice-8.+ run `npm run -s toolbooth/],
  [
    "credits clawback invoice-7 2 --account bob@b.co",
    /^There is no grant invoice-7 in the account/,
  ],
  [
    "credits clawback invoice-7 1000",
    {
      ...{ email: "ada@example.org", account: ACCOUNT, ...CLAWED, balance: 7 },
      ...{ clawedBack: 5, remaining: 0 },
    },
  ],
  [
    "credits grant ada@example.org 5",
    { email: "ada@example.org", ...FIRST_AGAIN, granted: true, balance: 12 },
  ],
  [
    "account show ada@example.org",
    {
      ...{ id: ACCOUNT, email: "ada@example.org", state: "open", createdAt: TIME },
      ...{ plan: "credits", balance: 12, nextExpiry: null, freeCall: "open", lowBalance: 20 },
      ...{ starter: null, owner: null },
      keys: [
        {
          ...{ id: "key", label: "production", start: "tb", createdAt: TIME },
          ...{
            lastUsedAt: null,
            revokedAt: null,
            limits: null,
            previousUntil: null,
            unused: false,
          },
        },
      ],
      prices: [],
    },
  ],
  ["account show acc_Eve000000000", /^There is no open account acc_Eve000000000\. /],
  [
    "account list --search BOB --max 1",
    { accounts: [{ ...BOB_LISTED, state: "open" }], next: null },
  ],
  ["account list --max 1 --after ada@example.org", { accounts: [BOB_LISTED], next: null }],
  [
    `calls show ${UNKNOWN_CALL}`,
    /^There is no call call_\S+, and no open account acc_\S+\. Check the id, .+\.$/,
  ],
  [`calls reverse ${UNKNOWN_CALL}`, /^There is no call call_\S+, /],
  ["account suspend bob@b.co", { id: ACCOUNT, email: "bob@b.co", state: "suspended" }],
  [
    "account list",
    {
      accounts: [
        {
          id: ACCOUNT,
          email: "ada@example.org",
          state: "open",
          balance: 12,
          createdAt: TIME,
        },
        {
          id: ACCOUNT,
          email: "bob@b.co",
          state: "suspended",
          balance: 0,
          createdAt: TIME,
        },
      ],
    },
  ],
  [
    "account export bob@b.co",
    {
      ...{ format: "personal-data", version: 1, service: "SERVICE", exportedAt: TIME },
      account: {
        ...{ account: ACCOUNT, state: "suspended", createdAt: TIME, freeCall: "open" },
        ...{ balance: 0, held: 0, lifetime: false, lowBalance: 20, prices: [] },
      },
      ...{ profile: null, logins: [], passkeys: [], requiresPasskey: false, sessions: [] },
      ...{ emailChoices: null, emailsWaiting: [], webhookEndpoints: [] },
      apiKeys: [
        {
          ...{ id: "key", account: ACCOUNT, start: "tb", label: "limited", createdAt: TIME },
          ...{ lastUsedAt: null, revokedAt: null, oldKeyEndsAt: null },
          limits: {
            ...{ expiresAt: null, tools: ["hash", "uuid"], networks: ["::1/128"], rate: null },
            budgets: { day: 5, month: null, total: null },
          },
        },
      ],
      ...{ balance: 0, grants: [], purchases: [], usage: [], activity: [], requests: [] },
      complete: true,
    },
  ],
  ["account resume bob@b.co", { id: ACCOUNT, email: "bob@b.co", state: "open" }],
  [
    "account set-email bob@b.co ada@example.org",
    /^Another account has ada@example\.org\. Nothing was changed\./,
  ],
  ["account reset-passkeys bob@b.co", /^Nobody has signed up for the account of bob@b\.co\./],
  ["key revoke key_Ada0000000000000000000", /There is no key key_Ada/],
  ["payments list ada@example.org", { account: ACCOUNT, purchases: [] }],
  ["payments reconcile", /^This service sells no credits\. .+ set STRIPE_SECRET_KEY/],
  [
    "report --from 2020-01-01 --to 2098-12-31",
    {
      from: "2020-01-01",
      to: "2098-12-31",
      calls: 0,
      credits: 0,
      granted: 17,
      days: [],
      accounts: [
        { id: ACCOUNT, email: "ada@example.org", state: "open", balance: 12, calls: 0, credits: 0 },
        { id: ACCOUNT, email: "bob@b.co", state: "open", balance: 0, calls: 0, credits: 0 },
      ],
      grants: [
        { account: ACCOUNT, email: "ada@example.org", ...FIRST, grantedAt: TIME },
        {
          account: ACCOUNT,
          email: "ada@example.org",
          kind: "operator",
          ...INVOICE,
          grantedAt: TIME,
        },
        {
          ...{ account: ACCOUNT, email: "ada@example.org", kind: "operator", ...FIRST_AGAIN },
          grantedAt: TIME,
        },
      ],
      revenue: [],
      totals: { balance: 12, revenue: [] },
      ledger: { ok: true, accounts: 2, granted: 17, remaining: 12, voided: 5, ...NO_TOTALS },
    },
  ],
  ["account close bob@b.co", { id: ACCOUNT, email: "bob@b.co", state: "closed", forfeited: 0 }],
  ["account suspend bob@b.co", /^There is no account for bob@b\.co\. /],
  [
    "account close ada@example.org",
    { id: ACCOUNT, email: "ada@example.org", state: "closed", forfeited: 12 },
  ],
  ["account list", { accounts: [] }],
  [
    "audit",
    {
      ok: true,
      accounts: 2,
      faults: [],
      damage: [],
      totals: { granted: 17, remaining: 0, voided: 17, ...NO_TOTALS },
    },
  ],
];

const DIED = Date.UTC(2026, 10, 21);
const dead = (id: string, queue: string, kind: string, label: string, payload: string) =>
  `INSERT INTO job (id, queue, kind, target, label, payload, created_at, attempts, last_error, died_at)
   VALUES ('${id}', '${queue}', '${kind}', '${queue} of somebody', '${label}', ${payload},
           ${DIED - 1_000}, 3, 'refused (550)', ${DIED})`;
const deadAsListed = (
  id: string,
  queue: string,
  kind: string,
  label: string,
  hasPayload: boolean,
) =>
  shapeOf({
    id,
    queue,
    kind,
    label,
    hasPayload,
    attempts: 3,
    lastError: "refused (550)",
    createdAt: TIME,
    dueAt: null,
    diedAt: TIME,
  });

const EMAIL = ["eml_1", "email", "key_created", "example.org"] as const;
const ERASED = ["eml_2", "email", "sign_in_code", "b.c"] as const;
const CALL = [
  "call_1 of acc_Ada000000000 at 1",
  "reversal",
  "reverse-call",
  "acc_Ada000000000",
] as const;

/** Lists and retries dead jobs. Retried jobs stay in the list, because nothing in the test sends emails or reverses calls. */
async function testJobs({ env, jobs, reversals }: Opened): Promise<void> {
  const run = (...words: string[]) => runHere([...words, "--json"], env);
  const list = async (...words: string[]) => shapeOf((await run("jobs", "list", ...words)).json);
  assert.deepEqual(await list(), { jobs: [] });
  assert.deepEqual(await list("--dead"), { jobs: [] });
  await jobs(dead(...EMAIL, "'{}'"));
  await jobs(dead(...ERASED, "NULL"));
  await reversals(dead(...CALL, "'{}'"));
  const [email, erased] = [deadAsListed(...EMAIL, true), deadAsListed(...ERASED, false)];
  const call = deadAsListed(...CALL, true);
  assert.deepEqual(await list("--dead"), { jobs: [email, erased, call] });
  assert.deepEqual(await list("--dead", "--max", "2"), { jobs: [email, erased] });
  assert.deepEqual(await list(), { jobs: [] });
  for (const { id } of [email, call])
    assert.deepEqual(shapeOf((await run("jobs", "retry", id)).json), { id, dueAt: TIME });
  await assert.rejects(run("jobs", "retry", CALL[0]), /^Error: Job .* is not dead/);
  await assert.rejects(run("jobs", "retry", "eml_2"), /^Error: Job eml_2 .* was erased/);
  await assert.rejects(run("jobs", "retry", "eml_3"), /^Error: There is no job eml_3\. /);
  await assert.rejects(run("jobs", "retry", "ada@example.org"), /must be the id of a job/);
  const isWaiting = { attempts: 0, dueAt: TIME, diedAt: null };
  assert.deepEqual(await list(), {
    jobs: [
      { ...email, ...isWaiting },
      { ...call, ...isWaiting },
    ],
  });
  assert.deepEqual(await list("--dead"), { jobs: [erased] });
}

/** The acts that the commands leave, oldest first. Subjects are ids, never email addresses. */
const ACTIONS: readonly (readonly [
  action: string,
  subject: RegExp | null,
  outcome: string | RegExp,
])[] = [
  ["account create", /^acc_/, "done: 7 credits"],
  ["account create", /^acc_/, "done: 0 credits"],
  ["key create", /^key_/, "done"],
  ["key create", /^key_/, /^refused: Enter a label of 1 to 100 characters/],
  ["key create", /^key_/, "done"],
  ["key create", /^key_/, /^refused: There is no tool/],
  ["price set", /^acc_/, "done: hash costs 3"],
  ["price set", /^acc_/, "done: hash costs 0 instead of 3"],
  ["price set", /^acc_/, "unchanged: hash already costs 0"],
  ["price set", /^acc_/, "done: echo costs 1000000"],
  ["price set", /^acc_/, /^refused: There is no tool "nope"/],
  ["price remove", /^acc_/, "done: hash cost 0"],
  ["price remove", /^acc_/, "unchanged: no price for hash"],
  ["price remove", /^acc_/, "done: echo cost 1000000"],
  ["credits grant", /^acc_/, "done: 5 credits as operator:invoice-7"],
  ["credits grant", /^acc_/, "unchanged: operator:invoice-7 was granted before"],
  ["credits grant", /^acc_/, /^refused: The grant operator:invoice-7 already exists/],
  ["credits grant", /^acc_/, /^refused: The expiry 2020-/],
  ["credits clawback", /^acc_/, "done: 3 credits of operator:invoice-7 are clawed back"],
  ["credits clawback", /^acc_/, "done: 3 credits of operator:invoice-7 are clawed back"],
  [
    "credits clawback",
    /^acc_/,
    /^refused: 3 credits of operator:invoice-7 have already been taken back/,
  ],
  ["credits clawback", /^acc_/, "done: 5 credits of operator:invoice-7 are clawed back"],
  ["credits grant", /^acc_/, /^done: 5 credits as operator:/],
  ["account suspend", /^acc_/, "done"],
  ["account export", /^acc_/, "done"],
  ["account resume", /^acc_/, "done"],
  ["account set-email", /^acc_/, /^refused: Another account has \(an address\)/],
  ["account reset-passkeys", /^acc_/, /^refused: Nobody has signed up/],
  ["payments reconcile", null, /^refused: This service sells no credits/],
  ["account close", /^acc_/, "done: 0 credits forfeited"],
  ["account close", /^acc_/, "done: 12 credits forfeited"],
  ["jobs retry", /^eml_1$/, "done"],
  ["jobs retry", /^call_1 of acc_Ada000000000 at 1$/, "done"],
  ["jobs retry", /^call_1 of acc_Ada000000000 at 1$/, /^refused: Job call_1 .* is not dead/],
  ["jobs retry", /^eml_2$/, /^refused: Job eml_2 cannot be retried/],
  ["jobs retry", /^eml_3$/, /^refused: There is no job eml_3/],
];

export function testOperatorCommands(name: string, open: () => Promise<Opened>): void {
  test(`${name}: every command prints its object, and actions lists who did what`, async () => {
    const opened = await open();
    const { env, by, isOverNetwork, isWhole } = opened;
    for (const [given, expected] of LINES) {
      const needsAccount = !isWhole && /^credits clawback (?!.*--account)/.test(given);
      const line = needsAccount ? `${given} --account ada@example.org` : given;
      const ran = runHere(`${line} --json`, env);
      if (expected instanceof RegExp) {
        await assert.rejects(ran, ({ message }) => expected.test(message) || fail(line, message));
      } else assert.deepEqual(shapeOf((await ran).json), shapeOf(expected), line);
    }
    await testJobs(opened);
    const { actions } = (await runHere("actions --json", env)).json;
    const found = actions.toReversed();
    assert.equal(found.length, ACTIONS.length, JSON.stringify(found, null, 1));
    for (const [index, [action, subject, outcome]] of ACTIONS.entries()) {
      const recorded = found[index];
      assert.deepEqual([recorded.action, recorded.by], [action, by]);
      if (subject === null) assert.equal(recorded.subject, null);
      else assert.match(recorded.subject, subject);
      const end =
        recorded.detail === null ? recorded.outcome : `${recorded.outcome}: ${recorded.detail}`;
      assert.match(end, outcome instanceof RegExp ? outcome : new RegExp(`^${outcome}$`));
      assert.equal(typeof recorded.address, isOverNetwork ? "string" : "object");
      assert.ok(Math.abs(Date.parse(recorded.at) - Date.now()) < 600_000);
    }
    assert.doesNotMatch(JSON.stringify(actions), /example\.org|@b\.co|tb_[0-9A-Za-z]{56}/);
    assert.equal((await runHere("actions --max 3 --json", env)).json.actions.length, 3);
  });
}

const fail = (line: string, message: string): never => assert.fail(`${line}: ${message}`);
