import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { welcome } from "#apps/node/demo-account.ts";
import { bareCurlCode, type CallShown, curlCode, traitsOf } from "#site/request-code.ts";
import { defineTool, type Tool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { serveHttp } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { RUNNABLE, runSample, SHELL } from "./sample-programs.ts";

/** Samples send each value as it is, whatever the shell or the language could read in it. */

const VALUES = [
  `it's "quoted" \`date\` $(date) $HOME \${HOME}`,
  "back\\slash \\n \\\\ ends with \\",
  "two\nlines\r\n\tand a tab",
  "!! 100% of *.md; a & b | c > d # e ~",
  "@/etc/hostname",
  "</etc/hostname;type=text/html",
  "-é—😀\u2028\ufeff",
];

/** A server that keeps what it receives. */
async function openApi(t: TestContext) {
  const received: { url: string; type: string; body: string }[] = [];
  const base = await serveHttp(t, async (request, response) => {
    const { url = "", headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ url, type: headers["content-type"] ?? "", body });
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"ok":true}');
  });
  return { base, received };
}

function folderWithFile(t: TestContext): string {
  const folder = temporaryFolder(t);
  writeFileSync(path.join(folder, "file.bin"), "bytes");
  return folder;
}

for (const language of RUNNABLE) {
  const { title, write, skip } = language;
  test(`${title}: JSON has the values of the call`, { skip }, async (t) => {
    const { base, received } = await openApi(t);
    const body = Object.fromEntries(VALUES.map((value) => [value, value]));
    await runSample(language, write({ url: base, body }), { folder: temporaryFolder(t) });
    assert.deepEqual(JSON.parse(received[0]?.body ?? ""), body);
  });

  test(`${title}: fields beside a file have the values of the call`, { skip }, async (t) => {
    const { base, received } = await openApi(t);
    const fields = Object.fromEntries(VALUES.map((value, at) => [`field-${at}`, value]));
    const call: CallShown = { url: base, file: { name: "file.bin", type: "image/png", fields } };
    await runSample(language, write(call), { folder: folderWithFile(t) });
    const [{ type, body } = { type: "", body: "" }] = received;
    const { file, base64, ...sent } = type.startsWith("multipart/")
      ? Object.fromEntries(
          await new Response(body, { headers: { "Content-Type": type } }).formData(),
        )
      : JSON.parse(body);
    assert.ok(file !== undefined || base64 === btoa("bytes"));
    assert.deepEqual(sent, fields);
  });
}

/** A tool whose text may be the body, as the built-in ones have it. */
const rawTool = (text: string, type: string): Tool => ({
  ...ownTool(
    "shout",
    defineTool({
      ...{ summary: "Shouts.", input: { text: z.string() }, price: 1, run: () => ({}) },
      examples: [{ name: "a text", request: { text }, response: { ok: true } }],
    }),
  ),
  rawBody: { field: "text", types: ["text/plain"], octets: false },
  representations: [{ type, write: () => "" }],
});

test("the line of curl that sends a text has the text of the example", {
  skip: SHELL.skip,
}, async (t) => {
  const { base, received } = await openApi(t);
  for (const value of VALUES) {
    const code = bareCurlCode(rawTool(value, "text/vnd.a$b`c"), base, "text/plain");
    await runSample(SHELL, `set -eu\n${code}`, { folder: temporaryFolder(t) });
    const { type, body } = received.at(-1) ?? { type: "", body: "" };
    const form = await new Response(body, { headers: { "Content-Type": type } }).formData();
    assert.equal(form.get("text"), value, code);
  }
  // Double quotes work in every shell, so plain values have them.
  assert.match(bareCurlCode(rawTool("Hello, you", ""), base, "text/plain"), /"text=Hello, you"/);
});

test("lines of curl have the type of the file as it is", { skip: SHELL.skip }, async (t) => {
  const { base, received } = await openApi(t);
  const type = "image/vnd.a$home!b";
  const tool = ownTool(
    "scan",
    defineTool({
      ...{ summary: "Scans.", input: {}, price: 1, file: { types: [type] }, run: () => ({}) },
    }),
  );
  const call: CallShown = { url: base, ...traitsOf(tool) };
  const lines = welcome("tb_key", base, 1, { tool, request: {} });
  for (const code of [
    curlCode(call),
    bareCurlCode(tool, base, "text/plain"),
    /^ {2}curl .*$/m.exec(lines)?.[0] ?? "",
  ]) {
    await runSample(SHELL, `set -eu\n${code}`, { folder: folderWithFile(t) });
    assert.deepEqual([received.at(-1)?.type, received.at(-1)?.body], [type, "bytes"], code);
  }
});
