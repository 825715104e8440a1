import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync } from "node:fs";
import { test } from "node:test";
import { startServer } from "../../http/server-process.ts";
import { descendantsOf } from "../../support/processes.ts";
import { openProcSubset, openSandbox, unitOption } from "../../support/sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The service under what the systemd unit of `deploy/` denies. */

/** Whether a command line, after which the rest runs, can read the tests. */
const canRead = (wrap: readonly string[]): boolean => {
  const read = "require('node:fs').accessSync(process.argv[1])";
  const [command = "", ...args] = [...wrap, process.execPath, "-e", read, import.meta.filename];
  return spawnSync(command, args).status === 0;
};

test("calls of all sizes, pages and metrics work under the system call filter and the /proc of the unit, and with less priority", async (t) => {
  const sandbox = openSandbox();
  if ("missing" in sandbox) return t.skip(sandbox.missing);
  if (!canRead(sandbox.wrap)) return t.skip("the sandbox's user cannot read the tests");
  const procSubset = openProcSubset();
  if (procSubset === null) t.diagnostic("this user may not mount a /proc with ProcSubset=pid");
  const dataDir = temporaryFolder(t);
  if (sandbox.user !== null) chownSync(dataDir, sandbox.user, sandbox.user);
  // With a niceness above that of the threads of large calls, which these may then not lower.
  const wrap = [...(procSubset ?? []), "nice", "-n", "6", ...sandbox.wrap];
  const server = await startServer(t, { DATA_DIR: dataDir, TOOLBOOTH_REQUEST_LOG_DAYS: "0" }, wrap);

  // A small call, and large calls of every kind that a thread makes.
  for (const [tool, body] of [
    ["hash", { text: "a" }],
    ["markdown-render", { markdown: "# a *b*\n\n".repeat(5_000) }],
    ["hash", { text: "a".repeat(1_000_000) }],
    ["qr-code", { text: "a".repeat(1_000), width: 1_024 }],
  ] as const) {
    const response = await fetch(`${server.base}/api/v1/${tool}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${await server.demoKey()}` },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    assert.equal(response.status, 200, tool);
  }
  for (const page of ["/readyz", "/metrics", "/docs"]) {
    const response = await fetch(server.base + page);
    const text = await response.text();
    assert.equal(response.status, 200, `${page}: ${text.slice(0, 300)}`);
    if (page === "/metrics") assert.match(text, /^toolbooth_fault\{name="tools"\} 0$/m);
  }
  // `unshare` ignores the signal itself.
  const all = [
    { pid: server.child.pid, parent: 0, command: "" },
    ...descendantsOf(server.child.pid),
  ];
  const ended = new Promise((resolve) => server.child.once("exit", resolve));
  process.kill(all.at(-1)?.pid as number, "SIGTERM");
  assert.equal(await ended, 0, server.written());
  assert.doesNotMatch(server.written(), /EPERM|"level":"error"/);
});

test("the filter denies what the unit denies, so that the test above would notice", (t) => {
  const sandbox = openSandbox();
  if ("missing" in sandbox) return t.skip(sandbox.missing);
  const attempts = {
    setpriority: "require('node:os').setPriority(5)",
    netlink: "require('node:os').networkInterfaces()",
    chown: `require('node:fs').chownSync(${JSON.stringify(temporaryFolder(t))}, 1, 1)`,
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    const [command = "", ...args] = [...sandbox.wrap, process.execPath, "-e", attempt];
    const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
    assert.notEqual(status, 0, name);
    assert.match(stderr, /EPERM|EACCES|system error 97/, name);
  }
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
