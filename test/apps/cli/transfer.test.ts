/** Exports and imports: of a data folder, into one, and of a deployment where each account has a database of its own. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  createReadStream,
  createWriteStream,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { after, before, describe, test } from "node:test";
import { createDeployment, serve, TOKEN } from "../../api/operator/deployment-fixture.ts";
import { listen } from "../../support/ports.ts";
import { BUSY, busyLedger, DEBITS, recordsOf } from "../node/busy-ledger.ts";
import { commandLine, commandProcess, type Json, start, temporaryFolder } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

let file: string;
let lines: string[];
before(async () => {
  ({ file, lines } = await busyLedger());
});

async function remote(before?: Parameters<typeof serve>[1]) {
  const deployment = createDeployment();
  const url = await serve(deployment.app, before);
  const own = temporaryFolder();
  const env = { "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
  const cli = commandLine(path.join(own, "data"), env);
  return { deployment, cli, env, own, copy: path.join(own, "copy.jsonl") };
}

const pageOf = async (request: Request): Promise<Json> =>
  request.url.endsWith("/import") ? request.clone().json() : null;

describe("export", () => {
  test("writes the lines to a file with mode 0600 or to standard output, and the secret on request", async () => {
    const cli = await openFolderService();
    const folder = path.dirname(cli.dataDir);
    const target = path.join(folder, "ledger.jsonl");
    await cli.json("account create ada@b.co --credits 5");
    const { key } = await cli.json("key create ada@b.co --label l");
    assert.deepEqual(await cli.json(`export ${target} --with-secret`), {
      file: target,
      counts: { account: 1, key: 1, grant: 1, address: 1, secret: 1 },
      secretIncluded: true,
    });
    assert.equal(statSync(target).mode & 0o777, 0o600);
    assert.ok(readFileSync(target, "utf8").includes(cli.secrets[0] as string));
    assert.match(await cli.refused(`export ${target}`), /already exists.*--force/);
    const { status, stdout, stderr } = await commandProcess(cli.dataDir).run("export");
    assert.equal(status, 0);
    const printed = stdout.trimEnd().split("\n");
    assert.equal(printed.length, 6);
    for (const line of printed) JSON.parse(line);
    assert.match(stderr, /^Exported records .*\. The secret is not included/);
    assert.ok(!stdout.includes(key));
    const dash = await commandProcess(cli.dataDir).run("export -");
    assert.deepEqual([dash.status, dash.stdout], [0, stdout]);
    assert.match(await cli.wrong("export - --json"), /--json requires a file/);
    assert.match(await cli.refused("backup -"), /standard output \(-\)\. Choose a file/);
    assert.deepEqual(readdirSync(folder).sort(), ["data", "ledger.jsonl"]);
    assert.ok(!readdirSync(cli.dataDir).some((name) => name.startsWith("copy-")));
  });

  test("keeps no transaction open while a client reads slowly", async () => {
    const { driver, context, json } = await openFolderService();
    await json("account create ada@b.co --credits 5");
    const pages = context.exportRecords(null);
    const emptied: unknown[] = [];
    for await (const _ of pages) {
      driver.exec(
        "INSERT INTO setting VALUES ('w', '') ON CONFLICT DO NOTHING; DELETE FROM setting WHERE name = 'w'",
      );
      emptied.push({ ...driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() });
    }
    assert.ok(emptied.length >= 3);
    for (const row of emptied) assert.deepEqual(row, { busy: 0, log: 0, checkpointed: 0 });
  });

  test("a client that leaves before the first byte leaves no copy in the data folder", async () => {
    const { app, dataDir } = await openFolderService();
    for (const name of ["export", "backup"]) {
      const request = new Request(`http://localhost/operator/${name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: "{}",
      });
      const { status, body } = await app.fetch(request, { address: null, isLocal: true });
      assert.equal(status, 200);
      await body?.cancel();
      assert.ok(!readdirSync(dataDir).some((file) => file.startsWith("copy-")), name);
    }
  });

  test("a client that is killed while it reads leaves no file under the final name, and the server no copy", async (t) => {
    const cli = await openFolderService();
    await cli.json(`import ${file}`);
    const folder = path.dirname(cli.dataDir);
    const isLeft = () => readdirSync(cli.dataDir).some((name) => name.startsWith("copy-"));
    for (const [signal, args] of [
      ["SIGKILL", ["export", path.join(folder, "killed.jsonl")]],
      ["SIGTERM", ["export", path.join(folder, "stopped.jsonl")]],
      ["SIGKILL", ["backup", path.join(folder, "killed.sqlite")]],
    ] as const) {
      const child = start(args, { DATA_DIR: cli.dataDir });
      child.stderr?.resume();
      const exited = once(child, "exit");
      let isOver = false;
      void exited.then(() => {
        isOver = true;
      });
      // As soon as there is a partial file, the response has begun.
      const partial = () => readdirSync(folder).some((name) => name.includes(".partial"));
      while (!partial() && !isOver) await new Promise((resolve) => setImmediate(resolve));
      child.kill(signal);
      await exited;
      const names = readdirSync(folder);
      const whole = names.includes(path.basename(args[1]));
      t.diagnostic(`${signal} ${args[0]}: ${whole ? "complete before the signal" : "no file"}`);
      if (whole && args[0] === "export")
        assert.match(readFileSync(args[1], "utf8"), /"record":"trailer".+\}\n$/);
      if (signal === "SIGTERM") assert.ok(!names.some((name) => /stopped.*partial/.test(name)));
      while (isLeft()) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  test("a response that ends or breaks before its last line is not written", async () => {
    let breaks = false;
    const server = createServer((_, response) => {
      const result = encodeURIComponent('{"ok":true,"result":{},"messages":[]}');
      response.writeHead(200, { "Toolbooth-Result": result });
      response.write('{"record":"account","id":"acc_Ada000000000"}\n', () =>
        breaks ? response.destroy() : response.end(),
      );
    });
    after(() => server.close());
    const own = temporaryFolder();
    const cli = commandLine(own, {
      "--remote": `http://127.0.0.1:${await listen(server)}`,
      TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
    });
    assert.match(
      await cli.refused(`export ${own}/lines`),
      /ended before the last line\. No file was written/,
    );
    breaks = true;
    assert.match(
      await cli.refused(`export ${own}/lines`),
      /^The connection to .+ was lost before the end .+ No file was written/,
    );
    assert.deepEqual(readdirSync(own), []);
  });
});

describe("import", () => {
  test("the id of a grant may have slashes, as those of invoices", async () => {
    const { cli, copy, own } = await remote();
    const here = await openFolderService({ dataDir: path.join(own, "here") });
    await here.json("account create ada@b.co");
    await here.json("credits grant ada@b.co 5 --id invoice/2027\\31");
    await here.json(`export ${copy}`);
    await cli.json(`import ${copy}`);
    const { grants } = await cli.json("credits show ada@b.co");
    assert.deepEqual(
      grants.map(({ id }: Json) => id),
      ["operator:invoice/2027\\31"],
    );
  });

  test("a ledger moves from a data folder to a deployment and back, and always reconciles", async () => {
    const { cli, copy, own, deployment } = await remote();
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
    const here = await openFolderService({ dataDir: path.join(own, "third") });
    await here.json(`import ${copy}`);
    const [there, local] = await Promise.all([cli.json("audit"), here.json("audit")]);
    assert.deepEqual(there, local);
    assert.equal(there.ok, true);
    const again = path.join(own, "again.jsonl");
    await here.json(`export ${again}`);
    assert.deepEqual(recordsOf(readFileSync(again, "utf8")), lines);
    assert.match((await cli.run(`import ${file}`)).stderr, /^Skipped 7 accounts: an earlier run/m);
    assert.deepEqual(deployment.loggedErrors, []);
  });

  test("one that is killed can be repeated, and its incomplete account takes no calls until then", async () => {
    const arrived = Promise.withResolvers<void>();
    let isStopped = false;
    const { cli, env, deployment, copy } = await remote(async (request) => {
      const page = await pageOf(request);
      // The second page of the large account gets no response.
      if (isStopped || page?.account?.id !== BUSY || page.account.begin) return undefined;
      arrived.resolve();
      return new Promise<Response>(() => {});
    });
    const child = start(["import", file], { ...env, DATA_DIR: "/nowhere" });
    child.stderr?.resume();
    const exited = once(child, "exit");
    await Promise.race([arrived.promise, exited]);
    child.kill("SIGKILL");
    assert.deepEqual(await exited, [null, "SIGKILL"]);
    isStopped = true;
    const order = {
      ...{ account: BUSY, keySha256: "b".repeat(64), callId: "c", tool: "hash", now: Date.now() },
      ...{ credits: 1, freeCallCredits: 1, idempotency: null },
    };
    assert.equal((await deployment.ledger.debit(order)).outcome, "invalid_key");
    assert.deepEqual((await cli.json("account list")).accounts, [], "addresses come last");
    await cli.json(`import ${file}`);
    assert.equal((await deployment.ledger.debit(order)).outcome, "debited");
    await cli.json(`export ${copy}`);
    const exported = new Set(recordsOf(readFileSync(copy, "utf8")));
    const changed = lines.filter((line) => !exported.has(line));
    assert.deepEqual(changed.map((line) => JSON.parse(line).record).sort(), ["grant", "key"]);
  });

  test("sends nothing of lines that are damaged, cut off or out of order, and names the line", async () => {
    let requests = 0;
    const { cli, own } = await remote(() => {
      requests += 1;
      return undefined;
    });
    const bad = path.join(own, "bad.jsonl");
    const text = readFileSync(file, "utf8");
    const all = text.trimEnd().split("\n");
    const header = all.slice(0, 1);
    for (const [spoilt, sentence] of [
      [text.slice(0, 5_000), /^Line \d+ .*Nothing was imported\.$/],
      [all.slice(0, -1).join("\n"), /without a trailer.*Nothing was imported\.$/],
      [text.replace('"remaining":', '"remaining":1'), /SHA-256 in the trailer does not match/],
      [
        [...header, ...all.slice(2)].join("\n"),
        /whose records must follow each other, the account/,
      ],
      [
        text.replace(/"account":"acc_Ada[^"]*","createdAt"/, '"account":"nonsense","createdAt"'),
        /\(account: must be acc_ and 12 letters and digits; got "nonsense"\)\. Nothing/,
      ],
      ["x".repeat(3_000_000), /longer than any record/],
      ["", /The input is empty/],
    ] as const) {
      writeFileSync(bad, spoilt);
      assert.match(await cli.refused(`import ${bad}`), sentence);
    }
    assert.match(await cli.refused(`import ${own}/none`), /none does not exist/);
    assert.equal(requests, 0);
  });

  test("skips an account that the service has, with its purchases, and imports the others", async () => {
    const { cli, deployment } = await remote();
    const records: Json[] = lines.map((line) => JSON.parse(line));
    const paid = records.find((one) => one.record === "purchase" && one.id === "pur_a");
    const account: string = paid.account;
    await deployment.ledger.openAccount({ account, freeCall: "open", now: Date.now() });
    const { status, stdout, stderr } = await cli.run(`import ${file} --json`);
    assert.equal(status, 0, stdout);
    assert.deepEqual(JSON.parse(stdout).skipped, { importedBefore: 0, existing: 1 });
    assert.match(
      stderr,
      new RegExp(`^Skipped 1 account .+ already had, with its keys, .+: ${account}\\.$`, "m"),
    );
    const audit = await cli.json("audit");
    assert.deepEqual([audit.ok, audit.accounts], [true, 7]);
    assert.equal((await deployment.ledger.findAccount({ account, now: Date.now() }))?.balance, 0);
    const { skipped } = await cli.json(`import ${file}`);
    assert.deepEqual(skipped, { importedBefore: 6, existing: 1 });
  });

  test("takes lines from a pipe that has a name", async (t) => {
    if (process.platform === "win32") return t.skip("it has no such pipes");
    const { cli, own } = await remote();
    const pipe = path.join(own, "pipe");
    execFileSync("mkfifo", [pipe]);
    const [{ counts }] = await Promise.all([
      cli.json(`import ${pipe}`),
      pipeline(createReadStream(file), createWriteStream(pipe)),
    ]);
    assert.deepEqual([counts.account, counts.debit], [7, DEBITS]);
    return undefined;
  });

  test("a ledger moves between two installations that both have a demo account", async () => {
    const { cli, copy, own } = await remote();
    const here = await openFolderService({ dataDir: path.join(own, "here") });
    for (const each of [cli, here])
      await each.json("account create demo@toolbooth.localhost --credits 5");
    await here.json(`export ${copy}`);
    for (const line of [`import ${copy}`, `import ${copy}`]) {
      const { status, stderr } = await cli.run(line);
      assert.equal(status, 0, stderr);
      assert.match(
        stderr,
        /^The demo account in the lines \(acc_\w+\) has no address now, .+ its own demo account\./m,
      );
    }
    const audit = await cli.json("audit");
    assert.deepEqual([audit.ok, audit.accounts], [true, 2]);
  });

  test("an account that does not reconcile is an error, which names it", async () => {
    const { own } = await remote();
    const bad = path.join(own, "bad.jsonl");
    const text = readFileSync(file, "utf8").replace(/,"sha256":"[0-9a-f]{64}"\}\n$/, "}\n");
    writeFileSync(bad, text.replace('"amount":9000', '"amount":9001'));
    const other = await remote();
    assert.match(
      await other.cli.refused(`import ${bad}`),
      /acc_Busy\w+ was imported, but its records do not reconcile/,
    );
  });

  test("an address that is taken is an error after everything else, and comes with the next run", async () => {
    const { cli, deployment } = await remote();
    const now = Date.now();
    const outsider = "acc_Stranger0000";
    await deployment.directory.register({ email: "ada@b.c", account: outsider, createdAt: now });
    await deployment.ledger.openAccount({ account: outsider, freeCall: "open", now });
    assert.match(
      await cli.refused(`import ${file}`),
      /^The records were imported and reconcile, but 1 address belongs to .+: taken by acc_Stranger0000\)/,
    );
    assert.equal((await cli.json("audit")).ok, true);
    await cli.json("account close acc_Stranger0000");
    await cli.json(`import ${file}`);
    const found = await deployment.directory.findByEmail({ email: "ada@b.c" });
    assert.match(found?.account ?? "", /^acc_Ada/);
  });

  test("reads standard input", async () => {
    const cli = await openFolderService();
    const ran = await commandProcess(cli.dataDir).run("import --json", {
      input: readFileSync(file),
    });
    assert.equal(ran.status, 0, ran.stdout);
    assert.equal(JSON.parse(ran.stdout).counts.account, 7);
    assert.equal((await cli.json("audit")).ok, true);
  });

  test("an account of the edge that calls change is read again, and held in the end, so that its lines show one moment", async () => {
    let calls = 0;
    const { cli, deployment, copy, own } = await remote();
    await cli.json(`import ${file}`);
    const object = deployment.objects.get(BUSY);
    assert.ok(object);
    const { stub } = object;
    const { move } = stub;
    stub.move = async (name, order) => {
      if (name !== "exportRecords") return move(name, order);
      calls += 1;
      const debit = {
        ...{ account: BUSY, keySha256: "b".repeat(64), callId: `late_${calls}`, tool: "hash" },
        ...{ now: Date.now(), credits: 1, freeCallCredits: 1, idempotency: null },
      };
      await deployment.ledger.debit(debit).catch(() => {});
      return move(name, order);
    };
    const { counts } = await cli.json(`export ${copy}`);
    const taken = counts.debit - DEBITS;
    assert.ok(taken >= 1 && taken < calls, `${taken} of ${calls} calls`);
    const here = await openFolderService({ dataDir: path.join(own, "third") });
    await here.json(`import ${copy}`);
    assert.equal((await here.json("audit")).ok, true);
  });
});
