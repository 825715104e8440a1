import assert from "node:assert/strict";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  type Caller,
  createCaller,
  type Sentence,
} from "../test-api.ts";

/** The bare result in place of JSON, for a client that asks for its type. */
export function rawResponsesSuite(sentence: Sentence) {
  choiceSentences(sentence);
  bareSentences(sentence);
}

type Fields = Record<string, unknown>;

const accepting = (caller: Caller, tool: string, fields: Fields, accept: string, key?: string) =>
  caller.call(tool, fields, {
    Accept: accept,
    ...(key !== undefined && { "Idempotency-Key": key }),
  });

/** Asserts a bare result: its type, its headers and that it is charged like any other. */
function assertBare(result: ApiResponse, type: string, charged = 1) {
  assert.equal(result.status, 200, `${result.status} ${result.text.slice(0, 300)}`);
  assert.equal(result.header("content-type"), type);
  assert.equal(result.header("credits-charged"), String(charged));
  assert.ok(result.header("credits-remaining"));
  assert.ok(result.header("ratelimit"));
  assert.ok(result.header("x-request-id"));
  assert.equal(result.header("x-content-type-options"), "nosniff");
  assert.match(result.header("vary") ?? "", /(?:^|, )Accept(?:,|$)/);
  const isActive = type.startsWith("text/html") || type === "image/svg+xml";
  assert.equal(
    result.header("content-security-policy"),
    isActive ? "sandbox; default-src 'none'" : null,
  );
}

const UTF8_TEXT = "text/plain; charset=utf-8";
const MARKDOWN = "# Hello\n\n<b>Raw</b> *text* ünï & [link](https://example.com)";

function choiceSentences(sentence: Sentence) {
  sentence("JSON is the default and wins ties", async (service) => {
    const caller = await createCaller(service);
    for (const accept of [
      "*/*",
      "application/json",
      "image/png, */*",
      "text/plain, application/json",
      "text/plain;q=0.5, application/*;q=0.5",
      "application/json;q=0.9, text/plain;q=0.8",
      "text/html, application/xhtml+xml, */*;q=0.8, text/plain;q=0.1",
      "nonsense",
      "",
      ",",
      "text/plain;q=0, */*",
    ]) {
      const response = await accepting(caller, "qr-code", { text: "a" }, accept);
      assertResponse(response, 1);
      assert.match(response.header("vary") ?? "", /Accept/, accept);
    }
  });

  sentence("a bare result is sent where it is preferred", async (service) => {
    const caller = await createCaller(service);
    const rows: [tool: string, fields: Fields, accept: string, type: string][] = [
      ["qr-code", { text: "a" }, "image/png", "image/png"],
      ["qr-code", { text: "a" }, "image/*", "image/png"],
      ["qr-code", { text: "a", format: "svg" }, "image/*", "image/svg+xml"],
      ["qr-code", { text: "a" }, "image/svg+xml, */*;q=0.1", "image/svg+xml"],
      ["qr-code", { text: "a" }, "image/webp, image/png;q=0.9, */*;q=0.8", "image/png"],
      ["qr-code", { text: "a" }, "TEXT/PLAIN", UTF8_TEXT],
      ["qr-code", { text: "a" }, "text/plain; charset=utf-8; q=1", UTF8_TEXT],
      ["markdown-render", { markdown: "a" }, "text/html", "text/html; charset=utf-8"],
      ["markdown-render", { markdown: "a" }, "text/*", "text/html; charset=utf-8"],
      [
        "markdown-render",
        { markdown: "a" },
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "text/html; charset=utf-8",
      ],
      ["markdown-render", { markdown: "a", format: "text" }, "text/*", UTF8_TEXT],
      ["hash", { text: "a" }, "text/plain, application/json;q=0.9", UTF8_TEXT],
      ["uuid", {}, "text/plain", UTF8_TEXT],
    ];
    for (const [tool, fields, accept, type] of rows) {
      assertBare(await accepting(caller, tool, fields, accept), type);
    }
  });

  sentence("406 not_acceptable costs nothing and lists the available types", async (service) => {
    const caller = await createCaller(service);
    const rows: [tool: string, fields: Fields, accept: string, detail: RegExp][] = [
      ["hash", { text: "a" }, "image/png", /application\/json, text\/plain/],
      ["echo", {}, "text/plain", /application\/json/],
      ["uuid", {}, "text/html", /text\/plain/],
      ["qr-code", { text: "a", format: "svg" }, "image/png", /`format` is `svg`/],
      ["qr-code", { text: "a", format: "png" }, "text/plain", /`format` is `png`/],
      ["markdown-render", { markdown: "a", format: "text" }, "text/html", /`format` is `text`/],
      ["markdown-render", { markdown: "a", format: "html" }, "text/plain", /`format` is `html`/],
      ["hash", { text: "a" }, "application/json;q=0", /application\/json/],
      ["hash", { text: "a" }, "*/*;q=0", /application\/json/],
      ["hash", { text: "a" }, "application/problem+json", /application\/json/],
    ];
    for (const [tool, fields, accept, detail] of rows) {
      const type = accept === "application/json;q=0" ? undefined : "application/problem+json";
      const response = await accepting(caller, tool, fields, accept);
      const problem = assertProblem(response, "not_acceptable", type);
      assert.match(problem.detail, detail, accept);
      assert.match(response.header("vary") ?? "", /Accept/);
    }
    assert.equal(await caller.balance(), 100);
    // Where JSON is accepted as well, it is the way out of a contradiction.
    const fields = { text: "a", format: "svg" };
    const accept = "image/png, application/json;q=0.1";
    assert.equal(
      assertResponse(await accepting(caller, "qr-code", fields, accept), 1).format,
      "svg",
    );
  });

  sentence("errors stay problem details", async (service) => {
    const caller = await createCaller(service);
    for (const accept of ["image/png", "text/plain", "text/html"]) {
      const response = await accepting(caller, "qr-code", { text: "" }, accept);
      assertProblem(response, "invalid_request");
    }
    // The format that `Accept` asks for is the one that the fields are checked with.
    const fields = { text: "a", invert: true };
    const inverted = await accepting(caller, "qr-code", fields, "image/svg+xml");
    assert.match(assertProblem(inverted, "invalid_request").detail, /left out for `svg`/);
  });
}

