/**
 * The inputs of the tests of the browser tools and of the Worker: forms generated from a seed, and bodies written to break
 * the tools.
 */

import {
  ECHO_VALUE_BYTES_MAX,
  HASH_TEXT_BYTES_MAX,
  MARKDOWN_BYTES_MAX,
  QR_TEXT_BYTES_MAX,
} from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { fieldsOf, type ToolField } from "../../web/tools/tool-fields.ts";
import { anyCharacter, anyCodeUnits } from "../support/arbitraries.ts";
import fc from "../support/properties.ts";

/** A form, a body in base64, or a long body described by its pieces, so that it need not be sent to the page. */
export type Case =
  | { form: Record<string, unknown> }
  | { base64: string; contentType?: string; query?: string }
  | { before: string; piece: string; times: number; after: string };

/** TEST_SEED=n generates other forms, TEST_FORMS=n as many for each tool. */
const FORMS_PER_TOOL = Number(process.env["TEST_FORMS"] ?? 60);

export const casesFor = (tool: Tool): Case[] => [
  ...tool.examples.map(({ request }) => bodyCase(JSON.stringify(request))),
  ...fc.sample(formOf(tool), { numRuns: FORMS_PER_TOOL }).map((form): Case => ({ form })),
  ...HOSTILE.map(bodyCase),
  ...(HOSTILE_OF[tool.name] ?? []).map((body) => bodyCase(JSON.stringify(body))),
  ...longFields(tool),
  longBody(tool),
  ...(LONG[tool.name] ?? []),
  ...filesFor(tool),
];

/** Files as the page sends them: bytes as the body, and the other fields in the query. */
function filesFor({ rawBody, fieldBytesMax }: Tool): Case[] {
  if (rawBody?.octets !== true) return [];
  const bytesMax = fieldBytesMax[rawBody.field] ?? 0;
  return [0, 1, 255, bytesMax, bytesMax + 1].flatMap((length) =>
    ["", "algorithm=sha512&encoding=base64", "encoding=hex&algorithm=md5", "hmacKey=a"].map(
      (query) => ({
        base64: Buffer.alloc(length, 0xfe).toString("base64"),
        contentType: "application/octet-stream",
        query,
      }),
    ),
  );
}

const bodyCase = (body: string | number[]): Case => ({
  base64: Buffer.from(body as string).toString("base64"),
});

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 120 }) },
  // Includes lone surrogates, which a text area can hold.
  { weight: 1, arbitrary: anyCodeUnits(30) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", " ", "\0", "\r\n", "\ufeffa", "\u2028", "0123456789", "HELLO"),
  },
);

const markdown = fc.oneof(
  text,
  fc
    .array(
      fc.constantFrom(
        ...["# a\n", "\n", "- x\n", "  1. y\n", "> q\n", "| a | b |\n|---|:-:|\n| c | d |\n"],
        ...["**b**", "_i", "`c`", "```js\n", "[l](https://a.example)", "![i](data:,x)", "[^1]"],
        ...["\n[^1]: note\n", "<b>", "</b>", "<script>", "&amp;", "&#0;", "\t", "\\", "~~s~~"],
        ...["www.a.example", "[x](javascript:a)", "- [x] t\n", "> [!TIP]\n", "é", "😀"],
      ),
      { maxLength: 25 },
    )
    .map((pieces) => pieces.join("")),
);

/** Mostly none or a valid one, so that most forms are rendered. */
const baseUrl = fc.constantFrom("", "", "https://a.example/b/c?d", "http://a.example", "/b", " ");

/** The values of a number field: a number in or out of range, an empty string, or an unparsable string. */
const number = fc.oneof(
  fc.integer({ min: -5, max: 3000 }),
  fc.integer({ min: 1, max: 500 }),
  fc.double({ min: -10, max: 2100, noNaN: true }),
  fc.constantFrom<unknown>("", "-", 0, -0, 1, 500, 501, 1.5, 64.4, 2048.6, 1e21, 1e-7),
);

/** The values of a color field: none, usual ones, ones too close to each other, and what is no color. */
const color = fc.oneof(
  { weight: 8, arbitrary: fc.constant("") },
  {
    weight: 4,
    arbitrary: fc.constantFrom("#000", "#FFF", "#036", "#ffffff", "Transparent", "#7f7f7f"),
  },
  fc.stringMatching(/^#[0-9a-f]{6}$/),
  fc.constantFrom("red", "#12", " #000", "\0"),
);

/** A form of the tool, one value for each field that the page shows. */
const formOf = (tool: Tool): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(fieldsOf(tool).map((field) => [field.name, fieldValue(tool, field)])),
  );

function fieldValue(tool: Tool, { name, kind, choices, range }: ToolField): fc.Arbitrary<unknown> {
  if (kind === "choice") return fc.constantFrom(...choices);
  if (kind === "number") {
    return range === undefined
      ? number
      : fc.oneof({ weight: 3, arbitrary: fc.integer(range) }, number);
  }
  if (kind === "switch") return fc.boolean();
  if (kind === "color") return color;
  if (tool.verbatim) return fc.oneof(fc.json({ maxDepth: 6 }), text);
  if (name === "baseUrl") return baseUrl;
  return name === "markdown" ? markdown : text;
}

