import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { createDeployment, serve, TOKEN } from "../../api/operator/deployment-fixture.ts";
import { BUSY, DEBITS, recordsOf, writeBusyLedger } from "../node/busy-ledger.ts";
import { commandLine, type Json, start, temporaryFolder } from "./fixture.ts";

/** Any store to any store: lines of JSON into a deployed service and out of it, with the command line as a process. */
const folder = temporaryFolder();
const file = path.join(folder, "ledger.jsonl");
let lines: string[] = [];

before(async () => {
  ({ lines } = await writeBusyLedger(folder));
});

async function fixture(before?: Parameters<typeof serve>[1]) {
  const deployment = createDeployment();
  const url = await serve(deployment.app, before);
  const own = temporaryFolder();
  const temporary = path.join(own, "tmp");
  mkdirSync(temporary);
  const env = { TOOLBOOTH_REMOTE: url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN, TMPDIR: temporary };
  const cli = commandLine(path.join(own, "data"), env);
  return { deployment, url, cli, env, own, temporary, copy: path.join(own, "copy.jsonl") };
}

const operationOf = async (request: Request) =>
  ((await request.clone().json()) as { operation: string; order: Json }).operation;

describe("export and import of a deployed service", { concurrency: 2 }, () => {
  test("what goes in comes out: SQLite, a deployment, SQLite; and the books hold all along", async () => {
    const { cli, copy, own, url, temporary, deployment } = await fixture();
    const ran = await cli.run(`import ${file} --json`);
    assert.equal(ran.status, 0, ran.stdout);
    const { counts, secretIncluded } = JSON.parse(ran.stdout);
    assert.deepEqual([counts.account, counts.debit, counts.purchase], [7, DEBITS, 3]);
    assert.equal(secretIncluded, true);
    assert.match(ran.stderr, /keys? were made under another secret than the service has/);
    assert.match(ran.stderr, /stays here: .*wrangler secret put SECRET/);
    const made = await cli.json(`export ${copy}`);
    const { secret: _, ...others } = counts;
    assert.deepEqual(made, { file: copy, counts: others, secretIncluded: false });
    assert.deepEqual(recordsOf(readFileSync(copy, "utf8")), lines);
    const { stdout } = await cli.run("export");
    assert.equal(stdout, readFileSync(copy, "utf8"), "the same service gives the same lines");
    assert.deepEqual(readdirSync(temporary), [], "nothing is left behind");

    const here = commandLine(path.join(own, "third"));
    await here.json(`import ${copy}`);
    const [there, local] = await Promise.all([cli.json("audit"), here.json("audit")]);
    assert.deepEqual(there, local);
    assert.equal(there.ok, true);
    assert.match(
      await cli.run(`import ${file}`).then(({ stderr }) => stderr),
      /7 accounts had come over before/,
    );
    assert.deepEqual(deployment.loggedErrors, []);
    assert.ok(url.startsWith("http://127.0.0.1:"));
  });

  test("an import that is stopped in the middle is run again and comes to its end", async () => {
    const arrived = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    let isStopped = false;
    const { cli, env, deployment, temporary, copy } = await fixture(async (request) => {
      const { operation, order } = (await request.clone().json()) as {
        operation: string;
        order: Json;
      };
      // The first page of the large account came through; the process is killed while it waits for the second.
      if (operation !== "importAccount" || order.account !== BUSY || order.begin) return undefined;
      if (isStopped) return undefined;
      arrived.resolve();
      await gone.promise;
      return new Response(null, { status: 503 });
    });
    const child = start("cli/main.ts", ["import", file], { ...env, DATA_DIR: "/nowhere" });
    child.stderr?.resume();
    await arrived.promise;
    child.kill("SIGTERM");
    const [, signal] = await once(child, "exit");
    assert.equal(signal, "SIGTERM");
    assert.deepEqual(readdirSync(temporary), [], "what was on its way is gone");
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
    gone.resolve();
    await assert.rejects(deployment.ledger.debit(order), /is being imported/);
    await cli.json(`import ${file}`);
    assert.equal((await deployment.ledger.debit(order)).outcome, "debited");
    await cli.json(`export ${copy}`);
    const kept = new Set(recordsOf(readFileSync(copy, "utf8")));
    const changed = lines.filter((line) => !kept.has(line));
    assert.deepEqual(changed.map((line) => JSON.parse(line).record).sort(), ["grant", "key"]);
  });

  test("nothing is sent of lines that are no good, and nothing into a service with accounts of its own", async () => {
    const asked: string[] = [];
    const { cli, deployment, own, temporary } = await fixture(async (request) => {
      asked.push(await operationOf(request));
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
    assert.equal(asked.length, 0);
    const foreign = "acc_Foreign00000";
    await deployment.ledger.openAccount({ account: foreign, freeCall: "open", now: 5 });
    assert.match(
      await cli.refused(`import ${file}`),
      /is not empty: it has the account acc_Foreign00000.*Import into a new deployment, /,
    );
    assert.ok(!asked.includes("importAccount"));
    assert.deepEqual(readdirSync(temporary), []);
    assert.deepEqual((await deployment.index.list({ after: null, max: 9 })).length, 1);
  });

  test("an account that was not brought by an import is left alone, even where the lines have it", async () => {
    const { cli, deployment } = await fixture();
    const { id: account, createdAt } = JSON.parse(
      lines.find((line) => /"record":"account"/.test(line)) ?? "",
    );
    await deployment.ledger.openAccount({ account, freeCall: "open", now: createdAt });
    assert.match(await cli.refused(`import ${file}`), /already exists and was not imported/);
  });

  test("where the books there turn out different, the import says so", async () => {
    let isDone = false;
    const { cli, deployment } = await fixture(async (request) => {
      // Somebody gives credits to an account between its coming over and the comparison.
      if (isDone || (await operationOf(request)) !== "importAddresses") return undefined;
      isDone = true;
      const grant = { account: "acc_Busy00000000", id: "more", kind: "pack" as const, amount: 5 };
      await deployment.ledger.grant({ ...grant, expiresAt: null, now: Date.now() });
      return undefined;
    });
    assert.match(
      await cli.refused(`import ${file}`),
      /the books there are not those of the lines \(acc_Busy00000000\)/,
    );
  });

  test("an account that is called while it is read is read again until it is of one moment", async () => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      const order = { account: "acc_Busy00000000", keySha256: "b".repeat(64), tool: "hash" };
      const now = Date.now();
      const asked = {
        ...order,
        callId: `late_${calls}`,
        now,
        credits: 1,
        freeCallCredits: 1,
        idempotency: null,
      };
      await deployment.ledger.debit(asked).catch(() => {});
    };
    const { cli, deployment, copy, own } = await fixture(async (request) => {
      if ((await operationOf(request)) === "exportAccount") await call();
      return undefined;
    });
    await cli.json(`import ${file}`);
    const { counts } = await cli.json(`export ${copy}`);
    // It was held in the end: a call is refused then, and not in the lines.
    assert.ok(calls > 6, `${calls} calls`);
    const { balance } = await deployment.ledger.credits({
      account: "acc_Busy00000000",
      now: Date.now(),
    });
    const taken = counts.debit - DEBITS;
    assert.ok(taken >= 1 && taken <= calls);
    assert.equal(balance, 9_000 - 2_499 - taken, "the lines have every call that was taken");
    await commandLine(path.join(own, "third")).json(`import ${copy}`);
  });
});