function bareSentences(sentence: Sentence) {
  sentence(
    "a bare result has exactly the bytes that JSON contains",
    async (service) => {
      const caller = await createCaller(service);
      const text = (value: string) => new TextEncoder().encode(value);
      const code = { text: "ünï" };
      type Row = [
        tool: string,
        fields: Fields,
        accept: string,
        extra: Fields,
        // biome-ignore lint/suspicious/noExplicitAny: the response of any tool.
        of: (json: any) => Uint8Array,
      ];
      const large = `${MARKDOWN}\n\n`.repeat(8_000);
      // biome-ignore lint/suspicious/noExplicitAny: the response of any tool.
      const textIn = (name: string) => (json: any) => text(json[name]);
      const rows: Row[] = [
        ...[MARKDOWN, large].flatMap((markdown): Row[] => [
          ["markdown-render", { markdown }, "text/html", {}, textIn("html")],
          ["markdown-render", { markdown }, "text/plain", { format: "text" }, textIn("text")],
        ]),
        ["qr-code", { ...code, width: 2048 }, "image/svg+xml", { format: "svg" }, textIn("output")],
        ["qr-code", code, "text/plain", { format: "utf8" }, textIn("output")],
        ["qr-code", { ...code, invert: true }, "text/plain", { format: "utf8" }, textIn("output")],
        ["hash", { text: "a" }, "text/plain", {}, ({ hash }) => text(`${hash}\n`)],
      ];
      for (const width of [64, 256, 2048]) {
        const bytesOf = ({ output }: { output: string }) =>
          new Uint8Array(Buffer.from(output.replace("data:image/png;base64,", ""), "base64"));
        rows.push(["qr-code", { ...code, width }, "image/png", {}, bytesOf]);
      }
      for (const [tool, fields, accept, extra, of] of rows) {
        const bare = await accepting(caller, tool, fields, accept);
        const json = assertResponse(await caller.call(tool, { ...fields, ...extra }), 1);
        assert.equal(bare.status, 200, bare.text);
        assert.deepEqual(Buffer.from(bare.bytes), Buffer.from(of(json)), `${tool} ${accept}`);
      }
    },
    { adapter: "binary results" },
  );

  sentence("bare UUIDs are one per line", async (service) => {
    const caller = await createCaller(service);
    const { text } = await accepting(caller, "uuid", { count: 3 }, "text/plain");
    assert.match(
      text,
      /^(?:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n){3}$/,
    );
  });

  sentence(
    "a repeat has the same bytes and type; another type is another call",
    async (service) => {
      const caller = await createCaller(service);
      const rows: [tool: string, fields: Fields, accept: string, other: string][] = [
        ["uuid", { count: 5 }, "text/plain", "*/*"],
        ["qr-code", { text: "a" }, "image/png", "image/svg+xml"],
        ["markdown-render", { markdown: MARKDOWN.repeat(500) }, "text/html", "text/plain"],
        ["hash", { text: "a" }, "text/plain", "*/*"],
        ["echo", { a: 1 }, "application/json", "application/*;q=0.5"],
      ];
      for (const [tool, fields, accept, other] of rows) {
        const key = `bare-${tool}`;
        const first = await accepting(caller, tool, fields, accept, key);
        assert.equal(first.status, 200, first.text);
        const again = await accepting(caller, tool, fields, accept, key);
        assert.equal(again.header("idempotency-replayed"), "true", tool);
        assert.equal(again.header("content-type"), first.header("content-type"));
        assert.deepEqual(Buffer.from(again.bytes), Buffer.from(first.bytes));
        const third = await accepting(caller, tool, fields, other, key);
        if (tool === "echo") assert.equal(third.header("idempotency-replayed"), "true");
        else assertProblem(third, "idempotency_key_reused");
      }
    },
  );
}