const HOSTILE: (string | number[])[] = [
  ...["", " ", "\n\t", "null", "[]", "{}", "0", '"text"', "true", "{", "}", '{"a":}', "{'a':1}"],
  ...["{,}", "[1,]", "01", "1.", "+1", "NaN", "-0", "1e400", "-1e400", "// no", '{"text":"a"} x'],
  ...['{"__proto__":1}', '{"constructor":{"prototype":1}}', '{"toString":1,"text":"a"}', '{"":1}'],
  ...['{"text":"\\ud800"}', '{"markdown":"\\udfff"}', '{"text":"\\u0000"}', '{"text":"\n"}'],
  ...['{"text":"a","text":"b"}', '{"txet":"a"}', '{"Text":"a","algorithm":"SHA-1"}', '{"text":1}'],
  ...[
    '{"text":null,"width":"9","count":"9","x":[]}',
    '{"count":1e2}',
    '{"count":501,"uppercase":0}',
  ],
  ...["\ufeff{}", "\u00a0{}", '\ufeff {"text":"\u{1F600}"} ', '{"a~b/c":1}', '"\\x"', '"\u0007"'],
  ...["[".repeat(512) + "]".repeat(512), "[".repeat(513) + "]".repeat(513), "[".repeat(100_000)],
  ...[`{"${"k".repeat(300)}":1}`, JSON.stringify(Object.fromEntries(nameList(25)))],
  ...[
    [0xff, 0xfe],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0xef, 0xbb, 0xbf],
  ],
];

function nameList(count: number): [string, number][] {
  return Array.from({ length: count }, (_, at) => [`name${at}`, at]);
}

const HOSTILE_OF: Record<string, unknown[]> = {
  hash: ["SHA-256", "Sha512", "sha_1", "md5", "sha-1", "sha--1", 256, null, ""]
    .map((algorithm) => ({
      text: "a",
      algorithm,
    }))
    .concat([
      {},
      { base64: "" },
      { base64: "/+8", encoding: "BASE64URL" },
      { base64: "/+9", algorithm: "sha1" },
      { base64: "a b" },
      { base64: "YQ==", text: "" },
      { text: "a", hmacKey: "k".repeat(4096), encoding: "base64", algorithm: "sha512" },
      { text: "a", hmacKey: "k".repeat(4097) },
      { text: "a", hmacKey: 1, encoding: "b64" },
    ] as never[]),
  uuid: [7, 4, 5, "7", null].map((version) => ({ count: 500, version })),
  "qr-code": [
    ...["L", "M", "Q", "H"].flatMap((errorCorrectionLevel) =>
      [2953, 2954, 2331, 2332, 1663, 1664, 1273, 1274].map((length) => ({
        text: "~".repeat(length),
        errorCorrectionLevel,
        format: "utf8",
      })),
    ),
    { text: "7".repeat(QR_TEXT_BYTES_MAX), errorCorrectionLevel: "L", format: "svg" },
    { text: "点茗".repeat(200), width: 64 },
    { text: "a", width: 2048 },
    ...[0, 1, 7, 16, 17, 0.5].map((margin) => ({ text: "a", margin, width: 100, dark: "#036" })),
    { text: "a", format: "UTF8", margin: 3 },
    { text: "a", format: "utf8", light: "transparent" },
    { text: "a", errorCorrectionLevel: "h", light: "TRANSPARENT", format: "Svg", margin: 0 },
    { text: "a", dark: "#fff", light: "#000" },
    { text: "a".repeat(400), width: 1, errorCorrectionLevel: "H" },
  ],
  "markdown-render": [
    { markdown: "a", format: "HTML" },
    { markdown: "", format: "text" },
    {
      markdown:
        "---\na: 1\n---\n# b\nc\n$d_e$ <kbd>f</kbd> [g](h)\n\n<details>\n\ni\n\n</details>\n",
      format: "text",
      html: "safe",
      breaks: true,
      math: "keep",
      frontMatter: "data",
      outline: true,
      links: { rel: "nofollow", target: "_blank" },
    },
    { markdown: "a", links: { rel: "x" } },
  ],
};

/** Each text field at its bound and one character over it. */
const longFields = ({ fieldBytesMax }: Tool): Case[] =>
  Object.entries(fieldBytesMax).flatMap(([field, max]) =>
    atBound(`{"${field}":"`, "é", 2, max, '"}'),
  );

/** A body longer than the server reads. */
const longBody = ({ bodyBytesMax }: Tool): Case => ({
  before: "1",
  piece: " ",
  times: bodyBytesMax,
  after: "",
});

/** Long bodies that only one tool has. */
const LONG: Record<string, Case[]> = {
  "markdown-render": [
    ...atBound('{"markdown":"', "a\\n\\n*b* ", 8, MARKDOWN_BYTES_MAX, '"}'),
    { before: '{"markdown":"', piece: "a", times: 6 * MARKDOWN_BYTES_MAX + 20_000, after: '"}' },
  ],
  hash: [
    ...atBound('{"text":"', "é", 2, HASH_TEXT_BYTES_MAX, '","algorithm":"sha512"}'),
    { before: '{"text":"', piece: "\\u0041", times: HASH_TEXT_BYTES_MAX, after: '"}' },
  ],
  uuid: [{ before: " ", piece: " ", times: 16 * 1024, after: "{}" }],
  echo: atBound('"', "a", 1, ECHO_VALUE_BYTES_MAX - 2, '"'),
};

function atBound(before: string, piece: string, bytes: number, max: number, after: string): Case[] {
  const times = Math.floor(max / bytes);
  return [
    { before, piece, times, after },
    { before, piece, times: times + 1, after },
  ];
}
