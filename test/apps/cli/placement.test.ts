import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { accountPart } from "#ids.ts";
import { writeTransfer } from "#ledger/transfer/lines.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { placementOf } from "#placement.ts";
import { createDeployment, serve, TOKEN } from "../../api/operator/deployment-fixture.ts";
import { commandLine, type Json, temporaryFolder } from "./fixture.ts";

/** `--location` and `--jurisdiction`, on a service that has a place for each account. */
async function fixture(texts: Record<string, string> = {}, isServer = false) {
  const deployment = createDeployment({ texts, ...(isServer && { context: { placement: null } }) });
  const url = await serve(deployment.app);
  const folder = temporaryFolder();
  const env = { TOOLBOOTH_REMOTE: url, TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
  return { deployment, folder, cli: commandLine(path.join(folder, "none"), env) };
}

/** Writes an export of empty accounts. */
function linesOf(folder: string, ...accounts: string[]): string {
  const file = path.join(folder, "ledger.jsonl");
  const createdAt = Date.UTC(2026, 2, 1);
  const rest = { createdAt, state: "open", freeCall: "open", lowBalance: 0, notifiedLevel: null };
  const records = accounts.map((id) => ({ record: "account", id, ...rest }) as const);
  const chunks: Uint8Array[] = [];
  writeTransfer(records as TransferRecord[], (bytes) => chunks.push(bytes));
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}

describe("where the command line creates accounts", { concurrency: 4 }, () => {
  test("account create places the account, and account list says where it lives", async () => {
    const { cli, deployment } = await fixture();
    const ada = await cli.json("account create ada@b.c --location oc");
    assert.deepEqual([ada.location, ada.jurisdiction], ["oc", null]);
    const eve = await cli.json("account create eve@b.c --jurisdiction EU");
    assert.deepEqual([eve.location, eve.jurisdiction], [null, "eu"]);
    const bob = await cli.run("account create bob@b.c");
    assert.match(
      bob.stderr,
      /No place was chosen, .*near the service's database, or near you.*--location/,
    );
    const { accounts } = await cli.json("account list");
    assert.deepEqual(
      accounts.map(({ email, location, jurisdiction }: Json) => [email, location, jurisdiction]),
      [
        ["ada@b.c", "oc", null],
        ["bob@b.c", null, null],
        ["eve@b.c", null, "eu"],
      ],
    );
    const { stdout } = await cli.run("account list");
    assert.match(stdout, /lives in\n/);
    assert.match(stdout, /\nada@b\.c .* oc\n/);
    assert.match(stdout, /\neve@b\.c .* eu \(jurisdiction\)\n/);
    for (const { name, hint, jurisdiction } of deployment.places) {
      const place = placementOf(`acc_${name}`);
      assert.deepEqual([hint, jurisdiction], [place?.location, place?.jurisdiction], name);
    }
  });

  test("the service's settings place what the options do not", async () => {
    const { cli } = await fixture({ TOOLBOOTH_LOCATION: "weur" });
    const ran = await cli.run("account create ada@b.c --json");
    assert.equal(JSON.parse(ran.stdout).location, "weur");
    assert.match(ran.stderr, /lives in or near weur\./);
    assert.equal((await cli.json("account create bob@b.c --location sam")).location, "sam");

    const eu = await fixture({ TOOLBOOTH_JURISDICTION: "eu" });
    assert.equal((await eu.cli.json("account create ada@b.c")).jurisdiction, "eu");
    for (const other of ["--location weur", "--jurisdiction us"]) {
      const sentence = await eu.cli.refused(`account create bob@b.c ${other}`);
      assert.match(sentence, /creates all accounts in the jurisdiction eu/, other);
    }
    assert.equal((await eu.cli.json("account list")).accounts.length, 1);
  });

  test("wrong names and contradictions are explained, and nothing is created", async () => {
    const { cli, folder, deployment } = await fixture();
    for (const [options, expected] of [
      ["--location wuer", /--location must be one of wnam, .*; got "wuer"\. Did you mean weur\?/],
      ["--location", /--location requires a value/],
      ["--jurisdiction uk", /--jurisdiction must be one of eu, fedramp, us; got "uk"\.$/m],
      ["--jurisdiction e", /--jurisdiction must be one of eu, fedramp, us; got "e"/],
      ["--location weur --jurisdiction eu", /Use either --location or --jurisdiction/],
    ] as const) {
      for (const command of ["account create ada@b.c", `import ${linesOf(folder)}`]) {
        const ran = await cli.run(`${command} ${options}`);
        assert.equal(ran.status, 2, options);
        assert.match(ran.stderr, expected);
      }
    }
    assert.deepEqual(deployment.places, []);
  });

  test("the options are rejected where all accounts are in one database", async () => {
    const { cli, folder } = await fixture({}, true);
    const dataDir = path.join(folder, "data");
    const local = commandLine(dataDir);
    const file = linesOf(folder, "acc_Ada000000000");
    for (const options of ["--location weur", "--jurisdiction eu"]) {
      for (const command of ["account create ada@b.c", `import ${file}`]) {
        for (const each of [cli, local]) {
          const sentence = await each.refused(`${command} ${options}`);
          assert.match(sentence, /work only with --remote and a service on Cloudflare/);
        }
      }
    }
    assert.ok(!existsSync(dataDir));
    const created = await cli.run("account create ada@b.c --json");
    assert.equal(created.stderr, "", "there is nothing to say about its place");
    assert.equal(JSON.parse(created.stdout).location, null);
  });

  test("import creates accounts without a place where --location says, and keeps the others' places", async () => {
    const { cli, folder, deployment } = await fixture();
    const ids = ["acc_Ada000000000", "acc_Bob00000000h", "acc_Cid00000000E"];
    const ran = await cli.run(`import ${linesOf(folder, ...ids)} --location me`);
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stderr, /1 account will live in or near me\./);
    assert.match(ran.stderr, /2 accounts keep the place that the id names/);
    const firsts = ids.map((id) => deployment.places.find(({ name }) => name === accountPart(id)));
    assert.deepEqual(
      firsts.map((place) => [place?.hint ?? null, place?.jurisdiction]),
      [
        ["me", null],
        ["afr", null],
        [null, "eu"],
      ],
    );
  });

  test("import says that accounts without a place are created near the operator", async () => {
    const { cli, folder } = await fixture();
    const ran = await cli.run(`import ${linesOf(folder, "acc_Ada000000000")}`);
    assert.match(
      ran.stderr,
      /The ids of 1 account name no place, .*near the service's database, or near you.*--location/,
    );
  });

  test("import into a jurisdiction requires ids that name it, before anything is sent", async () => {
    const inside = await fixture();
    const file = linesOf(inside.folder, "acc_Cid00000000E");
    await inside.cli.json(`import ${file} --jurisdiction eu`);
    const asked = await fixture();
    const set = await fixture({ TOOLBOOTH_JURISDICTION: "eu" });
    for (const [{ cli, folder, deployment }, options] of [
      [asked, " --jurisdiction eu"],
      [set, ""],
    ] as const) {
      const lines = linesOf(folder, "acc_Cid00000000E", "acc_Ada000000000");
      assert.match(
        await cli.refused(`import ${lines}${options}`),
        /The id of acc_Ada000000000 does not name the jurisdiction eu\..*Nothing was imported\./,
      );
      assert.deepEqual(deployment.places, []);
    }
    const { cli, folder } = await fixture();
    const newer = await cli.refused(`import ${linesOf(folder, "acc_Ada00000000Z")}`);
    assert.match(newer, /names a jurisdiction that this version does not know/);
  });
});
