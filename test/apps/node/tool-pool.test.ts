import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import path from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { runTool, type ToolResponse } from "#calls/run-tool.ts";
import { ApiError, ERRORS } from "#errors.ts";
import { TOOL_QUEUE_PER_ACCOUNT_MAX } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { openToolPool, type ToolPoolOptions } from "../../../src/apps/node/tool-pool.ts";
import type { ThreadJob } from "../../../src/apps/node/tool-thread.ts";
import { eventually } from "../../http/test-api.ts";
import { afterSuite } from "../../support/after-suite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { fixedToolContext } from "../../support/tool-context.ts";

/** Threads for large inputs return the same responses as the main thread. */
const RECEIVED_AT = Date.UTC(2026, 2, 4, 5, 6, 7, 89);

function openPool(t: Pick<TestContext, "after">, threads: number, options: ToolPoolOptions = {}) {
  const faults: unknown[] = [];
  const pool = openToolPool(threads, (cause) => faults.push(cause), options);
  t.after(() => pool.close());
  return { ...pool, faults };
}

/** Creates a job whose bytes can be transferred to a thread. */
function createJob(tool: string, body: string, changes: Partial<ThreadJob> = {}): ThreadJob {
  return {
    tool,
    body: new TextEncoder().encode(body),
    contentType: "application/json",
    query: "",
    accept: null,
    receivedAt: RECEIVED_AT,
    // The random bytes for uuid. Other tools use none.
    random: "5a".repeat(10),
    fingerprint: false,
    ...changes,
  };
}

const toolsByName = new Map(TOOLS.map((tool) => [tool.name, tool]));

const runHere = (job: ThreadJob) =>
  runTool(toolsByName.get(job.tool) as Tool, job, fixedToolContext());

const bytesOf = ({ body }: ToolResponse) =>
  Buffer.from(typeof body === "string" ? new TextEncoder().encode(body) : body);

const BODIES: Record<string, string[]> = {
  "markdown-render": [
    JSON.stringify({ markdown: "# a *b* [ü](https://example.com) 🎉\n\n".repeat(3_000) }),
  ],
  "qr-code": [JSON.stringify({ text: "a".repeat(1_000), width: 2048 })],
  hash: [JSON.stringify({ text: "ü".repeat(500_000), algorithm: "sha512" })],
  uuid: ["", JSON.stringify({ count: 1, uppercase: true })],
  echo: [JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at, text: "ü\\u0000" })))],
};

test("the threads of large calls give way to the others", {
  skip: whyNoPriorities(),
}, async (t) => {
  const { run } = openPool(t, 1);
  await run(createJob("hash", JSON.stringify({ text: "a" })));
  const threads = "/proc/self/task";
  /** Null for a thread that has ended, such as one of an earlier test. */
  function niceness(id: string): number | null {
    try {
      // The name, which ends with a parenthesis, may have spaces; the niceness is the 17th field after it.
      const stat = readFileSync(`${threads}/${id}/stat`, "utf8");
      return Number(stat.split(") ").at(-1)?.split(" ")[16]);
    } catch {
      return null;
    }
  }
  const own = niceness(String(process.pid)) ?? assert.fail();
  const nicer = readdirSync(threads).filter((id) => (niceness(id) ?? own) > own);
  assert.ok(nicer.length >= 1, "no thread of the pool has a lower priority");
  assert.equal(own, getPriority(), "the main thread keeps its own");
});

function whyNoPriorities(): string | false {
  if (process.platform !== "linux") return "only Linux has a priority for each thread";
  return (
    getPriority() === constants.priority.PRIORITY_LOW && "no priority is lower than this process's"
  );
}

/** The random bytes of one run, for use in the next runs. */
async function draw(tool: string, body: string): Promise<string | null> {
  const job = createJob(tool, body, { random: null, fingerprint: true });
  return (await runHere(job)).fingerprint?.random ?? null;
}

