import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { receiveBody, type Sink } from "#calls/body.ts";
import type { ApiError } from "#errors.ts";
import type { App } from "../../../src/api/app.ts";
import { givePatience, startNodeServer } from "../../../src/apps/node/server.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { inFolder, startProject, toolProject } from "./tool-project.ts";

/** Tools that take a file, in a server of their own: files come and go with their calls, and are never held in memory. */

const MEASURE = `import { createHash } from "node:crypto";
import { appendFileSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { defineTool, z } from "toolbooth";
export default defineTool({
  summary: "Measures a file.", price: 10, timeLimitMs: 20_000,
  input: { wait: z.boolean().default(false), hang: z.boolean().default(false), label: z.string().default("") },
  file: { types: ["image/png", "application/octet-stream"] },
  async run({ wait, hang, label }, { file, signal }) {
    appendFileSync("runs.txt", file.path + "\\n");
    if (hang) for (;;) {}
    if (wait) await delay(15_000, undefined, { signal });
    const hash = createHash("sha256");
    for await (const chunk of file.stream()) hash.update(chunk);
    return { label, type: file.type, size: file.size, onDisk: statSync(file.path).size, sha256: hash.digest("hex") };
  },
});
`;

async function startMeasuring(t: TestContext) {
  const hasty = MEASURE.replace("20_000", "1_500");
  const folder = toolProject(t, { "tools/measure.ts": MEASURE, "tools/hasty.ts": hasty });
  const project = await startProject(t, folder);
  const uploads = path.join(folder, "data", "uploads");
  const headers = { Authorization: project.headers.Authorization, "Content-Type": "image/png" };
  return {
    ...project,
    folder,
    headers,
    url: `${project.base}/api/v1/measure`,
    left: () => (existsSync(uploads) ? readdirSync(uploads) : []),
    runs: () =>
      existsSync(path.join(folder, "runs.txt"))
        ? readFileSync(path.join(folder, "runs.txt"), "utf8").trimEnd().split("\n").length
        : 0,
  };
}

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("files come and go with their calls", async (t) => {
  const measuring = await startMeasuring(t);
  await t.test("25 MB by curl, as a body and as a form", () => sendByCurl(measuring));
  await t.test("the client leaves while its file arrives", () => leaveMidway(measuring));
  await t.test("the tool runs out of time", () => runOutOfTime(measuring));
  await t.test("the server is killed while one runs", (t) => killServer(t, measuring));
});

type Measuring = Awaited<ReturnType<typeof startMeasuring>>;

async function sendByCurl({ folder, url, headers, left, balance }: Measuring) {
  const before = await balance();
  const bytes = randomBytes(25 * 1024 * 1024);
  const file = path.join(folder, "photo.png");
  writeFileSync(file, bytes);
  const curl = (...args: string[]) => {
    const sent = ["-sS", "-H", `Authorization: ${headers.Authorization}`, ...args];
    const { stdout, stderr } = spawnSync("curl", sent, { encoding: "utf8" });
    assert.equal(stderr, "");
    return JSON.parse(stdout);
  };
  const size = bytes.byteLength;
  const expected = { ok: true, type: "image/png", size, onDisk: size, sha256: digestOf(bytes) };
  const { label, ...raw } = curl(
    ...["-H", "Content-Type: image/png", "--data-binary", `@${file}`, `${url}?label=a%20b`],
  );
  assert.deepEqual([label, raw], ["a b", expected]);
  const form = curl("-F", `file=@${file}`, "-F", "label=a b", url);
  assert.deepEqual(form, { label: "a b", ...expected });
  const chunked = curl(
    ...["-H", "Content-Type: image/png", "-H", "Transfer-Encoding: chunked"],
    ...["-X", "POST", "-T", file, url],
  );
  assert.deepEqual(chunked, { label: "", ...expected });
  assert.equal(await balance(), before - 30);
  await eventually("no file is left", async () => left().length === 0);
}

