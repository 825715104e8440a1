/** Imports and exports complete ledgers over the network, on a Node server and a fleet. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before } from "node:test";
import { serve, TOKEN } from "../../api/operator/deployment-fixture.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { sampleTests } from "../../support/sample.ts";
import { BUSY, DEBITS, recordsOf, writeBusyLedger } from "../node/busy-ledger.ts";
import { runHere } from "../node/run-command.ts";
import { type Json, start, startServer, temporaryFolder } from "./fixture.ts";

const folder = temporaryFolder();
let file = "";
let lines: string[] = [];
let postgres: Postgres;

before(async () => {
  ({ file, lines } = await writeBusyLedger(folder));
  postgres = await startPostgres({ fsync: "off", full_page_writes: "off" });
});
const servers: Server[] = [];
const balancers: (() => void)[] = [];
after(async () => {
  for (const close of balancers) close();
  await Promise.all(servers.map((server) => server.stop()));
  await postgres.dispose();
});

type Server = Awaited<ReturnType<typeof startServer>>;
type Order = { operation: string; order: Json };

/** Called with every order. If it returns false, the order does not reach the node and gets no response. */
type Watch = (asked: Order) => boolean | Promise<boolean>;

/** Starts several nodes behind a round-robin load balancer. */
async function openService(env: Record<string, string>, nodes: number) {
  const dataDirs = Array.from({ length: nodes }, () => path.join(temporaryFolder(), "data"));
  // On a loopback address the first start would create a demo account.
  const own = {
    HOST: "0.0.0.0",
    TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
  };
  const startNode = (dataDir: string) => startServer(dataDir, { ...own, ...env });
  const members: Server[] = await Promise.all(dataDirs.map(startNode));
  servers.push(...members);
  let turn = 0;
  let watch: Watch = () => true;
  const unanswered = Promise.withResolvers<Response>();
  const balancer = {
    async fetch(request: Request) {
      const body = await request.text();
      if (!(await watch(JSON.parse(body)))) return unanswered.promise;
      turn = (turn + 1) % nodes;
      const node = (members[turn] as Server).url.replace("0.0.0.0", "127.0.0.1");
      const { pathname } = new URL(request.url);
      return fetch(`${node}${pathname}`, { method: "POST", headers: request.headers, body });
    },
  };
  const url = await serve(balancer, undefined, (close) => balancers.push(close));
  const remote = { "--remote": url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN, DATA_DIR: "/nowhere" };
  return {
    remote,
    run: (line: string) => runHere(line, remote),
    watch(next: Watch) {
      watch = next;
    },
    /** Kills the node that would get the next request, and restarts it. */
    async restart(): Promise<void> {
      const next = (turn + 1) % nodes;
      await members[next]?.kill();
      const started = await startNode(dataDirs[next] as string);
      members[next] = started;
      servers.push(started);
    },
  };
}

type Service = Awaited<ReturnType<typeof openService>>;

const services: [name: string, open: () => Promise<Service>][] = [
  ["a Node server", () => openService({}, 1)],
  ["a fleet", async () => openService({ DATABASE_URL: await postgres.createDatabase() }, 2)],
];

const { test, draw } = sampleTests(
  "exports and imports over the network",
  2,
  process.env["TEST_FLEET"] === "all",
);

for (const [name, open] of services) {
  test(`${name}: an export returns what was imported, through any node`, async () => {
    const { run } = await open();
    const { counts, secretIncluded } = (await run(`import ${file}`)).json;
    assert.deepEqual([counts.account, counts.debit, secretIncluded], [7, DEBITS, true]);
    const copy = path.join(temporaryFolder(), "copy.jsonl");
    const { json: summary } = await run(`export ${copy}`);
    const { secret: _, ...others } = counts;
    assert.deepEqual(summary, { file: copy, counts: others, secretIncluded: false });
    assert.deepEqual(recordsOf(readFileSync(copy, "utf8")), lines);
    const third = { DATA_DIR: path.join(temporaryFolder(), "third") };
    await runHere(`import ${copy}`, third);
    const [there, local] = await Promise.all([run("audit"), runHere("audit", third)]);
    assert.deepEqual(there.json, local.json);
    assert.equal(there.json.ok, true);
    const { log } = await run(`import ${file}`);
    assert.match(log.join("\n"), /7 accounts were already imported/);
  });

  test(`${name}: an import can be repeated after its client and its node were killed`, async () => {
    const service = await open();
    const { run, remote } = service;
    let pages = 0;
    const arrived = Promise.withResolvers<void>();
    service.watch(({ operation }) => {
      if (operation === "importAccount") pages += 1;
      if (pages < 8) return true;
      arrived.resolve();
      return false;
    });
    const child = start("cli/main.ts", ["import", file], remote);
    child.stderr?.resume();
    await arrived.promise;
    child.kill("SIGKILL");
    await once(child, "exit");
    service.watch(() => true);
    assert.equal((await run("account list")).json.accounts.length, 0, "addresses come last");
    assert.equal((await run("audit")).json.ok, true, "incomplete accounts are not visible");
    // Kills the node during the account that has several pages.
    let isKilled = false;
    service.watch(async ({ operation, order }) => {
      if (isKilled || operation !== "importAccount" || order.account !== BUSY || order.begin)
        return true;
      isKilled = true;
      await service.restart();
      return true;
    });
    await run(`import ${file}`);
    assert.ok(isKilled);
    assert.equal((await run("audit")).json.ok, true);
    const copy = path.join(temporaryFolder(), "copy.jsonl");
    await run(`export ${copy}`);
    // A node that starts deletes idempotency records older than a day.
    const expected = lines.filter((line) => !line.startsWith('{"record":"idempotency"'));
    const exported = recordsOf(readFileSync(copy, "utf8"));
    assert.deepEqual(
      exported.filter((line) => !line.startsWith('{"record":"idempotency"')),
      expected,
    );
  });

  test(`${name}: an export whose node is killed is one consistent snapshot despite concurrent changes`, async () => {
    const service = await open();
    const { run } = service;
    await run(`import ${file}`);
    let pages = 0;
    service.watch(async ({ operation, order }) => {
      if (operation !== "exportAccount" || order.place === null) return true;
      pages += 1;
      // Between two pages of one account.
      if (pages <= 3) await run(`credits grant busy@b.c ${pages}`);
      if (pages === 2) await service.restart();
      return true;
    });
    const copy = path.join(temporaryFolder(), "copy.jsonl");
    const { counts } = (await run(`export ${copy}`)).json;
    assert.ok(pages > 3, `${pages} pages`);
    assert.equal(counts.debit, DEBITS);
    await runHere(`import ${copy}`, { DATA_DIR: path.join(temporaryFolder(), "third") });
  });
}

draw();
