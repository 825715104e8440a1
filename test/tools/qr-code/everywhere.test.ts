import assert from "node:assert/strict";
import { test } from "node:test";
import { bundle, type Runtime, runtimesFor } from "../../support/runtimes.ts";
import { drawSample } from "../../support/sample.ts";
import { corpus, generatedTexts, type Sample } from "./texts.ts";

/** Requests per message. */
const LIST_LENGTH = 500;

/** The tool as a function from a JSON list of requests to a list of responses. Every runtime runs this script. */
const ENTRY = `
import { checkInput } from "#tools/check-input.ts";
import qrCode from "#tools/qr-code/tool.ts";

const answer = (request) => {
  try {
    return JSON.stringify(qrCode.run(checkInput(qrCode, request).input));
  } catch (fault) {
    return fault.code + ": " + fault.message;
  }
};
const respondList = (json) => JSON.stringify(JSON.parse(json).map(answer));
`;

const script = { entry: ENTRY, resolveDir: import.meta.dirname };

const RUNTIMES = "runtimes beside Node, QR codes";

const node: Runtime = {
  name: "Node",
  async run(lists) {
    const source = await bundle(script, "export default respondList;");
    const module = await import(
      `data:text/javascript;base64,${Buffer.from(source).toString("base64")}`
    );
    return lists.map(module.default);
  },
};

type Request = {
  text: string;
  format: string;
  errorCorrectionLevel: string;
  width: number;
  margin?: number;
  dark?: string;
  light?: string;
};

const WIDTHS = [64, 100, 177, 256, 777, 2048];

/** Every other text has a margin, and those that take them have colors too. */
const optionsOf = (i: number, format: string) => {
  if (i % 2 === 0) return {};
  const margin = i % 17;
  return format === "utf8" ? { margin } : { margin, ...COLORS[i % COLORS.length] };
};
const COLORS = [
  { dark: "#036" },
  { dark: "#7F7F7F", light: "#fff" },
  { light: "transparent" },
  { dark: "#123456", light: "#ffeedd" },
];

/** The formats of each text, with a different width for each text. */
function requestsFor(samples: readonly Sample[]): Request[] {
  return samples.flatMap(({ text, level }, i) =>
    ["png", "svg", "utf8"].map((format) => ({
      ...{ text, format, errorCorrectionLevel: level },
      width: WIDTHS[i % WIDTHS.length] as number,
      ...optionsOf(i, format),
    })),
  );
}

async function responses(runtime: Runtime, requests: readonly Request[]): Promise<string[]> {
  const lists: string[] = [];
  for (let at = 0; at < requests.length; at += LIST_LENGTH) {
    lists.push(JSON.stringify(requests.slice(at, at + LIST_LENGTH)));
  }
  return (await runtime.run(lists)).flatMap((response) => JSON.parse(response) as string[]);
}

/** Throws an error with the first request whose response differs. */
function assertSame(
  runtime: string,
  requests: readonly Request[],
  given: readonly string[],
  expected: readonly string[],
): void {
  assert.equal(given.length, expected.length, runtime);
  const differing = requests.flatMap((_, i) => (given[i] === expected[i] ? [] : [i]));
  const [first] = differing;
  if (first === undefined) return;
  const request = JSON.stringify(requests[first]);
  const message = `${differing.length} differ in ${runtime}, first ${request}: ${given[first]}`;
  assert.equal(given[first], expected[first], message);
}

/**
 * Every character from Node's Shift JIS decoder, each in its own text: next to a character outside Kanji mode it would
 * be encoded as bytes, and a different table would not be noticed.
 */
function kanjiRequests(): Request[] {
  const decoder = new TextDecoder("shift_jis");
  const characters = new Set<string>();
  for (let pair = 0x8140; pair <= 0xfcfc; pair++) {
    for (const character of decoder.decode(Uint8Array.of(pair >> 8, pair & 255))) {
      characters.add(character);
    }
  }
  const rest = { format: "utf8", errorCorrectionLevel: "L", width: 256 };
  return [...characters].map((text) => ({ text, ...rest }));
}

test("Node, workerd and Chromium draw the same bytes", async (t) => {
  const requests = [...requestsFor([...corpus(), ...generatedTexts(330, 1)]), ...kanjiRequests()];
  const expected = await responses(node, requests);
  t.diagnostic(`${requests.length} requests, ${expected.join("").length} characters of output`);
  assert.equal(expected.length, requests.length);
  assert.ok(expected.filter((response) => response.startsWith('{"ok":true')).length > 7000);
  const takesAll = process.env["TEST_EDGE"] === "all";
  for (const runtime of drawSample(RUNTIMES, runtimesFor(script), 1, takesAll)) {
    assertSame(runtime.name, requests, await responses(runtime, requests), expected);
  }
});

test("a difference of one character in one response is reported", () => {
  const requests = requestsFor([{ name: "a", text: "a", level: "L" }]);
  const check = (last: string) => () =>
    assertSame("a runtime", requests, ["x", "y", last], ["x", "y", "z"]);
  check("z")();
  assert.throws(check("Z"), {
    message: /^1 differ in a runtime, first {"text":"a","format":"utf8"/,
  });
});
