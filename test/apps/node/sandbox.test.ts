import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { type ServerProcess, startServer, temporaryFolder } from "../../http/server-process.ts";
import { descendantsOf } from "../../support/processes.ts";
import { openProcSubset, openSandbox, type Sandbox, unitOption } from "../../support/sandbox.ts";

/** The service under what the systemd unit of `deploy/` denies. */
const sandbox = openSandbox();

/** Skips the test loudly where there is no sandbox, or where its user cannot read the sources. */
function openOrSkip(t: TestContext): Sandbox | null {
  const reason = "missing" in sandbox ? sandbox.missing : unreadable(sandbox);
  if (reason === null) return sandbox as Sandbox;
  t.skip(reason);
  return null;
}

function unreadable({ wrap }: Sandbox): string | null {
  const read = "require('node:fs').accessSync(process.argv[1])";
  const [command = "", ...args] = [...wrap, process.execPath, "-e", read, import.meta.filename];
  return spawnSync(command, args).status === 0 ? null : "the sandbox's user cannot read the tests";
}

async function start(t: TestContext, wrap: readonly string[], user: number | null) {
  const dataDir = temporaryFolder(t);
  if (user !== null) chownSync(dataDir, user, user);
  return startServer(t, { DATA_DIR: dataDir, TOOLBOOTH_REQUEST_LOG_DAYS: "0" }, wrap);
}

async function call(server: ServerProcess, tool: string, body: unknown): Promise<number> {
  const response = await fetch(`${server.base}/api/v1/${tool}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${await server.demoKey()}` },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** A small call, large calls of every kind that a thread makes, and what a monitor asks. */
async function assertServes(server: ServerProcess): Promise<void> {
  assert.equal(await call(server, "hash", { text: "a" }), 200);
  const large: [string, unknown][] = [
    ["markdown-render", { markdown: "# a *b*\n\n".repeat(20_000) }],
    ["hash", { text: "a".repeat(1_000_000) }],
    ["qr-code", { text: "a".repeat(1_000), width: 2_048 }],
  ];
  for (const [tool, body] of large) assert.equal(await call(server, tool, body), 200, tool);
  for (const page of ["/readyz", "/metrics", "/docs"]) {
    const response = await fetch(server.base + page);
    const text = await response.text();
    assert.equal(response.status, 200, `${page}: ${text.slice(0, 300)}`);
    if (page === "/metrics") assert.match(text, /^toolbooth_fault\{name="tools"\} 0$/m);
  }
}

test("calls of all sizes, pages and metrics work under the system call filter of the unit", async (t) => {
  const opened = openOrSkip(t);
  if (opened === null) return;
  const server = await start(t, opened.wrap, opened.user);
  await assertServes(server);
  const { code } = await server.end("SIGTERM");
  assert.equal(code, 0, server.written());
  assert.doesNotMatch(server.written(), /EPERM|"level":"error"/);
});

test("the filter denies what the unit denies, so that the test above would notice", (t) => {
  const opened = openOrSkip(t);
  if (opened === null) return;
  const attempts = {
    setpriority: "require('node:os').setPriority(5)",
    netlink: "require('node:os').networkInterfaces()",
    chown: `require('node:fs').chownSync(${JSON.stringify(temporaryFolder(t))}, 1, 1)`,
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    const [command = "", ...args] = [...opened.wrap, process.execPath, "-e", attempt];
    const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
    assert.notEqual(status, 0, name);
    assert.match(stderr, /EPERM|EACCES|system error 97/, name);
  }
});

test("calls of all sizes work with a /proc that has only processes", async (t) => {
  const wrap = openProcSubset();
  if (wrap === null) return t.skip("this user may not mount a /proc with ProcSubset=pid");
  const server = await start(t, wrap, null);
  await assertServes(server);
  // `unshare` ignores the signal itself.
  const inside = descendantsOf(server.child.pid).find(({ command }) => command.includes("main.ts"));
  assert.ok(inside !== undefined, "the server runs in the namespace");
  process.kill(inside.pid, "SIGTERM");
  await new Promise((resolve) => server.child.once("exit", resolve));
  assert.doesNotMatch(server.written(), /"level":"error"/);
});

for (const niceness of [6, 19])
  test(`calls of all sizes work in a server that was started with a niceness of ${niceness}`, async (t) => {
    const server = await start(t, ["nice", "-n", String(niceness)], null);
    await assertServes(server);
    assert.equal((await server.end("SIGTERM")).code, 0, server.written());
  });

test("the unit has the options that the tests above rely on, and none that V8 cannot work under", () => {
  const accounted: Record<string, string> = {
    SystemCallFilter: "the filter",
    SystemCallArchitectures: "the filter",
    SystemCallErrorNumber: "the filter",
    RestrictAddressFamilies: "the filter",
    RestrictNamespaces: "the filter",
    LockPersonality: "the filter",
    NoNewPrivileges: "the filter needs it",
    ProcSubset: "a /proc of its own",
    ProtectProc: "a /proc of its own",
    CapabilityBoundingSet: "a user without capabilities",
    AmbientCapabilities: "a user without capabilities",
  };
  for (const name of Object.keys(accounted)) assert.ok(unitOption(name).length > 0, name);
  assert.deepEqual(unitOption("SystemCallErrorNumber"), ["EPERM"]);
  // V8 could compile nothing.
  assert.deepEqual(unitOption("MemoryDenyWriteExecute"), []);
});
