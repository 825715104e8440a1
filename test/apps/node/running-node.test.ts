import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { before, describe, test } from "node:test";
import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { buildServer } from "#apps/node/build-server.ts";
import { databaseFile } from "#apps/node/data-folder.ts";
import { FAULT_NAMES } from "#apps/node/lasting-faults.ts";
import { STRIPE_MESSAGE_BYTES_MAX } from "#limits.ts";
import { type ServerProcess, startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { afterSuite } from "../../support/after-suite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { Json } from "../cli/fixture.ts";
import { runHere } from "./run-command.ts";

/**
 * One server with every setting on, as `npm run build` bundled it. What it does in detail is shown in process; this shows that the parts
 * work together in the bundles and their threads.
 */
const ROOT = path.join(import.meta.dirname, "../../..");
const TOKEN = "t".repeat(40);
const WEBHOOK_SECRET = "whsec_0123456789";
const EMAIL = "ann@example.com";

const cookiesOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((text) => text.split(";")[0])
    .join("; ");

/** O_ACCMODE of open(2); O_RDONLY is 0. */
const ACCESS_MODE = 0b11;

/** Returns how each descriptor of the file was opened. Linux only. */
function descriptorsOf(pid: number, file: string): ("read" | "write")[] {
  const opened = realpathSync(file);
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== opened) return [];
      const flags = /flags:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"));
      return [(Number.parseInt(flags?.[1] ?? "", 8) & ACCESS_MODE) === 0 ? "read" : "write"];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

describe("a node on all interfaces", () => {
  const t = afterSuite();
  const dataDir = temporaryFolder(t);
  let built: string;
  let server: ServerProcess;
  let base: string;
  let key: string;
  before(async () => {
    const prices = path.join(dataDir, "prices.json");
    const pack = { id: "small", name: "Small", credits: 100, price: "5.00" };
    writeFileSync(prices, JSON.stringify({ currency: "usd", packs: [pack] }));
    built = await buildServer(ROOT);
    const env = {
      DATA_DIR: dataDir,
      HOST: "0.0.0.0",
      TOOLBOOTH_LOG_LEVEL: "info",
      TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
      TOOLBOOTH_SECURITY_CONTACT: "security@tools.test",
      TOOLBOOTH_PRICES: prices,
      STRIPE_SECRET_KEY: "sk_test_1",
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    };
    // A shell drops the entry that the tests start otherwise.
    const inPlace = ["sh", "-c", `exec "$1" "$2" "$0"`, path.join(built, "main.cjs")];
    server = await startServer(t, env, inPlace);
    base = `http://127.0.0.1:${server.port}`;
  });

  const send = (to: string, body: string | object, headers: Record<string, string> = {}) =>
    fetch(base + to, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const operate = (line: string) =>
    runHere(`${line} --json`, { "--remote": base, TOOLBOOTH_OPERATOR_TOKEN: TOKEN });
  const call = async (tool: string, body: object) => {
    const response = await send(`/api/v1/${tool}`, body, { Authorization: `Bearer ${key}` });
    const text = await response.text();
    return { status: response.status, text, left: response.headers.get("credits-remaining") };
  };

  test("creates no demo account, and warns at the terminal and in its log about what is not set", async () => {
    await eventually("it has said all", async () =>
      server.written().includes("To create an account and a key"),
    );
    assert.doesNotMatch(server.written(), /tb_|demo@/);
    for (const warning of ["PUBLIC_URL is not set", "No emails are sent because neither"]) {
      await eventually("the warning is in the log", async () =>
        new RegExp(`"level":"warn".*"msg":"${warning}`).test(server.log()),
      );
      assert.match(server.written(), new RegExp(`^${warning}`, "m"));
    }
  });

  test("changes of the operator take effect at the next call", async () => {
    await operate("account create ada@b.co --credits 5");
    const created = (await operate("key create ada@b.co --label l")).json;
    key = created.key;
    const called = await call("hash", { text: "hello" });
    assert.deepEqual([called.status, called.left], [200, "5"], called.text);
    await operate("account suspend ada@b.co");
    assert.equal((await call("hash", { text: "hello" })).status, 403);
    await operate("account resume ada@b.co");
    assert.equal((await call("hash", { text: "hello" })).status, 200);
    const other = (await operate("key create ada@b.co --label other")).json;
    await operate(`key revoke ${created.id}`);
    assert.equal((await call("hash", { text: "hello" })).status, 401);
    key = other.key;
  });

  test("large calls and MCP are served", async () => {
    const large = await call("markdown-render", { markdown: "x".repeat(500_000) });
    assert.equal(large.status, 200, large.text);
    const params = { name: "hash", arguments: { text: "hello" } };
    const toolCall = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const accept = { Accept: "application/json, text/event-stream" };
    const mcp = await send("/mcp", toolCall, { ...accept, Authorization: `Bearer ${key}` });
    assert.match(await mcp.text(), /2cf24dba5fb0a30e/);
  });

  test("pages, the description and the security contact are served", async () => {
    for (const page of ["/", "/docs", "/openapi.json", "/healthz", "/readyz"]) {
      assert.equal((await fetch(base + page)).status, 200, page);
    }
    const contact = await fetch(`${base}/.well-known/security.txt`);
    assert.equal(contact.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.match(await contact.text(), /^Contact: mailto:security@tools\.test\nExpires: 20/);
  });

  test("the metrics have those of its jobs, sign-ups, storage and faults", async () => {
    const read = async () => (await fetch(`${base}/metrics`)).text();
    for (const measured of [/^toolbooth_jobs\{/m, /^toolbooth_wal_bytes \d+$/m])
      await eventually(String(measured), async () => measured.test(await read()));
    const text = await read();
    for (const line of [
      /^toolbooth_jobs\{queue="webhook",state="waiting"\} 0$/m,
      /^toolbooth_requested_emails\{group="sign_up",window="day"\} 0$/m,
      /^toolbooth_wal_checkpoint_age_seconds \d/m,
      /^toolbooth_wal_checkpoint_failures_total 0$/m,
      /^toolbooth_disk_free_bytes [1-9]\d+$/m,
    ])
      assert.match(text, line);
    for (const name of FAULT_NAMES) assert.ok(text.includes(`toolbooth_fault{name="${name}"} 0`));
  });

  test("a person of this machine signs up and in, and the log has the file of the email but neither its code nor its link", async () => {
    const order = { email: EMAIL };
    const Origin = `http://localhost:${server.port}`;
    const post = (to: string, body: object, more = {}) =>
      send(`/dashboard/auth/${to}`, body, { Origin, "X-Forwarded-For": "192.0.2.1", ...more });
    const elsewhere = await post("sign-in/start", order, { Origin: "https://elsewhere.example" });
    assert.equal(elsewhere.status, 403);
    const started = await post("sign-in/start", order);
    assert.equal(started.status, 200, await started.text());
    const outbox = path.join(dataDir, "outbox");
    await eventually("the log names the file", async () => server.log().includes(".eml"));
    const [file = "", ...more] = readdirSync(outbox);
    assert.deepEqual(more, []);
    const email = readFileSync(path.join(outbox, file), "utf8").replaceAll("=\r\n", "");
    const code = /^Code: ([\d ]+)/m.exec(email)?.[1];
    const signedIn = await post("sign-in/code", { code }, { Cookie: cookiesOf(started) });
    assert.equal(signedIn.status, 200, await signedIn.text());
    const home = await fetch(`${base}/dashboard/home`, {
      headers: { Cookie: cookiesOf(signedIn) },
    });
    assert.equal(home.status, 200, await home.text());
    assert.doesNotMatch(server.written(), /sign-in\/link#|Code: \d/);
    assert.equal(server.log().match(/not in TOOLBOOTH_TRUSTED_PROXIES/g)?.length, 1);
  });

  test("the bundled command line asks it, copies its data, and checks the copy", async () => {
    const run = (...words: string[]) =>
      execFileSync(process.execPath, [path.join(built, "cli.cjs"), ...words, "--json"], {
        env: { PATH: process.env["PATH"], DATA_DIR: dataDir },
        encoding: "utf8",
      });
    assert.match(run("account", "list"), /ann@example\.com/);
    const copy = path.join(temporaryFolder(t), "copy.sqlite");
    run("backup", copy);
    const { ok, accounts } = JSON.parse(run("audit", "--file", copy)) as Json;
    assert.deepEqual([ok, accounts], [true, 2]);
  });

  test("the operator API reads no body without a token, and throttles wrong ones by network", async () => {
    // The body is announced and never sent.
    const socket = connect(server.port, "127.0.0.1");
    socket.write(
      "POST /operator/account/list HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1000000\r\n\r\n{",
    );
    const [result] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    assert.match(String(result), /^HTTP\/1\.1 401 /);
    const guess = { Authorization: "Bearer guess" };
    await eventually(
      "it is throttled",
      async () => (await send("/operator/account/list", "{}", guess)).status === 429,
    );
    assert.equal((await operate("account list")).exitCode, 0);
  });

  test("Stripe's webhook takes signed messages of bounded size", async () => {
    const get = await fetch(base + STRIPE_MESSAGE_PATH);
    assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
    const signed = { "Stripe-Signature": "t=1,v1=00" };
    assert.equal((await send(STRIPE_MESSAGE_PATH, "{}")).status, 400);
    assert.equal((await send(STRIPE_MESSAGE_PATH, "{}", signed)).status, 400);
    // Larger than any request of the dashboard or of Stripe.
    assert.equal(
      (await send(STRIPE_MESSAGE_PATH, "x".repeat(STRIPE_MESSAGE_BYTES_MAX))).status,
      400,
    );
    assert.equal(
      (await send(STRIPE_MESSAGE_PATH, "x".repeat(STRIPE_MESSAGE_BYTES_MAX + 1))).status,
      413,
    );
  });

  test("one connection can write to the ledger's file, whatever has written", (t) => {
    if (process.platform !== "linux") return t.skip("only Linux shows how a file was opened");
    const found = descriptorsOf(server.child.pid, databaseFile(dataDir));
    assert.ok(found.includes("read"));
    assert.equal(found.filter((access) => access === "write").length, 1, found.join(" "));
  });

  test("ends with 0 on SIGTERM, and its log has no error but those of Stripe's webhook, and no secret", async () => {
    assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
    const errors = server.log().match(/^.*"level":"error".*$/gm) ?? [];
    assert.ok(errors.length > 0);
    for (const line of errors) assert.match(line, /\/webhooks\/stripe was rejected/);
    for (const secret of [WEBHOOK_SECRET, "sk_test_1", TOKEN])
      assert.ok(!server.log().includes(secret));
  });
});
