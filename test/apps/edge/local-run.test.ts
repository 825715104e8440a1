/** `npm run edge`: comes back after its workerd was killed, with the same data, and says what is in its way. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { descendantsOf, listProcesses } from "#apps/node/processes.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const WAIT_MS_MAX = 90_000;
const data = mkdtempSync(path.join(tmpdir(), "toolbooth-edge-"));
const started: { child: ChildProcess; closed: Promise<unknown> }[] = [];
after(async () => {
  for (const { child } of started) child.kill("SIGTERM");
  for (const { closed } of started) await closed;
  rmSync(data, { recursive: true, force: true });
});

function startEdge(port: number | string, folder = data) {
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      path.join(ROOT, "src/apps/node/edge.ts"),
      ...["--data", folder],
    ],
    { cwd: ROOT, env: { ...bareEnvironment(), HOME: data, PORT: String(port) } },
  );
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output.text += text;
    });
  const closed = once(child, "close") as Promise<[number | null]>;
  started.push({ child, closed });
  return { child, output, closed };
}

async function until(what: string, check: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (!(await check())) {
    assert.ok(Date.now() < deadline, `${what} did not happen`);
    await sleep(100);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const isReady = (base: string) => () =>
  fetch(`${base}/readyz`, { signal: AbortSignal.timeout(2_000) })
    .then(async (response) => response.status === 200 && (await response.text()) !== "")
    .catch(() => false);

const workerdOf = (child: ChildProcess) =>
  descendantsOf(child.pid ?? 0).filter(({ command }) => command.includes("workerd serve"));

async function listAccounts(base: string): Promise<string> {
  const [, token = ""] =
    /^TOOLBOOTH_OPERATOR_TOKEN=(.*)$/m.exec(readFileSync(path.join(ROOT, ".dev.vars"), "utf8")) ??
    [];
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      path.join(ROOT, "src/apps/cli/start.js"),
      ...["account", "create", "ada@example.com", "--credits", "7", "--remote", base],
    ],
    { cwd: ROOT, env: { ...bareEnvironment(), TOOLBOOTH_OPERATOR_TOKEN: token } },
  );
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  await once(child, "close");
  return text;
}

test("a killed workerd comes back with the same data; a second start and Ctrl+C are clear", async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const { child, output, closed } = startEdge(port);
  await until("the first start", isReady(base));
  assert.match(await listAccounts(base), /Created account .* with 7 credits/);

  const second = startEdge(port + 1);
  assert.deepEqual(await second.closed, [1, null]);
  assert.match(second.output.text, /another `npm run edge` uses .*\(process \d+\)\. Stop it with/);

  // The one that takes the requests: Wrangler replaces it but hangs.
  const front = workerdOf(child).find(({ command }) => command.includes(`:${port} `));
  assert.ok(front !== undefined, "workerd runs");
  process.kill(front.pid, "SIGKILL");
  await until("the restart", () => /Starting again with the same data/.test(output.text));
  await until("the Workers after the restart", isReady(base));
  assert.match(await listAccounts(base), /already/);

  const family = descendantsOf(child.pid ?? 0);
  assert.ok(family.length > 3);
  child.kill("SIGINT");
  assert.deepEqual(await closed, [0, null]);
  const left = listProcesses().filter((each) =>
    family.some(({ pid, command }) => pid === each.pid && command === each.command),
  );
  assert.deepEqual(left, []);
});

test("a port that another program uses, and one that is no port, are named", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  t.after(() => server.close());
  const other = path.join(data, "other");
  const busy = startEdge(port, other);
  assert.deepEqual(await busy.closed, [1, null]);
  assert.match(
    busy.output.text,
    new RegExp(`another program uses port ${port}\\. Stop it, or choose`),
  );
  const wrong = startEdge("http", other);
  assert.deepEqual(await wrong.closed, [1, null]);
  assert.match(wrong.output.text, /PORT must be a number from 1 to 65535; got "http"/);
});
