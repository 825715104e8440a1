import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { openEdgeSite } from "../../support/edge-site.ts";
import { commandLine, temporaryFolder } from "./fixture.ts";
import { type FolderService, openFolderService } from "./folder-server.ts";

/** Moves data from Node to the edge and back, in a real workerd. */
const TOKEN = "the-token-of-an-operator-in-the-tests";
const BUSY_CALLS = 2_500;

const folder = temporaryFolder();
const file = path.join(folder, "ledger.jsonl");

test("data moves from Node to the edge, is used there, and moves back", async () => {
  const here = await openFolderService({ dataDir: path.join(folder, "here") });
  const SECRET = here.secrets.join(",");
  const site = await openEdgeSite(
    { after },
    { texts: { SECRET, TOOLBOOTH_OPERATOR_TOKEN: TOKEN, RATE_LIMIT: "0" } },
  );
  const keys = await fillTotals(here);
  const { counts } = await here.json(`export ${file}`);
  assert.equal(counts.debit, BUSY_CALLS + 1);

  const env = { "--remote": site.base, TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
  mkdirSync(path.join(folder, "nowhere"));
  const there = commandLine(path.join(folder, "nowhere"), env);
  const call = async (key: string) => {
    const response = await fetch(`${site.base}/api/v1/hash`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}` },
      body: '{"text":"hello"}',
    });
    await response.arrayBuffer();
    return { status: response.status, remaining: response.headers.get("Credits-Remaining") };
  };

  const ran = await there.run(`import ${file} --json`);
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  assert.doesNotMatch(ran.stderr, /a secret that the service does not have/);
  assert.deepEqual(JSON.parse(ran.stdout).counts, counts);
  assert.deepEqual(await there.json("audit"), await here.json("audit"));
  assert.deepEqual(await there.json("account list"), await here.json("account list"));

  assert.deepEqual(await call(keys.ada), { status: 200, remaining: "5" }, "the free call");
  assert.deepEqual(await call(keys.ada), { status: 200, remaining: "4" });
  assert.deepEqual(await call(keys.busy), {
    status: 200,
    remaining: String(9_000 - BUSY_CALLS - 1),
  });
  assert.equal((await call(keys.revoked)).status, 401);

  const copy = path.join(folder, "copy.jsonl");
  await there.json(`export ${copy}`);
  const exported = new Set(recordsOf(copy));
  const changed = recordsOf(file).filter((record) => !exported.has(record));
  assert.deepEqual(changed.map((record) => JSON.parse(record).record).sort(), [
    // The exports differ in the usage of two keys and in Ada's free call.
    "account",
    "grant",
    "grant",
    "key",
    "key",
  ]);
  assert.equal(exported.size, recordsOf(file).length + 3, "three calls more");
  const back = await openFolderService({ dataDir: path.join(folder, "back") });
  await back.json(`import ${copy}`);
  const { ok, totals } = await back.json("audit");
  assert.deepEqual([ok, totals.debited], [true, BUSY_CALLS + 2]);
  assert.deepEqual((await there.json("audit")).totals, totals);
});

/** Creates accounts with keys through the command line, one of them with several pages of calls. */
async function fillTotals(cli: FolderService) {
  await cli.json("account create ada@b.co --credits 5");
  await cli.json("account create busy@b.co --credits 9000");
  await cli.json("account create gone@b.co --credits 9");
  const ada = await cli.json("key create ada@b.co --label l");
  const revoked = await cli.json("key create ada@b.co --label old");
  await cli.json(`key revoke ${revoked.id}`);
  const busy = await cli.json("key create busy@b.co --label l");
  await cli.json("account close gone@b.co");
  const { driver, ledger, directory } = cli;
  driver.exec("PRAGMA synchronous = OFF");
  const { account = "" } = (await directory.findByEmail({ email: "busy@b.co" })) ?? {};
  const [{ sha256 = "" } = {}] = await ledger.listKeys({ account });
  const at = Date.now() - 3_600_000;
  for (let number = 0; number <= BUSY_CALLS; number += 1) {
    const order = { account, keySha256: sha256, callId: `call_${number}`, tool: "hash" };
    await ledger.debit({
      ...order,
      now: at + number,
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    });
  }
  return { ada: ada.key as string, busy: busy.key as string, revoked: revoked.key as string };
}

const recordsOf = (name: string) =>
  readFileSync(name, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !/^\{"record":"(?:header|trailer)"/.test(line));
