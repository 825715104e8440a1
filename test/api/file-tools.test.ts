import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  openAsBlob,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import type { OwnSources } from "#calls/run-tool.ts";
import type { FileStore } from "#calls/stored-file.ts";
import { ApiError } from "#errors.ts";
import { UPLOAD_BYTES_MAX, UPLOAD_LIMITS } from "#limits.ts";
import { defineTool, type OwnToolContext } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { openUploadedFiles } from "../../src/apps/node/uploaded-files.ts";
import { START } from "../http/fixed-context.ts";
import { openChanged } from "../http/in-process.ts";
import { assertProblem, assertResponse, createCaller, eventually } from "../http/test-api.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Calls of a tool that takes a file: what is written when, what is checked, and what a repeat is. */

const BYTES_MAX = 1_000_000;
const PNG = { "Content-Type": "image/png" };

type Definition = Partial<Parameters<typeof defineTool>[0]>;
type Run = (file: Blob & { path: string }, label: string) => unknown;

async function openWithFiles(
  t: TestContext,
  definition: Definition = {},
  run: Run = () => ({}),
  wrap: (store: FileStore) => FileStore = (store) => store,
) {
  const dataDir = temporaryFolder(t);
  const folder = path.join(dataDir, "uploads");
  const sizes = () => left().map((name) => statSync(path.join(folder, name)).size);
  const left = () => (existsSync(folder) ? readdirSync(folder) : []);
  let [runs, created] = [0, 0];
  const own = ownTool(
    "measure",
    defineTool({
      ...{ summary: "Measures a picture.", input: { label: z.string().default("none") } },
      ...{ price: 10, file: { types: ["image/png", "image/jpeg"], bytesMax: BYTES_MAX } },
      ...(definition as object),
      async run({ label }: { label: string }, { file }: OwnToolContext) {
        runs += 1;
        const sha256 = createHash("sha256")
          .update(await file.bytes())
          .digest("hex");
        const more = (await run(file, label)) as object;
        return { label, type: file.type, size: file.size, sha256, run: runs, ...more };
      },
    } as never),
  );
  const stored = openUploadedFiles(dataDir, {
    isDiskLow: () => false,
    logError: (message) => assert.fail(message),
  });
  const uploads = wrap({
    create(connection) {
      created += 1;
      return stored.create(connection);
    },
  });
  const sources: OwnSources = {
    ...{ signal: new AbortController().signal, secrets: {}, fetch, log() {} },
    openFile: async ({ path: file, type }) =>
      Object.assign(await openAsBlob(file, { type }), { path: file }),
  };
  return {
    service: await openChanged(t, { tools: [own], own: sources, uploads, logError() {} }),
    left,
    sizes,
    none: () => eventually("no file is left", async () => left().length === 0),
    runs: () => runs,
    created: () => created,
  };
}

const PICTURE = randomBytes(200_000);
const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A form as `curl -F` sends it. */
async function formOf(parts: Record<string, string | Blob>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts))
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, "picture.png");
  const response = new Response(form);
  return {
    headers: { "Content-Type": response.headers.get("content-type") as string },
    body: new Uint8Array(await response.arrayBuffer()),
  };
}
const picture = (bytes: Uint8Array = PICTURE, type = "image/png") =>
  new Blob([bytes as Uint8Array<ArrayBuffer>], { type });

test("the file is the body, or a file of a form, with the other fields in the query or the form", async (t) => {
  const modes: number[] = [];
  const { service, none, created } = await openWithFiles(t, {}, (file) => {
    modes.push(statSync(file.path).mode & 0o777);
    return {};
  });
  const caller = await createCaller(service, { credits: 1_000 });
  const raw = { headers: PNG, body: PICTURE };
  const expected = { size: PICTURE.byteLength, sha256: digestOf(PICTURE), type: "image/png" };
  for (const sent of [
    raw,
    { ...raw, chunked: true },
    { headers: { ...PNG, "Content-Encoding": "gzip" }, body: gzipSync(PICTURE) },
    await formOf({ file: picture() }),
    await formOf({ anything: picture(), label: "red" }),
    { ...(await formOf({ label: "red", file: picture() })), chunked: true },
  ]) {
    const response = await caller.post(`measure`, sent);
    assertResponse(response, 10);
    const { ok, run, label, ...found } = response.json();
    assert.deepEqual(found, expected);
    assert.ok(label === "none" || label === "red");
  }
  const asked = await caller.post("measure?label=blue", raw);
  assert.equal(asked.json().label, "blue");
  const form = await caller.post("measure?label=blue", await formOf({ file: picture() }));
  assert.equal(form.json().label, "blue");
  assert.deepEqual(new Set(modes), new Set([0o600]));
  assert.equal(created(), 8);
  await none();
});

