import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { createDeployment, serve, TOKEN } from "../../api/operator/deployment-fixture.ts";
import { BUSY, busyLedger, DEBITS, recordsOf } from "../node/busy-ledger.ts";
import { commandLine, type Json, start, temporaryFolder } from "./fixture.ts";

/** Imports into and exports from a deployed service. */
let file: string;
let lines: string[];

async function fixture(before?: Parameters<typeof serve>[1]) {
  const deployment = createDeployment();
  const url = await serve(deployment.app, before);
  const own = temporaryFolder();
  const temporary = path.join(own, "tmp");
  mkdirSync(temporary);
  const env = { "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN, TMPDIR: temporary };
  const cli = commandLine(path.join(own, "data"), env);
  return { deployment, cli, env, own, temporary, copy: path.join(own, "copy.jsonl") };
}

const operationOf = async (request: Request) =>
  ((await request.clone().json()) as { operation: string; order: Json }).operation;

describe("export and import of a deployed service", { concurrency: 1 }, () => {
  before(async () => {
    ({ file, lines } = await busyLedger());
  });

  test("a ledger moves from SQLite to a deployment and back, and always reconciles", async () => {
    const { cli, copy, own, deployment } = await fixture();
    const ran = await cli.run(`import ${file} --json`);
    assert.equal(ran.status, 0, ran.stdout);
    const { counts, secretIncluded } = JSON.parse(ran.stdout);
    assert.deepEqual([counts.account, counts.debit, counts.purchase], [7, DEBITS, 3]);
    assert.equal(secretIncluded, true);
    assert.match(ran.stderr, /keys? were made with a secret that the service does not have/);
    assert.match(ran.stderr, /The secret in the lines was not sent\. .*wrangler secret put SECRET/);
    const summary = await cli.json(`export ${copy}`);
    const { secret: _, ...others } = counts;
    assert.deepEqual(summary, { file: copy, counts: others, secretIncluded: false });
    assert.deepEqual(recordsOf(readFileSync(copy, "utf8")), lines);
    const here = commandLine(path.join(own, "third"));
    await here.json(`import ${copy}`);
    const [there, local] = await Promise.all([cli.json("audit"), here.json("audit")]);
    assert.deepEqual(there, local);
    assert.equal(there.ok, true);
    assert.match(
      await cli.run(`import ${file}`).then(({ stderr }) => stderr),
      /7 accounts were already imported/,
    );
    assert.deepEqual(deployment.loggedErrors, []);
  });

  test("an import that was stopped can be repeated and completes", async () => {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let isStopped = false;
    const { cli, env, deployment, temporary, copy } = await fixture(async (request) => {
      const { operation, order } = (await request.clone().json()) as {
        operation: string;
        order: Json;
      };
      // Stops the process while it waits for the response to the second page of the large account.
      if (operation !== "importAccount" || order.account !== BUSY || order.begin) return undefined;
      if (isStopped) return undefined;
      arrived.resolve();
      await released.promise;
      return new Response(null, { status: 503 });
    });
    const child = start("cli/start.js", ["import", file], { ...env, DATA_DIR: "/nowhere" });
    child.stderr?.resume();
    const exited = once(child, "exit");
    await Promise.race([arrived.promise, exited]);
    child.kill("SIGTERM");
    assert.deepEqual(await exited, [null, "SIGTERM"]);
    assert.deepEqual(readdirSync(temporary), [], "the temporary folder is removed");
    const busy = { account: BUSY, keySha256: "b".repeat(64) };
    const order = {
      ...busy,
      callId: "c",
      tool: "hash",
      now: Date.now(),
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    };
    isStopped = true;
    released.resolve();
    await assert.rejects(deployment.ledger.debit(order), /is being imported/);
    await cli.json(`import ${file}`);
    assert.equal((await deployment.ledger.debit(order)).outcome, "debited");
    await cli.json(`export ${copy}`);
    const exported = new Set(recordsOf(readFileSync(copy, "utf8")));
    const changed = lines.filter((line) => !exported.has(line));
    assert.deepEqual(changed.map((line) => JSON.parse(line).record).sort(), ["grant", "key"]);
  });

  test("sends nothing if the lines are invalid or the service has other accounts", async () => {
    const requested: string[] = [];
    const { cli, deployment, own } = await fixture(async (request) => {
      requested.push(await operationOf(request));
      return undefined;
    });
    const bad = path.join(own, "bad.jsonl");
    const text = readFileSync(file, "utf8");
    for (const [spoilt, sentence] of [
      [text.slice(0, 5_000), /^Line \d+ .*Nothing was imported\.$/],
      [text.replace('"remaining":', '"remaining":1'), /^Line \d+ \(grant\) contradicts itself/],
      ["", /The input is empty/],
    ] as const) {
      writeFileSync(bad, spoilt);
      assert.match(await cli.refused(`import ${bad}`), sentence);
    }
    assert.equal(requested.length, 0);
    const foreign = "acc_Foreign00000";
    await deployment.index.record({ account: foreign, now: 5 });
    await deployment.ledger.openAccount({ account: foreign, freeCall: "open", now: 5 });
    assert.match(
      await cli.refused(`import ${file}`),
      /is not empty: it has the account acc_Foreign00000.*Import into a new deployment, /,
    );
    assert.ok(!requested.includes("importAccount"));
    assert.deepEqual((await deployment.index.list({ after: null, max: 9 })).length, 1);
  });

  test("rejects an account that already exists but was not imported", async () => {
    const { cli, deployment } = await fixture();
    const { id: account, createdAt } = JSON.parse(
      lines.find((line) => /"record":"account"/.test(line)) ?? "",
    );
    await deployment.ledger.openAccount({ account, freeCall: "open", now: createdAt });
    assert.match(await cli.refused(`import ${file}`), /already exists and was not imported/);
  });

  test("fails if the service's ledger differs from the lines after the import", async () => {
    let isDone = false;
    const { cli, deployment } = await fixture(async (request) => {
      // Grants credits to an account between its import and the comparison.
      if (isDone || (await operationOf(request)) !== "importAddresses") return undefined;
      isDone = true;
      const grant = { account: "acc_Busy00000000", id: "more", kind: "pack" as const, amount: 5 };
      await deployment.ledger.grant({ ...grant, expiresAt: null, now: Date.now() });
      return undefined;
    });
    assert.match(
      await cli.refused(`import ${file}`),
      /the service's ledger differs from the lines \(acc_Busy00000000\)/,
    );
  });

  test("reads an account again if a call changes it, until the pages are consistent", async () => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      const order = { account: "acc_Busy00000000", keySha256: "b".repeat(64), tool: "hash" };
      const now = Date.now();
      const requested = {
        ...order,
        callId: `late_${calls}`,
        now,
        credits: 1,
        freeCallCredits: 1,
        idempotency: null,
      };
      await deployment.ledger.debit(requested).catch(() => {});
    };
    const { cli, deployment, copy, own } = await fixture(async (request) => {
      if ((await operationOf(request)) === "exportAccount") await call();
      return undefined;
    });
    await cli.json(`import ${file}`);
    const { counts } = await cli.json(`export ${copy}`);
    // In the end the account was held. A rejected call is not in the lines.
    assert.ok(calls > 6, `${calls} calls`);
    const { balance } = await deployment.ledger.credits({
      account: "acc_Busy00000000",
      now: Date.now(),
    });
    const taken = counts.debit - DEBITS;
    assert.ok(taken >= 1 && taken <= calls);
    assert.equal(balance, 9_000 - 2_499 - taken, "the lines contain every accepted call");
    await commandLine(path.join(own, "third")).json(`import ${copy}`);
  });
});