const REJECTED: Record<string, ThreadJob> = {
  "a body that is not JSON": createJob("hash", "{"),
  "two wrong fields": createJob("qr-code", '{"text":1,"widht":2,"format":"gif"}'),
  "text that is too long": createJob(
    "markdown-render",
    `{"markdown":"${"a".repeat(1024 * 1024 + 1)}"}`,
  ),
  "text that does not fit the level": createJob(
    "qr-code",
    `{"text":"${"a".repeat(2500)}","errorCorrectionLevel":"Q"}`,
  ),
  "a content type that the tool does not take": createJob("hash", "text=a", {
    contentType: "text/css",
  }),
};

describe("one thread for all of these", () => {
  const t = afterSuite();
  let pool: ReturnType<typeof openPool>;
  before(() => {
    pool = openPool(t, 1);
  });

  for (const tool of TOOLS) {
    test(`${tool.name} returns the same bytes on a thread as on the main thread`, async () => {
      const examples = tool.examples.map(({ request }) => JSON.stringify(request));
      for (const body of [...examples, ...(BODIES[tool.name] ?? [])]) {
        for (const fingerprint of [false, true]) {
          const changes = { fingerprint, random: await draw(tool.name, body) };
          const here = await runHere(createJob(tool.name, body, changes));
          const response = await pool.run(createJob(tool.name, body, changes));
          assert.ok(bytesOf(response).equals(bytesOf(here)), body.slice(0, 80));
          assert.deepEqual(response.fingerprint, here.fingerprint);
        }
      }
      assert.deepEqual(pool.faults, []);
    });
  }

  for (const [name, job] of Object.entries(REJECTED)) {
    test(`an error crosses the thread unchanged: ${name}`, async () => {
      const inline = await fault(runHere({ ...job, body: job.body.slice() }));
      const crossed = await fault(pool.run(job));
      const { cause: _, ...details } = inline.details;
      assert.deepEqual(crossed.details, details);
      assert.equal(crossed.code, inline.code);
      assert.equal(crossed.message, inline.message);
      assert.ok(crossed.code in ERRORS);
    });
  }

  test("the bytes of calls without an idempotency key are transferred, and the others copied", async () => {
    const body = JSON.stringify({ text: "a" });
    const copied = createJob("hash", body, { fingerprint: true });
    await pool.run(copied);
    assert.equal(new TextDecoder().decode(copied.body), body);
    const transferred = createJob("hash", body);
    await pool.run(transferred);
    assert.equal(transferred.body.byteLength, 0);
  });
});

async function fault(run: Promise<unknown>): Promise<ApiError> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

function assertOverloaded({ code, details }: ApiError) {
  assert.equal(code, "unavailable");
  assert.match(details.headers?.["Retry-After"] ?? "", /^[1-9]\d*$/);
}

test("an account can have a limited number of jobs waiting, and the others complete", async (t) => {
  const pool = openPool(t, 1);
  await pool.run(createJob("hash", '{"text":"a"}'));
  const jobs = Array.from({ length: TOOL_QUEUE_PER_ACCOUNT_MAX + 20 }, () =>
    pool.run(createJob("hash", '{"text":"a"}')),
  );
  assert.equal(pool.waiting(), TOOL_QUEUE_PER_ACCOUNT_MAX);
  const results = await Promise.allSettled(jobs);
  const refused = results.filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 20 - 1);
  for (const each of refused) assertOverloaded((each as PromiseRejectedResult).reason);
  assert.equal(pool.waiting(), 0);
  await pool.run(createJob("hash", '{"text":"a"}'));
});

test("an account waits for one job of each other account, however many these have", async (t) => {
  const pool = openPool(t, 1);
  await pool.run(createJob("hash", '{"text":"a"}'));
  const done: string[] = [];
  const run = (account: string) =>
    pool.run(createJob("hash", '{"text":"a"}'), account).then(() => done.push(account));
  const many = Array.from({ length: 2 * TOOL_QUEUE_PER_ACCOUNT_MAX }, (_, at) =>
    run(`busy ${at % 4}`),
  );
  await run("quiet");
  assert.ok(done.length <= 1 + 4 + 1, `${done}`);
  await Promise.all(many);
});