test("a list beside a file is sent item by item, in the query or the form", async (t) => {
  const { service } = await openWithFiles(t, { input: { label: z.array(z.int()) } });
  const caller = await createCaller(service, { credits: 1_000 });
  const raw = { headers: PNG, body: PICTURE };
  const form = new FormData();
  for (const item of ["3", "4"]) form.append("label", item);
  form.append("file", picture(), "picture.png");
  const sent = new Response(form);
  const asForm = {
    headers: { "Content-Type": sent.headers.get("content-type") as string },
    body: new Uint8Array(await sent.arrayBuffer()),
  };
  for (const [target, request, label] of [
    ["measure?label=1", raw, [1]],
    ["measure?label=1&label=2", raw, [1, 2]],
    ["measure", asForm, [3, 4]],
  ] as const) {
    const response = await caller.post(target, request);
    assertResponse(response, 10);
    assert.deepEqual(response.json().label, label);
  }
  const { detail } = assertProblem(await caller.post("measure", raw), "invalid_request");
  assert.equal(detail, "`label` is required.");
});

test("a file of one byte and one of the largest size are taken; one more byte is too large", async (t) => {
  const { service, none, runs } = await openWithFiles(t);
  const caller = await createCaller(service, { credits: 1_000 });
  for (const size of [1, BYTES_MAX])
    for (const chunked of [false, true]) {
      const response = await caller.post("measure", {
        headers: PNG,
        body: randomBytes(size),
        chunked,
      });
      assert.equal(response.json().size, size);
    }
  const body = randomBytes(BYTES_MAX + 1);
  const sent = [
    { headers: PNG, body },
    { headers: PNG, body, chunked: true },
    {
      headers: { ...PNG, "Content-Encoding": "gzip" },
      body: gzipSync(Buffer.alloc(BYTES_MAX + 1)),
    },
    await formOf({ file: picture(body) }),
    { ...(await formOf({ file: picture(body) })), chunked: true },
    await formOf({ file: picture(), label: "x".repeat(1_100_000) }),
  ];
  for (const each of sent) {
    const problem = assertProblem(await caller.post("measure", each), "too_large");
    assert.match(problem.detail, /; the limit is \d+ bytes\.$/);
  }
  assert.equal(runs(), 4);
  assert.equal(await caller.balance(), 1_000 - 40);
  await none();
});

test("a compressed body that never becomes a file ends at the limit, too", async (t) => {
  const { service, created } = await openWithFiles(t);
  const caller = await createCaller(service);
  // The head of gzip (RFC 1952), and stored blocks without bytes (RFC 1951, section 3.2.4), none of which is the last.
  const head = Buffer.from("1f8b0800000000000003", "hex");
  const body = Buffer.concat([head, Buffer.alloc(BYTES_MAX, Buffer.from("000000ffff", "hex"))]);
  const headers = { ...PNG, "Content-Encoding": "gzip" };
  assertProblem(await caller.post("measure", { headers, body, chunked: true }), "too_large");
  const broken = await caller.post("measure", { headers, body: "no gzip" });
  assert.match(assertProblem(broken, "invalid_request").detail, /gzip/);
  const unknown = { headers: { ...PNG, "Content-Encoding": "br" }, body: PICTURE };
  assertProblem(await caller.post("measure", unknown), "unsupported_media_type");
  assert.equal(created(), 0);
});

test("a body that is not a file of the tool's types is rejected before anything is written", async (t) => {
  const { service, created } = await openWithFiles(t);
  const caller = await createCaller(service);
  const wrong = [
    { headers: { "Content-Type": "image/gif" }, body: PICTURE },
    { headers: { "Content-Type": "application/json" }, body: '{"label":"a"}' },
    { headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: "label=a" },
    { headers: {}, body: PICTURE },
    await formOf({ file: picture(PICTURE, "image/gif") }),
  ];
  for (const each of wrong) {
    const rejected = await caller.post("measure", each);
    const { detail } = assertProblem(rejected, "unsupported_media_type");
    assert.match(detail, /measure takes a file of the type `image\/png` or `image\/jpeg`: /);
    assert.ok(detail.includes('`curl -F "file=@PATH;type=image/png"`'), detail);
    if (each.headers["Content-Type"] === undefined)
      assert.match(detail, /^The call has no file, or no Content-Type for it\./);
    assert.equal(rejected.header("accept"), "image/png, image/jpeg, multipart/form-data");
  }
  const incomplete: [RegExp, Parameters<typeof caller.post>[1]][] = [
    [/^The file is empty\.$/, { headers: PNG }],
    [/^The file is empty\.$/, await formOf({ file: picture(new Uint8Array()) })],
    [/^The form has no file\.$/, await formOf({ label: "a" })],
    [/^The form has no file: the part `file` has no file name\./, await formOf({ file: "a" })],
  ];
  for (const [detail, each] of incomplete)
    assert.match(
      assertProblem(await caller.post("measure", each), "invalid_request").detail,
      detail,
    );
  assert.equal(created(), 0);
});