async function leaveMidway({ port, headers, left, balance, runs }: Measuring) {
  const before = await balance();
  const ranBefore = runs();
  const head = [
    ...["POST /api/v1/measure HTTP/1.1", "Host: 127.0.0.1", "Content-Length: 1000000"],
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "\r\n",
  ].join("\r\n");
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.write(head);
  socket.write(Buffer.alloc(500_000));
  await eventually("it arrives", async () => left().length === 1);
  socket.destroy();
  await eventually("its file is deleted", async () => left().length === 0);
  assert.equal(runs(), ranBefore);
  assert.equal(await balance(), before);
}

async function runOutOfTime({ base, headers, left, balance }: Measuring) {
  const url = `${base}/api/v1/hasty`;
  const before = await balance();
  const call = async (query: string) => {
    const response = await fetch(`${url}?${query}`, { method: "POST", headers, body: "bytes" });
    return ((await response.json()) as { code?: string }).code;
  };
  assert.equal(await call("wait=true"), "tool_timeout");
  assert.equal(await call("hang=true"), "tool_timeout");
  await eventually("no file is left", async () => left().length === 0);
  assert.equal(await balance(), before);
  // On a busy machine the next one may take too long as well.
  await eventually("the next one is in time", async () => (await call("label=next")) === undefined);
}

/** The next start deletes what it left. */
async function killServer(
  t: TestContext,
  { folder, url, headers, left, end, runs }: Measuring,
): Promise<void> {
  const ranBefore = runs();
  void fetch(`${url}?wait=true`, { method: "POST", headers, body: "bytes" }).catch(() => {});
  await eventually("it runs", async () => runs() > ranBefore);
  assert.equal(left().length, 1);
  await end("SIGKILL");
  assert.equal(left().length, 1);
  const next = await startServer(t, { DATA_DIR: path.join(folder, "data") }, inFolder(folder));
  assert.deepEqual(left(), []);
  const to = `${next.base}/api/v1/measure`;
  assert.equal((await fetch(to, { method: "POST", headers, body: "b" })).status, 200);
  await eventually("no file is left", async () => left().length === 0);
}

test("what has arrived and is not on the disk yet is bounded, however slow the disk is", async (t) => {
  const bytes = 25 * 1024 * 1024;
  let [stored, buffered, pieces] = [0, 0, 0];
  let peer: Socket | undefined;
  const sink: Sink<number> = {
    async add(chunk) {
      pieces += 1;
      // A server that does not wait for the disk reads far ahead meanwhile.
      if (pieces <= 20) await delay(20);
      buffered = Math.max(buffered, (peer as Socket).bytesRead - stored);
      stored += chunk.byteLength;
    },
    bytes: () => stored,
    join: () => stored,
    discard() {},
  };
  const app = {
    calls: new Map(),
    async fetch(request: Request, incoming: IncomingMessage) {
      peer = incoming.socket;
      return new Response(String(await receiveBody(request, bytes, sink, {})));
    },
  };
  const at = { host: "127.0.0.1", port: 0 };
  const { port, stop } = await startNodeServer(() => app as unknown as App, at);
  t.after(() => stop(25_000));
  const body = Buffer.alloc(bytes);
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
  assert.equal(await response.text(), String(bytes));
  t.diagnostic(`at most ${buffered} bytes of ${bytes}`);
  assert.ok(buffered < 1024 * 1024, `${buffered} bytes`);
});

test("a file may arrive more slowly than other bodies", async (t) => {
  const app = {
    calls: new Map(),
    async fetch(request: Request, incoming: IncomingMessage) {
      if (request.url.endsWith("/file")) givePatience(incoming);
      return new Response(await request.text());
    },
    reject: async (error: ApiError) => new Response(null, { status: error.status }),
  };
  const { port, stop } = await startNodeServer(() => app as unknown as App, {
    ...{ host: "127.0.0.1", port: 0, headersTimeoutMs: 200, requestTimeoutMs: 200 },
  });
  t.after(() => stop(25_000));
  const send = (to: string) => {
    const raw = openRaw(port);
    t.after(() => raw.socket.destroy());
    raw.write(rawPost(to, "h", { "Content-Length": "5" }));
    return raw;
  };
  const file = send("/file");
  const first = send("/other");
  assert.equal((await first.response()).status, 408);
  // It began later, so the file is late too.
  assert.equal((await send("/other").response()).status, 408);
  file.write("ello");
  assert.equal((await file.response()).text, "hello");
});
