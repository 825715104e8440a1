import assert from "node:assert/strict";
import { test } from "node:test";
import { bundle, runtimesFor } from "../support/runtimes.ts";
import { documents } from "./everywhere-documents.ts";
import { gfmExamples } from "./markdown-render/spec-examples.ts";
import { generatedTexts } from "./qr-code/texts.ts";

if (typeof gfmExamples() === "string")
  test("the examples of GFM are among the documents", { skip: String(gfmExamples()) });

/**
 * The script that every runtime runs: a function from a JSON list of documents (texts) and of requests for QR codes (objects) to a
 * list of results. `KANJI` asks for the table of Kanji mode. All lists are plain ASCII, so that no step misreads a character.
 */
const ENTRY = `
import { checkInput } from "#tools/check-input.ts";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { kanjiCode } from "#tools/qr-code/kanji.ts";
import qrCode from "#tools/qr-code/tool.ts";

function render(markdown) {
  const { html, text } = renderMarkdown(markdown, true);
  const linked = renderMarkdown(markdown, false, { headingIds: true, baseUrl: "https://example.com/a/b?c" });
  return [html, text, linked.html];
}
function draw(request) {
  try {
    return qrCode.run(checkInput(qrCode, request).input);
  } catch (error) {
    return error.code + ": " + error.message;
  }
}
const kanjiTable = () =>
  Array.from({ length: 0x10000 }, (_, code) => kanjiCode(String.fromCharCode(code)) ?? null);
const resultOf = (item) =>
  typeof item === "string" ? render(item) : item === null ? kanjiTable() : draw(item);
const escapeUnit = (unit) => "\\\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0");
const respondList = (json) =>
  JSON.stringify(JSON.parse(json).map((item) => JSON.stringify(resultOf(item)))).replaceAll(/[^ -~]/g, escapeUnit);
`;
const script = { entry: ENTRY, resolveDir: import.meta.dirname };

const KANJI = null;
/** Per message. */
const LIST_LENGTH = 500;
const WIDTHS = [64, 100, 177, 256, 777, 2048];
const COLORS = [
  { dark: "#036" },
  { dark: "#7F7F7F", light: "#fff" },
  { light: "transparent" },
  { dark: "#123456", light: "#ffeedd" },
];

/** Each text in each format, at another width; every other one with a margin and colors. */
const requests = generatedTexts(55, 1).flatMap(({ text, level }, i) =>
  ["png", "svg", "utf8"].map((format) => ({
    ...{ text, format, errorCorrectionLevel: level, width: WIDTHS[i % WIDTHS.length] },
    ...(i % 2 === 1 && { margin: i % 17 }),
    ...(i % 2 === 1 && format !== "utf8" && COLORS[i % COLORS.length]),
  })),
);
const items = [...documents(), ...requests, KANJI];

function listsOf(): string[] {
  const lists: string[] = [];
  for (let at = 0; at < items.length; at += LIST_LENGTH) {
    const json = JSON.stringify(items.slice(at, at + LIST_LENGTH));
    lists.push(
      json.replaceAll(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
    );
  }
  return lists;
}

const resultsOf = (responses: readonly string[]) =>
  responses.flatMap((response) => JSON.parse(response) as string[]);

async function runInNode(): Promise<string[]> {
  const source = await bundle(script, "export default respondList;");
  const url = `data:text/javascript;base64,${Buffer.from(source).toString("base64")}`;
  const { default: respondList } = (await import(url)) as { default(list: string): string };
  return resultsOf(listsOf().map(respondList));
}

let expected: Promise<string[]> | undefined;

for (const { name, run } of runtimesFor(script)) {
  test(`${name} renders the same HTML and text as Node, and draws the same QR codes`, async (t) => {
    expected ??= runInNode();
    const results = resultsOf(await run(listsOf()));
    const ours = await expected;
    assert.equal(ours.length, items.length);
    assert.ok(ours.filter((result) => result.startsWith('{"ok":true')).length > 150);
    t.diagnostic(`${items.length} items, ${ours.join("").length} characters of output`);
    const differing = items.flatMap((_, at) => (results[at] === ours[at] ? [] : [at]));
    const [first] = differing;
    if (first === undefined) return;
    const message = `${differing.length} differ, first ${JSON.stringify(items[first])}`;
    assert.equal(results[first], ours[first], message);
  });
}