test("a form has one file, whose part does not have the name of a field, and ends with its boundary", async (t) => {
  const { service, none, runs } = await openWithFiles(t);
  const caller = await createCaller(service);
  const two = await formOf({ one: picture(), two: picture() });
  assert.match((await caller.post("measure", two)).json().detail, /more than one file/);
  const named = await caller.post("measure", await formOf({ label: picture() }));
  assert.match(
    assertProblem(named, "invalid_request").detail,
    /^`label` must be text: a file is not a field\./,
  );
  const whole = await formOf({ file: picture() });
  const cut = { ...whole, body: whole.body.subarray(0, -10) };
  assert.match((await caller.post("measure", cut)).json().detail, /its last boundary is missing/);
  const twice = await caller.post("measure?label=a", await formOf({ file: picture(), label: "b" }));
  assert.match(assertProblem(twice, "invalid_request").detail, /given more than once/);
  assert.equal(runs(), 0);
  await none();
});

test("nothing is written for a client without a valid key or without credits", async (t) => {
  const { service, created } = await openWithFiles(t);
  const poor = await createCaller(service, { credits: 9 });
  const sent = { headers: PNG, body: PICTURE };
  for (let call = 0; call < 3; call += 1)
    assertProblem(await poor.post("measure", sent), "insufficient_credits");
  assertProblem(await service.send("/api/v1/measure", { method: "POST", ...sent }), "missing_key");
  const closed = await createCaller(service);
  await service.ledger.revokeKey({
    id: closed.keyId,
    account: closed.account,
    now: START,
  } as never);
  assertProblem(await closed.post("measure", sent), "invalid_key");
  assert.equal(created(), 0);
});

for (const effect of ["none", "read", "act"] as const)
  test(`a repeat with the same file gets the response, and with another one an error (effect "${effect}")`, async (t) => {
    const { service, none, runs } = await openWithFiles(t, { effect });
    const caller = await createCaller(service);
    const key = { "Idempotency-Key": "one" };
    const sent = { headers: { ...PNG, ...key }, body: PICTURE };
    const first = await caller.post("measure", sent);
    assertResponse(first, 10);
    if (effect !== "none") {
      const again = await caller.post("measure", sent);
      assertResponse(again, 0);
      assert.deepEqual(again.bytes, first.bytes);
      assert.equal(runs(), 1);
    }
    const other = Buffer.from(PICTURE);
    other[100_000] = (other[100_000] ?? 0) ^ 1;
    for (const each of [
      { ...sent, body: other },
      { ...sent, headers: { ...key, "Content-Type": "image/jpeg" } },
      { ...(await formOf({ file: picture() })) },
    ]) {
      const headers = { ...each.headers, ...key };
      const reused = await caller.post("measure", { ...each, headers });
      const { detail } = assertProblem(reused, "idempotency_key_reused");
      assert.match(
        detail,
        /A repeat must have the same fields and the same file, sent in the same way/,
      );
    }
    assertProblem(await caller.post("measure?label=a", sent), "idempotency_key_reused");
    assert.equal(await caller.balance(), 90);
    await none();
  });

test("a file is deleted when its tool throws, and the call costs nothing", async (t) => {
  const { service, none } = await openWithFiles(t, {}, () => {
    throw new Error("broken");
  });
  const caller = await createCaller(service);
  const failed = await caller.post("measure", { headers: PNG, body: PICTURE });
  assert.equal(failed.status, 500);
  assert.equal(await caller.balance(), 100);
  await none();
});

test("a wrong field is found before the call is paid, and its file deleted", async (t) => {
  const { service, none, runs } = await openWithFiles(t);
  const caller = await createCaller(service);
  const { errors } = assertProblem(
    await caller.post("measure?labl=a", { headers: PNG, body: PICTURE }),
    "invalid_request",
  );
  assert.deepEqual(errors, [
    { parameter: "labl", detail: "unknown parameter; did you mean `label`?" },
  ]);
  assert.equal(runs(), 0);
  await none();
});

test("a full disk is 503, uncharged, and says nothing of the disk", async (t) => {
  let writes = 0;
  const { service, none } = await openWithFiles(t, {}, undefined, (store) => ({
    async create(connection) {
      const file = await store.create(connection);
      return {
        ...file,
        async write(bytes) {
          writes += 1;
          if (writes === 3) throw new ApiError("unavailable", "No room.", { cause: "ENOSPC" });
          await file.write(bytes);
        },
      };
    },
  }));
  const caller = await createCaller(service);
  const sent = { headers: PNG, body: PICTURE };
  assertProblem(await caller.post("measure", sent), "unavailable");
  assert.equal(await caller.balance(), 100);
  await none();
  assertResponse(await caller.post("measure", sent), 10);
});

