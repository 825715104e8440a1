import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SCHEMA_MIGRATION_TABLE } from "#stores/schema/migrations.ts";
import { runServer, startServer, temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { drawSample, sampleTests } from "../../support/sample.ts";

/** A process that cannot start prints one message, exits with 1 and leaves nothing behind. */
function assertPlain(written: string) {
  assert.doesNotMatch(written, /^\s+at /m, "no stack trace");
  assert.doesNotMatch(written, /^Toolbooth .* listens on/m);
}

const { test, draw } = sampleTests("starts", 8, process.env["TEST_STARTS"] === "all");

test("on an empty folder it creates a demo account and prints a curl command that works", async (t) => {
  const server = await startServer(t, {
    DATA_DIR: path.join(temporaryFolder(t), "not", "yet", "there"),
  });
  const key = await server.demoKey();
  assert.match(server.written(), /demo@toolbooth\.localhost, 100 credits/);
  const line = /^ {2}(curl .*)$/m.exec(server.written())?.[1];
  assert.ok(line?.includes(key));
  const { stdout, error } = spawnSync("sh", ["-c", line as string], { encoding: "utf8" });
  if (error === undefined && stdout !== "") assert.equal(JSON.parse(stdout).algorithm, "SHA256");
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
  assert.ok(!server.written().split("Try it")[1]?.includes("rror"), server.written());
});

test("shows the key once: a second start on the same data shows none and accepts the first, and logs its requests", async (t) => {
  const env = { DATA_DIR: temporaryFolder(t) };
  const first = await startServer(t, env);
  const key = await first.demoKey();
  await first.end("SIGINT");
  // The documentation tells users to export the variables of clients, which a server ignores.
  const second = await startServer(t, { ...env, TOOLBOOTH_KEY: key, TOOLBOOTH_URL: first.base });
  const call = (id: string, query = "") =>
    fetch(`${second.base}/api/v1/uuid${query}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "X-Request-Id": id },
    });
  assert.equal((await call("req_good")).status, 200);
  assert.equal((await call("req_wrong", `?count=${"x".repeat(99)}`)).status, 400);
  assert.ok(!second.written().includes("tb_"));
  await second.end("SIGTERM");
  // The request log has both calls. Of what they sent it has only the start of the value that an error names.
  const log = new DatabaseSync(path.join(env.DATA_DIR, "requests.sqlite"), { readOnly: true });
  const rows = log.prepare("SELECT packed FROM request_chunk").all();
  log.close();
  const packed = rows.map((row) => row["packed"]).join();
  assert.match(packed, /"req_good","uuid",200,null,.*"req_wrong","uuid",400,"invalid_request",/);
  assert.doesNotMatch(packed, /x{21}|tb_/);
});

test("behind a public address it creates no demo account, and publishes the security contact", async (t) => {
  const server = await startServer(t, {
    DATA_DIR: temporaryFolder(t),
    PUBLIC_URL: "https://tools.test",
    TOOLBOOTH_SECURITY_CONTACT: "security@tools.test",
  });
  const response = await fetch(`${server.base}/.well-known/security.txt`);
  assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.match(await response.text(), /^Contact: mailto:security@tools\.test\nExpires: 20/);
  await server.end("SIGTERM");
  assert.doesNotMatch(server.written(), /tb_|demo@/);
  assert.match(server.written(), /To create an account and a key/);
});

test("exits with 1 and a message if the port is in use", async (t) => {
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t) });
  const { code, written } = await runServer(t, {
    DATA_DIR: temporaryFolder(t),
    PORT: String(server.port),
  });
  assert.equal(code, 1);
  assertPlain(written);
  assert.match(written, /Another process already listens on this address .*Set PORT/);
});

test("a second server on a data folder is refused and names the first, which says that its file is gone", async (t) => {
  const env = { DATA_DIR: temporaryFolder(t) };
  const first = await startServer(t, env);
  const { code, written } = await runServer(t, env);
  assert.equal(code, 1);
  assertPlain(written);
  assert.ok(written.startsWith(`Another server (process ${first.child.pid} on `), written);
  assert.ok(written.includes(`, ${first.base}, started 20`), written);
  rmSync(path.join(env.DATA_DIR, "toolbooth.sqlite"));
  await eventually("the fault is noticed", async () => {
    const response = await fetch(`${first.base}/readyz`);
    const text = await response.text();
    return (
      response.status === 503 && /toolbooth\.sqlite was deleted or moved away while/.test(text)
    );
  });
  assert.deepEqual(await first.end("SIGTERM"), { code: 0, signal: null });
  assert.match(
    first.written(),
    /"level":"error".*toolbooth\.sqlite was deleted or moved away while/,
  );
});

test("exits with 1 and a message if HOST is not a local address", async (t) => {
  const { code, written } = await runServer(t, { DATA_DIR: temporaryFolder(t), HOST: "192.0.2.1" });
  assert.equal(code, 1);
  assertPlain(written);
  assert.match(written, /HOST is not a local address/);
});

test("lists all invalid settings in one message, exits with 1 and creates nothing", async (t) => {
  const DATA_DIR = path.join(temporaryFolder(t), "data");
  const { code, written } = await runServer(t, {
    DATA_DIR,
    PORT: "80a",
    PUBLIC_URL: "ftp://x",
    RATE_LIMIT: "-1",
    SECRET: "too short",
    DATABASE_URL: "mysql://x",
    TOOLBOOTH_STARTER_CREDIT: "5",
    TOOLBOOTH_LOG_LEVEL: "loud",
    TOOLBOOTH_STARTER_DAYS: "0",
  });
  assert.equal(code, 1);
  assertPlain(written);
  for (const name of [
    "PORT",
    "PUBLIC_URL",
    "RATE_LIMIT",
    "SECRET",
    "DATABASE_URL",
    "TOOLBOOTH_LOG_LEVEL",
    "TOOLBOOTH_STARTER_DAYS",
  ]) {
    assert.match(written, new RegExp(`^${name} `, "m"), written);
  }
  assert.match(written, /Did you mean TOOLBOOTH_STARTER_CREDITS\?/);
  assert.ok(!written.includes("too short"), "the message does not contain the secret");
  assert.ok(!existsSync(DATA_DIR));
});

test("rejects a data folder that is a file, below a file or in a system folder", async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, "file");
  writeFileSync(file, "x");
  const bad = [file, path.join(file, "data"), "/proc/toolbooth"];
  for (const DATA_DIR of drawSample(
    "bad data folders",
    bad,
    1,
    process.env["TEST_STARTS"] === "all",
  )) {
    const { code, written } = await runServer(t, { DATA_DIR });
    assert.equal(code, 1, DATA_DIR);
    assertPlain(written);
    assert.ok(written.includes(DATA_DIR), written);
    assert.match(written, /DATA_DIR/);
  }
});

test("explains a database that is a folder, damaged, or of another program", async (t) => {
  const damage: Record<string, (file: string) => void> = {
    "a folder": (file) => mkdirSync(file),
    "no database": (file) =>
      writeFileSync(file, "this is not a database, however long it is ".repeat(100)),
    "a damaged one": (file) =>
      writeFileSync(
        file,
        Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(5000, 0xaa)]),
      ),
  };
  const kinds = Object.entries(damage);
  for (const [name, make] of drawSample(
    "kinds of damage",
    kinds,
    1,
    process.env["TEST_STARTS"] === "all",
  )) {
    const DATA_DIR = temporaryFolder(t);
    const file = path.join(DATA_DIR, "toolbooth.sqlite");
    make(file);
    const { code, written } = await runServer(t, { DATA_DIR });
    assert.equal(code, 1, name);
    assertPlain(written);
    assert.ok(written.includes(file), `${name}: ${written}`);
    assert.match(
      written,
      /is damaged or not a Toolbooth database|toolbooth\.sqlite is not writable/,
      name,
    );
  }
});

test("rejects data of a newer version with a message", async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const file = path.join(DATA_DIR, "toolbooth.sqlite");
  const database = new DatabaseSync(file);
  database.exec(`${SCHEMA_MIGRATION_TABLE};
    INSERT INTO schema_migration VALUES (9999, 'later', '', 9999, 0)`);
  database.close();
  const { code, written } = await runServer(t, { DATA_DIR });
  assert.equal(code, 1);
  assertPlain(written);
  assert.match(written, /schema version 9999/);
  assert.deepEqual(readdirSync(DATA_DIR).sort(), [
    "server.json",
    "server.lock",
    "toolbooth.sqlite",
  ]);
  const again = new DatabaseSync(file, { readOnly: true });
  assert.deepEqual(again.prepare("SELECT name FROM sqlite_schema").all().length, 1);
  again.close();
});

test("rejects data with a different migration and names the migration", async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const file = path.join(DATA_DIR, "toolbooth.sqlite");
  const database = new DatabaseSync(file);
  database.exec(`${SCHEMA_MIGRATION_TABLE};
    INSERT INTO schema_migration VALUES (1, 'initial', 'other', 1, 0)`);
  database.close();
  const { code, written } = await runServer(t, { DATA_DIR });
  assert.equal(code, 1);
  assertPlain(written);
  assert.ok(written.includes(file), written);
  assert.match(written, /Migration 1 \(initial\) is not the one that ran .+ checksums differ/);
  assert.deepEqual(readdirSync(DATA_DIR).sort(), [
    "server.json",
    "server.lock",
    "toolbooth.sqlite",
  ]);
});

test("reports a read-only disk", async (t) => {
  const folder = temporaryFolder(t);
  const wrap = inMountNamespace(`mount -t tmpfs -o ro,size=1m tmpfs ${folder}`);
  if (wrap === null) return t.skip("this user may not mount");
  const folders = [folder, path.join(folder, "data")];
  for (const DATA_DIR of drawSample(
    "read-only folders",
    folders,
    1,
    process.env["TEST_STARTS"] === "all",
  )) {
    const { code, written } = await runServer(t, { DATA_DIR }, wrap);
    assert.equal(code, 1);
    assertPlain(written);
    assert.match(written, /is not writable/);
  }
});

test("reports a port that a server other than HTTP uses", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  const { code, written } = await runServer(t, {
    DATA_DIR: temporaryFolder(t),
    PORT: String(port),
  });
  assert.equal(code, 1);
  assert.match(written, /Set PORT/);
});

/** Returns a command that mounts something visible only to its children, or null without the permission. */
function inMountNamespace(mount: string): string[] | null {
  const wrap = ["unshare", "--mount", "--", "sh", "-c", `${mount} && exec "$@"`, "sh"];
  const [command, ...args] = [...wrap, "true"];
  return spawnSync(command as string, args).status === 0 ? wrap : null;
}

draw();
