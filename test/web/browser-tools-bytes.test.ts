import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import path from "node:path";
import { after, test } from "node:test";
import { curlCode } from "#site/request-code.ts";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { requestText } from "../../web/tools/request-text.ts";
import { fieldsOf } from "../../web/tools/tool-fields.ts";
import { PUBLIC_URL } from "../http/test-api.ts";
import { openBrowser } from "../support/chromium.ts";
import { HANGS_MS } from "../support/deadline.ts";
import { bundle } from "../support/runtimes.ts";
import { type Case, casesFor } from "./browser-tools-cases.ts";
import { openApi, patternedBytes, RECEIVED_AT, REQUEST_ID } from "./browser-tools-setup.ts";

/** The browser tools give the same responses as the API, byte for byte, errors included. */

/** The page's own code. Only the context that `respondToCall` takes is replaced. Long bodies stay in the page: it returns digests. */
const ENTRY = `
  import { respondToCall } from "./respond-to-call.ts";
  import { digest } from "./hash-stream.ts";
  import "./no-eval.ts";
  import { TOOLS } from "#tools/registry.ts";
  import { requestText } from "./request-text.ts";
  import { fieldsOf } from "./tool-fields.ts";
  const random = ${patternedBytes};
  const encode = (text) => new TextEncoder().encode(text);
  function bodyOf(tool, input) {
    if (input.base64 !== undefined) return Uint8Array.fromBase64(input.base64);
    return encode(input.form === undefined
      ? input.before + input.piece.repeat(input.times) + input.after
      : requestText(fieldsOf(tool), input.form));
  }
  async function runCases({ tool: name, cases, receivedAt, callContext }) {
    const tool = TOOLS.find((each) => each.name === name);
    const responses = [];
    for (const input of cases) {
      const body = bodyOf(tool, input);
      const { contentType = "application/json", query = "" } = input;
      const call = { body, contentType, query };
      const response = await respondToCall(tool, call, { receivedAt, random, digest }, callContext);
      const start = response.body.slice(0, 500);
      const [sent, received] = [body, encode(response.body)].map((bytes) => digest("sha256", bytes).toHex());
      responses.push({ status: response.status, sent, received, start });
    }
    return responses;
  }
`;

/** The SHA-256 of the bodies that were sent and received, and how the response starts, to be shown. */
type PageResponse = { status: number; sent: string; received: string; start: string };

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const [api, browser, content] = await Promise.all([
  openApi(),
  openBrowser(),
  bundle(
    { entry: ENTRY, resolveDir: path.join(import.meta.dirname, "../../web/tools") },
    "globalThis.runCases = runCases;",
  ),
]);
after(() => browser.close());
const page = await browser.newPage();
page.setDefaultTimeout(HANGS_MS);
await page.addScriptTag({ content, type: "module" });

const runInPage = (tool: string, cases: readonly Case[]): Promise<PageResponse[]> =>
  page.evaluate(
    (order) =>
      (globalThis as unknown as { runCases(order: unknown): PageResponse[] }).runCases(order),
    {
      ...{ tool, cases, receivedAt: RECEIVED_AT },
      callContext: { apiUrl: PUBLIC_URL, requestId: REQUEST_ID },
    },
  );

for (const tool of TOOLS) {
  const { name } = tool;
  test(`the page and the API give the same responses of ${name}, byte for byte`, async () => {
    const cases = casesFor(tool);
    const responses = await runInPage(name, cases);
    for (const [at, input] of cases.entries()) {
      const body = bodyOf(tool, input);
      const { status, bytes } = await api.post(name, body, "base64" in input ? input : {});
      const { start, ...inPage } = responses[at] as PageResponse;
      const shown = [JSON.stringify(input), start, Buffer.from(bytes).toString()];
      assert.deepEqual(
        inPage,
        { status, sent: sha256(body), received: sha256(bytes) },
        shown.map((text) => text.slice(0, 500)).join("\n"),
      );
    }
    const rejected = responses.filter(({ status }) => status !== 200).length;
    assert.ok(rejected > 0 && rejected < cases.length, `${rejected} of ${cases.length}`);
    console.log(`${name}: ${cases.length} identical responses, ${rejected} of them errors`);
  });
}

function bodyOf(tool: Tool, input: Case): Uint8Array {
  if ("base64" in input) return Buffer.from(input.base64, "base64");
  const text =
    "form" in input
      ? requestText(fieldsOf(tool), input.form as never)
      : input.before + input.piece.repeat(input.times) + input.after;
  return Buffer.from(text);
}

/** A shell function that replaces curl and prints its arguments. */
const CURL = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n`;

function curlArguments(code: string): string[] {
  const env = { TOOLBOOTH_KEY: "tb_secret" };
  return execFileSync("sh", ["-c", CURL + code], { env, encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

test("a shell passes the exact body to curl", () => {
  const url = "https://a.example/api/v1/echo";
  for (const json of [
    "{}",
    "'",
    "'; touch x; '",
    '"$HOME `id` \\\\n!"',
    "@/etc/passwd",
    "a\nb",
    "\ufeff1",
  ]) {
    assert.deepEqual(curlArguments(curlCode({ url, json })), [
      url,
      "-H",
      "Authorization: Bearer tb_secret",
      "-H",
      "Content-Type: application/json",
      "--data-raw",
      json,
    ]);
  }
  assert.deepEqual(curlArguments(curlCode({ url })).slice(-2), ["-X", "POST"]);
  assert.equal(
    curlArguments(curlCode({ url: "https://a.example/$(id)" }))[0],
    "https://a.example/$(id)",
  );
});

test("curl reads a file as the body, or as a part of a form beside fields that no URL may have", () => {
  const url = "https://a.example/x";
  for (const name of ["input.md", "it's a file.bin", "$(id)", "-rf"]) {
    const file = { name, type: "application/octet-stream" };
    assert.deepEqual(curlArguments(curlCode({ url, file })).slice(-3), [
      "Content-Type: application/octet-stream",
      "--data-binary",
      `@${name}`,
    ]);
  }
  const form = (name: string) =>
    curlArguments(curlCode({ url, file: { name, type: "x", fields: { hmacKey: "<'k", n: 1 } } }));
  assert.deepEqual(form("a.bin").slice(3), [
    ...["-F", "file=@a.bin", "--form-string", "hmacKey=<'k", "--form-string", "n=1"],
  ]);
  assert.equal(form('a;"b".bin')[4], 'file=@"a;\\"b\\".bin"');
});