/** The file of a thread that says when it is ready. `respond`: what it does with a `message`. */
function writeEntry(file: string, respond: string): URL {
  const text = `import { parentPort as port } from "node:worker_threads";
    port.on("message", (message) => { ${respond} });
    port.postMessage({ kind: "ready" });`;
  writeFileSync(file, text);
  return pathToFileURL(file);
}

const NEVER = '{"text":"never"}';
/** It does not end a job that has this text, and responds to others. */
const HANGS = `
  const { kind, call, job } = message;
  while (kind === "call" && job.body.byteLength === ${NEVER.length});
  port.postMessage({ call, kind: "response", response: { body: "ok", type: "text/plain", fingerprint: null } });`;

test("stops a job that exceeds its time, rejects jobs that wait for too long, and continues", async (t) => {
  const entry = writeEntry(path.join(temporaryFolder(t), "thread.mjs"), HANGS);
  const hasty = openPool(t, 1, { entry, limitMs: 60 });
  assertOverloaded(await fault(hasty.run(createJob("hash", NEVER))));
  // On a busy machine the next one may take too long as well.
  const isGood = () =>
    hasty.run(createJob("hash", "{}")).then(
      ({ body }) => body === "ok",
      () => false,
    );
  await eventually("another thread completes a job", isGood);
  const busy = openPool(t, 1, { entry, patienceMs: 60 });
  const hanging = fault(busy.run(createJob("hash", NEVER)));
  assertOverloaded(await fault(busy.run(createJob("hash", "{}"))));
  assert.equal(busy.waiting(), 0);
  await busy.close();
  assertOverloaded(await hanging);
});

test("a pool whose threads cannot start fails its calls at once, and recovers when one can", async (t) => {
  const entry = path.join(temporaryFolder(t), "thread.mjs");
  writeFileSync(entry, 'throw new Error("denied");');
  const causes: unknown[] = [];
  const pool = openToolPool(2, () => {}, {
    entry: pathToFileURL(entry),
    retryMs: 50,
    onBroken: (cause) => causes.push(cause),
  });
  t.after(() => pool.close());
  const job = () => createJob("hash", JSON.stringify({ text: "a" }));
  // Both the calls that wait for the first thread, and those that come when it has failed.
  const early = await Promise.allSettled([pool.run(job()), pool.run(job()), pool.run(job())]);
  for (const result of [...early, ...(await Promise.allSettled([pool.run(job())]))]) {
    assert.ok(result.status === "rejected" && result.reason instanceof ApiError);
    assert.equal(result.reason.code, "unavailable");
    assert.match(result.reason.message, /^The service cannot process large calls.*not charged/);
  }
  assert.match(String(causes[0]), /denied/);
  assert.equal(pool.waiting(), 0);

  writeEntry(entry, HANGS);
  await eventually("a thread starts", async () => causes.at(-1) === null);
  assert.equal((await pool.run(job())).body, "ok");
});

test("a pool to which the system gives no thread fails its calls, and tries again", async (t) => {
  // Node throws at once for such an address, as it does where the system has no more threads.
  const pool = openPool(t, 1, { entry: new URL("https://example.com/thread.mjs"), retryMs: 5 });
  const job = () => createJob("hash", "{}");
  for (let count = 0; count < 2; count += 1)
    await assert.rejects(pool.run(job()), { code: "unavailable" });
  await eventually("it has tried again", async () => pool.faults.length > 2);
  assert.equal(pool.waiting(), 0);
});

test("a thread that dies with its job costs the pool nothing", async (t) => {
  const entry = writeEntry(path.join(temporaryFolder(t), "thread.mjs"), "process.exit(1);");
  const causes: unknown[] = [];
  const pool = openPool(t, 1, { entry, onBroken: (cause) => causes.push(cause) });
  for (let count = 0; count < 3; count += 1)
    await assert.rejects(pool.run(createJob("hash", "{}")), /exit code 1/);
  assert.deepEqual([causes, pool.faults.length], [[], 3]);
});
