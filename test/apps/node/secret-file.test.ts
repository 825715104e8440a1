import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { createKey, openAccount } from "#accounts/accounts.ts";
import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import { readConfig } from "#config/config.ts";
import { findStoredSecret, storeSecret } from "#stores/sqlite/settings.ts";
import { openDashboardStores } from "../../../src/apps/node/dashboard-store.ts";
import { openDataFolder } from "../../../src/apps/node/data-folder.ts";
import { hashKey, random } from "../../../src/apps/node/runtime.ts";
import { openSecrets, readSecretFile, secretFile } from "../../../src/apps/node/secret-file.ts";
import { openNodeStore } from "../../../src/apps/node/store.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const OLD = "a secret in a backup";
const OTHER = "the secret in the settings";

function setUp(t: TestContext) {
  const dataDir = path.join(temporaryFolder(t), "data");
  const driver = openDataFolder(dataDir);
  t.after(() => driver.close());
  const said: string[] = [];
  const open = (secrets: readonly string[] | null = null) =>
    openSecrets(driver, { dataDir, secrets }, (sentence) => said.push(sentence));
  const file = secretFile(dataDir);
  return { dataDir, driver, open, said, file, text: () => readFileSync(file, "utf8") };
}

test("the secret is made once in a file that only its owner may read, and never in the database", (t) => {
  const { open, file, text, driver, dataDir } = setUp(t);
  const made = open();
  assert.match(made[0] ?? "", /^[0-9A-Za-z]{43}$/);
  assert.deepEqual([made, text().trim(), statSync(file).mode & 0o777], [open(), made[0], 0o600]);
  assert.equal(findStoredSecret(driver), null);
  assert.ok(!readFileSync(path.join(dataDir, "toolbooth.sqlite")).includes(text().trim()));
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes("partial")),
    [],
  );
});

test("threads that start at once agree on one secret", async (t) => {
  const { dataDir } = setUp(t);
  const url = (name: string) => new URL(`../../../src/apps/node/${name}.ts`, import.meta.url).href;
  const code = `
    import { parentPort, workerData } from "node:worker_threads";
    import { openDataFolder } from ${JSON.stringify(url("data-folder"))};
    import { openSecrets } from ${JSON.stringify(url("secret-file"))};
    const driver = openDataFolder(workerData.dataDir);
    parentPort.postMessage("ready");
    // All of them wait for the same moment.
    Atomics.wait(workerData.gate, 0, 0);
    parentPort.postMessage(openSecrets(driver, { dataDir: workerData.dataDir, secrets: null }, () => {}));
    driver.close();`;
  const gate = new Int32Array(new SharedArrayBuffer(4));
  let ready = 0;
  const made = Array.from({ length: 4 }, () => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
      workerData: { dataDir, gate },
    });
    return new Promise<readonly string[]>((resolve, reject) => {
      worker.on("error", reject);
      worker.on("message", (message: "ready" | readonly string[]) => {
        if (message !== "ready") return resolve(message);
        ready += 1;
        if (ready < 4) return;
        Atomics.store(gate, 0, 1);
        Atomics.notify(gate, 0);
      });
    });
  });
  const all = await Promise.all(made);
  assert.equal(new Set(all.map((secrets) => secrets.join())).size, 1);
  assert.deepEqual(readSecretFile(dataDir), all[0]);
});

test("a secret that a backup has in the database moves to the file", (t) => {
  const { open, said, driver, text, dataDir } = setUp(t);
  storeSecret(driver, OLD);
  assert.deepEqual(open(), [OLD]);
  assert.match(said.join(), /moved from the database to .*secret\.$/);
  assert.equal(findStoredSecret(driver), null);
  for (const name of readdirSync(dataDir).filter((each) => each.startsWith("toolbooth.sqlite"))) {
    assert.ok(
      !readFileSync(path.join(dataDir, name)).includes(OLD),
      `${name} has no remains of it`,
    );
  }
  assert.deepEqual([open(), said.length, text()], [[OLD], 1, `${OLD}\n`]);
});

test("two secrets are both kept: the one in the file signs", (t) => {
  const { open, driver, text } = setUp(t);
  const [first] = open();
  storeSecret(driver, OLD);
  assert.deepEqual(open(), [first, OLD]);
  assert.equal(text(), `${first},${OLD}\n`);
});

test("SECRET is used instead of the file, and what the database had is not lost", (t) => {
  const { open, driver, dataDir } = setUp(t);
  storeSecret(driver, OTHER);
  assert.deepEqual(open([OTHER]), [OTHER]);
  assert.equal(readSecretFile(dataDir), null, "SECRET has it already");
  storeSecret(driver, OLD);
  assert.deepEqual([open([OTHER]), readSecretFile(dataDir)], [[OTHER], [OLD]]);
});

test("data with keys gets no new secret", async (t) => {
  const { open, driver, dataDir } = setUp(t);
  const accountDeps = {
    ...openSqliteDirect(driver),
    secrets: [OTHER],
    keyPrefix: "tb_",
    random,
    hashKey,
  };
  const { account } = await openAccount(accountDeps, "ada@b.c", 0);
  await createKey(accountDeps, account, "l", 0);
  assert.throws(() => open(), /has API keys, but the secret that they were made with is missing/);
  assert.deepEqual([readSecretFile(dataDir), open([OTHER])], [null, [OTHER]]);
});

test("a file that others may read, or without a secret, is reported", (t) => {
  const { open, file, text } = setUp(t);
  open();
  chmodSync(file, 0o644);
  assert.throws(() => open(), /Every user of this machine may access .*mode 644.*chmod 600/);
  chmodSync(file, 0o660);
  const secret = text().trim();
  assert.deepEqual([open(), statSync(file).mode & 0o777], [[secret], 0o600]);
  for (const bad of ["", "short", `${secret},`]) {
    writeFileSync(file, bad);
    assert.throws(() => open(), /does not contain a secret of at least 16 characters/, bad);
  }
});

test("a folder in place of the file is reported", (t) => {
  const { open, file } = setUp(t);
  mkdirSync(file);
  assert.throws(() => open(), /secret is not a file/);
});

test("a secret in the file is kept with a backup only if it is the service's, and not the one before SECRET was set", async (t) => {
  const dataDir = path.join(temporaryFolder(t), "data");
  const kept = async (SECRET = "") => {
    const config = readConfig({ DATA_DIR: dataDir, SECRET });
    const store = await openNodeStore(config, { onBatch() {}, onCrash() {}, onFault() {} });
    const { stores, close } = openDashboardStores(store.connect(), {
      ...{ now: Date.now, readTurns: FREE_READ_TURNS, logError: assert.ifError },
      config: { ...config, secrets: store.secrets },
    });
    const secrets = await stores.operator.keptSecrets();
    await close();
    await store.close();
    return secrets;
  };
  const [made] = (await kept()) ?? [];
  assert.equal(made, readFileSync(secretFile(dataDir), "utf8").trim());
  assert.equal(await kept(`${OTHER},${made}`), null);
  // The file has the next secret, and the service was not restarted yet.
  writeFileSync(secretFile(dataDir), `${OTHER},${made}\n`);
  assert.deepEqual(await kept(made), [OTHER, made]);
});
