import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { exportSqlite } from "#stores/sqlite/transfer.ts";
import {
  ask,
  createDeployment,
  type Deployment,
  serve,
  TOKEN,
} from "../../api/operator/deployment-fixture.ts";
import { commandLine, type Json, temporaryFolder } from "./fixture.ts";

/** Imports that are run again: incomplete accounts, users who signed up in between, and addresses that are taken. */
const folder = temporaryFolder();
const file = path.join(folder, "ledger.jsonl");
const [ADA, BOB, CID] = ["Ada", "Bob", "Cid"].map((name) => `acc_${name.padEnd(12, "0")}`) as [
  string,
  string,
  string,
];
const OUTSIDER = "acc_Stranger0000";
const MADE = Date.UTC(2026, 2, 1);

/** Three accounts of 5 credits, and an address whose account was never created. */
before(async () => {
  const driver = openNodeSqlite(path.join(folder, "source.sqlite"));
  const { ledger, directory } = openSqliteDirect(driver);
  for (const [account, email] of [
    [ADA, "ada@b.c"],
    [BOB, "bob@b.c"],
    [CID, "cid@b.c"],
  ] as const) {
    await directory.register({ email, account, createdAt: MADE });
    await ledger.openAccount({ account, freeCall: "open", now: MADE });
    const grant = { account, id: "g", kind: "pack" as const, amount: 5, expiresAt: null };
    await ledger.grant({ ...grant, now: MADE });
  }
  await directory.register({ email: "dee@b.c", account: "acc_Dee000000000", createdAt: MADE });
  const chunks: Uint8Array[] = [];
  exportSqlite(driver, { secret: null }, (bytes) => chunks.push(bytes));
  driver.close();
  writeFileSync(file, Buffer.concat(chunks));
});

