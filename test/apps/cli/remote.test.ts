import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { createDeployment, serve, TOKEN } from "../../api/operator/deployment-fixture.ts";
import { commandLine, temporaryFolder } from "./fixture.ts";

/** The command line on a deployed service on a loopback address. */
async function fixture(before?: Parameters<typeof serve>[1]) {
  const deployment = createDeployment();
  const url = await serve(deployment.app, before);
  const folder = temporaryFolder();
  const dataDir = path.join(folder, "data");
  const env = { "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
  return { deployment, url, folder, dataDir, env, cli: commandLine(dataDir, env) };
}

describe("the command line on a deployed service", { concurrency: 1 }, () => {
  test("--remote works before and after the command, and messages name the service", async () => {
    const { url, env, dataDir, folder } = await fixture();
    const { "--remote": _, ...token } = env;
    const cli = commandLine(dataDir, token);
    await cli.json(`account create ada@b.c --credits 3 --remote ${url}/`);
    const { balance } = await cli.json(`--remote ${url} credits show ada@b.c`);
    assert.equal(balance, 3);
    const missing = await cli.refused(`credits show bob@b.c --remote ${url}`);
    assert.ok(missing.startsWith(`There is no account for bob@b.c in ${url}.`), missing);
    await cli.json(`account suspend ada@b.c --remote ${url}`);
    const { stderr } = await cli.run(`key create ada@b.c --label l --remote ${url}`);
    assert.match(stderr, /run `npm run -s toolbooth -- --remote \S+ account resume ada@b\.c`/);
    assert.match(await cli.refused("credits show ada@b.c"), /^There is no data in/);
    assert.ok(!existsSync(dataDir));
    assert.deepEqual(readdirSync(folder), []);
  });

  test("repeats an order whose response is lost, and the service carries it out once", async () => {
    const lost = new Map<string, number>();
    const { deployment, cli } = await fixture(async (request) => {
      const body = await request.text();
      const { operation } = JSON.parse(body) as { operation: string };
      const again = new Request(request.url, {
        method: "POST",
        headers: request.headers,
        body,
      });
      const response = await deployment.app.fetch(again, "::1");
      const times = lost.get(operation) ?? 0;
      lost.set(operation, times + 1);
      // The first response to each operation is lost after the operation was done.
      return times > 0 ? response : new Response("bad gateway", { status: 502 });
    });
    await cli.json("account create ada@b.c --credits 5");
    await cli.json("credits grant ada@b.c 5");
    assert.equal((await cli.json("credits show ada@b.c")).balance, 10);
    const sentence = await cli.refused("key create ada@b.c --label l");
    assert.match(
      sentence,
      /was created, but the response with the key was lost.*-- --remote \S+ key revoke key_/,
    );
    const [, id] = /key revoke (key_\w+)/.exec(sentence) ?? [];
    await cli.json(`key revoke ${id}`);
    const { keys } = await cli.json("key list ada@b.c");
    assert.equal(keys.length, 1);
    const closed = await cli.json("account close ada@b.c");
    assert.deepEqual([closed.state, closed.forfeited], ["closed", 10]);
    assert.equal((await cli.json("audit")).totals.voided, 10);
  });

  test("audits and reports many accounts with several requests at once", async () => {
    let [open, most] = [0, 0];
    const second = Promise.withResolvers<void>();
    const { cli, deployment } = await fixture(async (request) => {
      const body = await request.text();
      const { url, headers } = request;
      open += 1;
      most = Math.max(most, open);
      if (JSON.parse(body).operation === "audit") {
        // The first account waits for another one.
        if (open > 1) second.resolve();
        await second.promise;
      }
      const again = new Request(url, { method: "POST", headers, body });
      const response = await deployment.app.fetch(again, "::1");
      open -= 1;
      return response;
    });
    const now = Date.now();
    for (let i = 0; i < 20; i += 1) {
      const account = `acc_Many${String(i).padStart(7, "0")}0`;
      await deployment.index.record({ account, now });
      await deployment.ledger.openAccount({ account, freeCall: "open", now });
      const grant = { account, id: "g", kind: "operator" as const, amount: i + 1 };
      await deployment.ledger.grant({ ...grant, expiresAt: null, now });
    }
    // An account that is listed but was never opened.
    await deployment.index.record({ account: "acc_Never0000000", now });
    const audit = await cli.json("audit");
    assert.deepEqual([audit.ok, audit.accounts, audit.totals.granted], [true, 20, 210]);
    assert.ok(most <= 16, `${most} at once`);
    const { granted, grants } = await cli.json("report --from 2020-01-01 --to 2099-01-01");
    assert.deepEqual([granted, grants.length], [210, 20]);
    deployment.objects
      .get("acc_Many00000070")
      ?.driver.exec("UPDATE credit_grant SET voided = 1, remaining = 1");
    const { ok, faults } = await cli.failed("audit");
    assert.equal(ok, false);
    assert.match(faults[0], /^acc_Many00000070: 8 credits were granted, but 2 are accounted for/);
  });

  test("actions cuts long outcomes in the table and prints them complete with --json", async () => {
    const { cli, deployment } = await fixture();
    const detail = "why ".repeat(50);
    const action = {
      at: Date.now(),
      by: "operator",
      action: "grant",
      subject: "acc_Ada000000000",
      address: "::1",
    };
    for (const end of [
      { outcome: "refused", detail } as const,
      { outcome: "done", detail: null } as const,
    ]) {
      const { id } = await deployment.actions.start(action);
      await deployment.actions.end({ id, end });
    }
    const { stdout } = await cli.run("actions");
    const widths = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.length);
    assert.ok(Math.max(...widths) <= 120, stdout);
    assert.match(stdout, / refused: (?:why )+w?h?y?… {2}::1\n/);
    assert.equal((await cli.json("actions")).actions[1].detail, detail);
  });

  test("backup, restore and --with-secret say what to use instead", async () => {
    const { cli, dataDir, folder } = await fixture();
    assert.match(
      await cli.refused(`backup ${folder}/copy`),
      /copies a data folder.*without --remote.*export/,
    );
    assert.match(await cli.refused(`restore ${folder}/copy`), /replaces a data folder.*import/);
    assert.match(
      await cli.wrong("export x --with-secret"),
      /a deployed service never sends its secret/,
    );
    const here = commandLine(dataDir);
    assert.match((await here.run("backup --help")).stdout, /With --remote: backup copies/);
    assert.match(
      (await here.run("key create --help")).stdout,
      /--label L .*\[--remote URL\] \[--json\]/,
    );
  });
});