test("a disk that cannot be written, or is low, takes no file", async (t) => {
  const dataDir = temporaryFolder(t);
  writeFileSync(path.join(dataDir, "uploads"), "no folder");
  assert.throws(() => openUploadedFiles(dataDir, { isDiskLow: () => false, logError() {} }));
  const other = temporaryFolder(t);
  const low = openUploadedFiles(other, { isDiskLow: () => true, logError() {} });
  await assert.rejects(low.create(undefined), { code: "unavailable" });
  const gone = openUploadedFiles("/proc/nowhere", { isDiskLow: () => false, logError() {} });
  await assert.rejects(gone.create(undefined), { code: "unavailable" });
  assert.deepEqual(readdirSync(other), []);
});

test("a start deletes the files that are left, and none that a call of another node may have", (t) => {
  const dataDir = temporaryFolder(t);
  const folder = path.join(dataDir, "uploads");
  mkdirSync(folder);
  for (const [name, hours] of [
    ["running", 0.5],
    ["left", 2],
  ] as const) {
    writeFileSync(path.join(folder, name), "");
    const at = Date.now() / 1_000 - hours * 3_600;
    utimesSync(path.join(folder, name), at, at);
  }
  const options = { isDiskLow: () => false, logError() {} };
  openUploadedFiles(dataDir, { ...options, isShared: true });
  assert.deepEqual(readdirSync(folder), ["running"]);
  openUploadedFiles(dataDir, options);
  assert.deepEqual(readdirSync(folder), []);
});

test("the files of an account's running calls have a limit, beyond which a call is 503", async (t) => {
  const gate = Promise.withResolvers<object>();
  const bytesMax = UPLOAD_BYTES_MAX;
  assert.equal(Math.floor(UPLOAD_LIMITS.bytesPerAccount / bytesMax), 5);
  const file = { types: ["image/png"] };
  const { service, none, sizes } = await openWithFiles(
    t,
    { file, effect: "act" },
    () => gate.promise,
  );
  const caller = await createCaller(service);
  const other = await createCaller(service);
  const body = Buffer.alloc(bytesMax);
  const send = (by: typeof caller, key: string) =>
    by.post("measure", { headers: { ...PNG, "Idempotency-Key": key }, body });
  const running = Array.from({ length: 5 }, (_, at) => send(caller, `call-${at}`));
  await eventually("five have arrived", async () => {
    const found = sizes();
    return found.length === 5 && found.every((size) => size === bytesMax);
  });
  const sixth = assertProblem(await send(caller, "sixth"), "unavailable");
  assert.match(
    sixth.detail,
    /^The running calls of the account already have as many bytes of files/,
  );
  const others = send(other, "other");
  gate.resolve({});
  for (const each of [...running, others]) assertResponse(await each, 10);
  await none();
  assertResponse(await send(caller, "sixth"), 10);
});

test("a quote checks the same request, stores nothing, and needs no file", async (t) => {
  const price = ({ label }: { label: string }) => label.length;
  const { service, created, runs } = await openWithFiles(t, { price, priceMax: 10 } as never);
  const caller = await createCaller(service, { credits: 0 });
  const quoted = async (query: string, sent: Parameters<typeof caller.post>[1]) => {
    const response = await caller.post(`measure/quote?${query}`, sent);
    return response.status === 200 ? response.json().credits : response.json().code;
  };
  assert.equal(await quoted("label=abc", {}), 3);
  assert.equal(await quoted("label=abc", { headers: PNG, body: PICTURE }), 3);
  assert.equal(await quoted("", await formOf({ label: "ab", file: picture() })), 2);
  assert.equal(await quoted("", await formOf({ label: "ab" })), 2);
  assert.equal(
    await quoted("", { headers: { "Content-Type": "image/gif" }, body: PICTURE }),
    "unsupported_media_type",
  );
  assert.equal(
    await quoted("", { headers: PNG, body: Buffer.alloc(BYTES_MAX + 1), chunked: true }),
    "too_large",
  );
  assert.deepEqual([created(), runs()], [0, 0]);
});

test("agents are not offered a tool that takes a file, and learn how to call it", async (t) => {
  const { service } = await openWithFiles(t);
  const { key } = await createCaller(service);
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = {
      ...{ Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      Accept: "application/json, text/event-stream",
    };
    return (await service.send("/mcp", { method: "POST", headers, body })).json();
  };
  const { tools } = (await ask("tools/list", {})).result;
  assert.ok(!tools.some(({ name }: { name: string }) => name === "measure"));
  const { error } = await ask("tools/call", { name: "measure", arguments: {} });
  assert.match(
    error.message,
    /^measure takes a file, .+ Call it over HTTP: POST \/api\/v1\/measure\.$/,
  );
});
