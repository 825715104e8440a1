import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { TOOLS } from "#tools/registry.ts";
import { curlCall } from "../../web/tools/curl-call.ts";
import { PUBLIC_URL } from "../http/test-api.ts";
import { openBrowser } from "../support/chromium.ts";
import { bundle } from "../support/runtimes.ts";
import { openApi, patternedBytes, RECEIVED_AT, REQUEST_ID } from "./browser-tools-api.ts";
import { type Case, casesFor } from "./browser-tools-cases.ts";

/** What the browser tools answer is, byte for byte, what the API answers: refusals included. */
const CASES_MIN = 200;

/** The page's own code, with nothing replaced but what `respondToCall` takes from its caller. */
const ENTRY = `
  import { respondToCall } from "./respond-to-call.ts";
  import { digest } from "./digest.ts";
  import "./no-eval.ts";
  import { TOOLS } from "#tools/registry.ts";
  import { requestText } from "./request-text.ts";
  import { fieldsOf } from "./tool-fields.ts";
  const random = ${patternedBytes};
  function bodyOf(tool, asked) {
    if (asked.base64 !== undefined) return Uint8Array.fromBase64(asked.base64);
    const text = asked.form === undefined
      ? asked.before + asked.piece.repeat(asked.times) + asked.after
      : requestText(tool, fieldsOf(tool), asked.form);
    return new TextEncoder().encode(text);
  }
  async function runCase({ tool: name, asked, receivedAt, place }) {
    const tool = TOOLS.find((each) => each.name === name);
    const body = bodyOf(tool, asked);
    const response = await respondToCall(tool, body, { receivedAt, random, digest }, place);
    const sent = asked.form === undefined ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
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

function askPage(tool: string, asked: Case): Promise<PageResponse> {
  const place = { apiUrl: PUBLIC_URL, requestId: REQUEST_ID };
  return page.evaluate(
    (given) => (globalThis as unknown as { runCase(given: unknown): PageResponse }).runCase(given),
    { tool, asked, receivedAt: RECEIVED_AT, place },
  );
}

function bodyOf(asked: Case, sent: string | null): Uint8Array {
  if ("base64" in asked) return Buffer.from(asked.base64, "base64");
  if ("form" in asked) return Buffer.from(sent as string);
  return Buffer.from(asked.before + asked.piece.repeat(asked.times) + asked.after);
}

for (const tool of TOOLS) {
  const { name } = tool;
  test(`the page answers to ${name} byte for byte what the API answers`, async () => {
    const cases = casesFor(tool);
    let refused = 0;
    for (const asked of cases) {
      const here = await askPage(name, asked);
      const there = await api.post(name, bodyOf(asked, here.sent));
      const shown = () => JSON.stringify(asked).slice(0, 300);
      assert.equal(here.status, there.status, shown());
      const same = Buffer.from(here.body).equals(there.bytes);
      assert.ok(
        same,
        `${shown()}\n${here.body.slice(0, 500)}\n${Buffer.from(there.bytes).toString().slice(0, 500)}`,
      );
      if (here.status !== 200) refused += 1;
    }
    assert.ok(cases.length >= CASES_MIN, `only ${cases.length} cases`);
    assert.ok(refused > 0 && refused < cases.length);
    console.log(`${name}: ${cases.length} answers are the same bytes, ${refused} of them refusals`);
  });
}

/** A curl that prints what it is given. */
const CURL = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n`;

function readByShell(code: string): string[] {
  const env = { TOOLBOOTH_KEY: "tb_secret" };
  return execFileSync("sh", ["-c", CURL + code], { env, encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

test("a shell hands curl exactly the body that the form stands for", () => {
  const url = "https://a.example/api/v1/echo";
  for (const text of [
    "{}",
    "'",
    "'; touch x; '",
    '"$HOME `id` \\\\n!"',
    "@/etc/passwd",
    "a\nb",
    "\ufeff1",
  ]) {
    const { code, needsFile } = curlCall(url, Buffer.from(text));
    assert.equal(needsFile, false);
    assert.deepEqual(readByShell(code), [
      ...[url, "-H", "Authorization: Bearer tb_secret", "-H", "Content-Type: application/json"],
      ...["--data-raw", text],
    ]);
  }
  assert.deepEqual(readByShell(curlCall(url, new Uint8Array()).code).slice(-2), ["-X", "POST"]);
});

test("a body that is long, or that no command can hold, is read from a file", () => {
  for (const body of ["a".repeat(2049), "a\0b"]) {
    const { code, needsFile } = curlCall("https://a.example/x", Buffer.from(body));
    assert.equal(needsFile, true);
    assert.deepEqual(readByShell(code).slice(-2), ["--data-binary", "@input.json"]);
  }
});
