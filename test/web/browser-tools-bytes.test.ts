import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { curlCode } from "#site/request-code.ts";
import { TOOLS } from "#tools/registry.ts";
import { PUBLIC_URL } from "../http/test-api.ts";
import { openBrowser } from "../support/chromium.ts";
import { bundle } from "../support/runtimes.ts";
import { type Case, casesFor } from "./browser-tools-cases.ts";
import { openApi, patternedBytes, RECEIVED_AT, REQUEST_ID } from "./browser-tools-setup.ts";

/** The browser tools give the same responses as the API, byte for byte, errors included. */
const CASES_MIN = 200;

/** The page's own code. Only the context that `respondToCall` takes is replaced. */
const ENTRY = `
  import { respondToCall } from "./respond-to-call.ts";
  import { digest } from "./digest.ts";
  import "./no-eval.ts";
  import { TOOLS } from "#tools/registry.ts";
  import { requestText } from "./request-text.ts";
  import { fieldsOf } from "./tool-fields.ts";
  const random = ${patternedBytes};
  function bodyOf(tool, input) {
    if (input.base64 !== undefined) return Uint8Array.fromBase64(input.base64);
    const text = input.form === undefined
      ? input.before + input.piece.repeat(input.times) + input.after
      : requestText(tool, fieldsOf(tool), input.form);
    return new TextEncoder().encode(text);
  }
  async function runCase({ tool: name, input, receivedAt, callContext }) {
    const tool = TOOLS.find((each) => each.name === name);
    const body = bodyOf(tool, input);
    const { contentType = "application/json", query = "" } = input;
    const call = { body, contentType, query };
    const response = await respondToCall(tool, call, { receivedAt, random, digest }, callContext);
    const sent = input.form === undefined ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
    return { ...response, sent };
  }
`;

let browser: Browser;
let page: Page;
let api: Awaited<ReturnType<typeof openApi>>;

before(async () => {
  const resolveDir = path.join(import.meta.dirname, "../../web/tools");
  const content = await bundle({ entry: ENTRY, resolveDir }, "globalThis.runCase = runCase;");
  api = await openApi();
  browser = await openBrowser();
  page = await browser.newPage();
  await page.addScriptTag({ content, type: "module" });
});
after(() => browser.close());

type PageResponse = { status: number; body: string; sent: string | null };

function runInPage(tool: string, input: Case): Promise<PageResponse> {
  const callContext = { apiUrl: PUBLIC_URL, requestId: REQUEST_ID };
  return page.evaluate(
    (order) => (globalThis as unknown as { runCase(order: unknown): PageResponse }).runCase(order),
    { tool, input, receivedAt: RECEIVED_AT, callContext },
  );
}

function bodyOf(input: Case, sent: string | null): Uint8Array {
  if ("base64" in input) return Buffer.from(input.base64, "base64");
  if ("form" in input) return Buffer.from(sent as string);
  return Buffer.from(input.before + input.piece.repeat(input.times) + input.after);
}

for (const tool of TOOLS) {
  const { name } = tool;
  test(`the page and the API give the same responses of ${name}, byte for byte`, async () => {
    const cases = casesFor(tool);
    let rejected = 0;
    for (const input of cases) {
      const inPage = await runInPage(name, input);
      const fromApi = await api.post(
        name,
        bodyOf(input, inPage.sent),
        "base64" in input ? input : {},
      );
      const shownInput = JSON.stringify(input).slice(0, 300);
      assert.equal(inPage.status, fromApi.status, shownInput);
      assert.ok(
        Buffer.from(inPage.body).equals(fromApi.bytes),
        `${shownInput}\n${inPage.body.slice(0, 500)}\n${Buffer.from(fromApi.bytes).toString().slice(0, 500)}`,
      );
      if (inPage.status !== 200) rejected += 1;
    }
    assert.ok(cases.length >= CASES_MIN, `only ${cases.length} cases`);
    assert.ok(rejected > 0 && rejected < cases.length);
    console.log(`${name}: ${cases.length} identical responses, ${rejected} of them errors`);
  });
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
