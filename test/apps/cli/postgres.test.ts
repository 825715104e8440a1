import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { commandLine, startServer, temporaryFolder } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

test("a ledger moves from a data folder to PostgreSQL and back byte for byte, its keys work, and audit finds what is broken there", async () => {
  const folder = temporaryFolder();
  const here = await openFolderService({ dataDir: path.join(folder, "data") });
  await here.json("account create ada@b.co --credits 5");
  const { key } = await here.json("key create ada@b.co --label l");
  const file = path.join(folder, "here.jsonl");
  await here.json(`export ${file}`);
  const DATABASE_URL = await (await sharedPostgres()).createDatabase();
  const dataDir = path.join(folder, "node");
  // On a loopback address it would create a demo account.
  const env = { DATABASE_URL, HOST: "0.0.0.0", SECRET: here.secrets.join(",") };
  const node = await startServer(dataDir, env);
  const cli = commandLine(dataDir);
  assert.match(await cli.refused(`import ${folder}/none.jsonl`), /does not exist/);
  // One that fails leaves the service as it was.
  await cli.json(`import ${file}`);
  assert.match(
    (await cli.run(`import ${file}`)).stderr,
    /Skipped 1 account: an earlier run of this command imported it/,
  );
  const there = path.join(folder, "there.jsonl");
  await cli.json(`export ${there}`);
  assert.equal(readFileSync(there, "utf8"), readFileSync(file, "utf8"));
  assert.deepEqual(await node.call(key), { status: 200, remaining: "5" });
  // Changes take effect at the next call.
  await cli.json("account suspend ada@b.co");
  assert.equal((await node.call(key)).status, 403);
  await cli.json("account resume ada@b.co");
  assert.equal((await cli.json("credits grant ada@b.co 7 --id bonus")).balance, 12);
  assert.deepEqual(await node.call(key), { status: 200, remaining: "11" });
  await cli.json(`export ${there} --force --with-secret`);
  const back = await openFolderService({ dataDir: path.join(folder, "back") });
  await back.json(`import ${there}`);
  const again = path.join(folder, "again.jsonl");
  await back.json(`export ${again}`);
  assert.equal(readFileSync(again, "utf8"), readFileSync(there, "utf8"));
  assert.equal((await back.json("audit")).ok, true);

  const pool = openPostgresPool(DATABASE_URL, { max: 1 });
  await pool.once("write", "UPDATE credit_grant SET remaining = 6 WHERE remaining = 7");
  await pool.once(
    "write",
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'credit_grant_by_end'::regclass",
  );
  await pool.close();
  const { ok, faults, damage } = await cli.failed("audit");
  assert.equal(ok, false);
  assert.match(faults[0], /12 credits were granted, but 11 are accounted for/);
  assert.deepEqual(damage, ["the index credit_grant_by_end is invalid"]);
  assert.match(
    await cli.refused(`backup ${folder}/copy`),
    /Back up PostgreSQL with its own tools: pg_dump .*docs\/backup\.md/,
  );
  await node.stop();
});