async function fixture() {
  const deployment = createDeployment();
  const operations: string[] = [];
  const url = await serve(deployment.app, async (request) => {
    operations.push(((await request.clone().json()) as { operation: string }).operation);
    return undefined;
  });
  const env = { TOOLBOOTH_REMOTE: url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
  return { deployment, operations, cli: commandLine(path.join(folder, "none"), env) };
}

/** The state after an interrupted import: one account is open, and one is incomplete. */
async function leaveHalf(deployment: Deployment): Promise<void> {
  const recordOf = (id: string) => ({
    record: "account",
    id,
    createdAt: MADE,
    state: "open",
    freeCall: "open",
    lowBalance: 20,
    notifiedLevel: "gone",
  });
  const grant = { record: "grant", account: ADA, id: "g", kind: "pack", amount: 5, remaining: 5 };
  const whole = [
    recordOf(ADA),
    {
      ...{ ...grant, voided: 0, voidedAt: null, grantedAt: MADE, expiresAt: null },
      ...{ waivedExpiresAt: null, clawback: 0, clawbackVersion: 0 },
    },
  ];
  for (const [account, records, finish] of [
    [ADA, whole, true],
    [BOB, [recordOf(BOB)], false],
  ] as const) {
    const order = { account, createdAt: MADE, records, begin: true, finish, now: Date.now() };
    const { status, body } = await ask(deployment, "importAccount", order);
    assert.equal(status, 200, JSON.stringify(body));
  }
}

async function signUp({ ledger, directory }: Deployment, account: string, email: string) {
  const now = Date.now();
  await directory.register({ email, account, createdAt: now });
  await ledger.openAccount({ account, freeCall: "open", now });
}

describe("an import that was interrupted", { concurrency: 2 }, () => {
  test("audit, list and report name an incomplete account with its remedy and continue", async () => {
    const { cli, deployment, operations } = await fixture();
    await leaveHalf(deployment);
    await deployment.directory.register({ email: "bob@b.c", account: BOB, createdAt: MADE });
    await signUp(deployment, OUTSIDER, "late@b.c");
    const cure = `The account ${BOB} is being imported; finish the import to open it.`;
    const audit = await cli.failed("audit");
    assert.deepEqual(
      [audit.ok, audit.accounts, audit.totals.granted, audit.faults],
      [false, 2, 5, [cure]],
    );
    assert.equal(
      operations.filter((name) => name === "audit").length,
      3,
      "one request per account",
    );

    const ran = await cli.run("account list --json");
    assert.deepEqual(
      JSON.parse(ran.stdout).accounts.map(({ id, state, balance }: Json) => [id, state, balance]),
      [
        [BOB, "moving", null],
        [OUTSIDER, "open", 0],
      ],
    );
    assert.equal(ran.stderr, `${cure}\n`);
    assert.match(
      (await cli.run("account list")).stdout,
      /\nbob@b\.c +acc_Bob000000000 +moving +2026/,
    );
    const report = await cli.run("report --from 2026-01-01 --to 2026-12-31 --json");
    assert.deepEqual([report.status, JSON.parse(report.stdout).granted], [0, 5]);
    assert.equal(report.stderr, `${cure} The report does not include it.\n`);
    assert.equal(await cli.refused(`export ${path.join(folder, "copy.jsonl")}`), cure);
  });

  test("continues beside users who signed up in between, and logs their accounts", async () => {
    const { cli, deployment } = await fixture();
    await leaveHalf(deployment);
    await signUp(deployment, OUTSIDER, "late@b.c");
    const ran = await cli.run(`import ${file} --json`);
    assert.equal(ran.status, 0, ran.stdout);
    assert.match(
      ran.stderr,
      /1 account of the service is not in these lines \(acc_Stranger0000\) and will not be changed/,
    );
    assert.match(ran.stderr, /1 address was skipped, .*interrupted .* \(acc_Dee000000000\)/);
    const { accounts } = await cli.json("account list");
    assert.deepEqual(
      accounts.map(({ id, balance }: Json) => [id, balance]),
      [
        [ADA, 5],
        [BOB, 5],
        [CID, 5],
        [OUTSIDER, 0],
      ],
    );
    assert.equal((await cli.json("audit")).ok, true);
  });

  test("fails for a taken address only, and imports it after the other account is closed", async () => {
    const { cli, deployment } = await fixture();
    await leaveHalf(deployment);
    await signUp(deployment, OUTSIDER, "cid@b.c");
    const problem = await cli.refused(`import ${file}`);
    assert.match(
      problem,
      /^The records were imported and reconcile, but 1 address belongs to another account on the service \(acc_Cid000000000: taken by acc_Stranger0000\)/,
    );
    const holderOf = async (email: string) =>
      (await deployment.directory.findByEmail({ email }))?.account;
    assert.deepEqual([await holderOf("bob@b.c"), await holderOf("cid@b.c")], [BOB, OUTSIDER]);
    // What the message recommends. An account that was closed in between does not get its address back.
    await cli.json("account close cid@b.c");
    await cli.json("account close bob@b.c");
    await cli.json(`import ${file}`);
    assert.deepEqual([await holderOf("bob@b.c"), await holderOf("cid@b.c")], [undefined, CID]);
  });

  test("an account whose address changed on the service keeps the new address", async () => {
    const { cli, deployment } = await fixture();
    await cli.json(`import ${file}`);
    deployment.d1.exec("UPDATE address SET email = 'new@b.c' WHERE email = 'ada@b.c'");
    const { status, stderr } = await cli.run(`import ${file}`);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /1 account has a new address on the service and keeps it \(acc_Ada/);
  });

  test("rejects lines of another ledger, where an account has another creation time, and changes nothing", async () => {
    const { cli, deployment, operations } = await fixture();
    await leaveHalf(deployment);
    deployment.d1.exec(`UPDATE account_index SET created_at = 7 WHERE account = '${BOB}'`);
    assert.match(
      await cli.refused(`import ${file}`),
      /The account acc_Bob000000000 .* has a different creation time than in these lines.* This run changed nothing/,
    );
    assert.ok(!operations.includes("importAccount"));
  });
});

test("checks the addresses in the lines before it sends anything", async () => {
  const { cli, operations } = await fixture();
  const bad = path.join(folder, "bad.jsonl");
  const text = readFileSync(file, "utf8").replace(/,"sha256":"[0-9a-f]{64}"\}\n$/, "}\n");
  for (const [from, to, sentence] of [
    [
      '"dee@b.c","account":"acc_Dee000000000"',
      '"dee@b.c","account":"nonsense"',
      /"address" \(account: must be acc_ and 12 letters and digits; got "nonsense"\)\. Nothing/,
    ],
    [
      '"email":"ada@b.c"',
      '"email":"NOT AN ADDRESS 1"',
      /"address" \(email: must be an email address in lowercase; got "NOT AN ADDRESS 1"\)/,
    ],
  ] as const) {
    assert.ok(text.includes(from));
    writeFileSync(bad, text.replace(from, to));
    assert.match(await cli.refused(`import ${bad}`), sentence);
  }
  assert.equal(operations.length, 0);
});
