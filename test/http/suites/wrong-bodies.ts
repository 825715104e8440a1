import assert from "node:assert/strict";
import { TOOLS } from "#tools/registry.ts";
import { assertCalls, FIELDS, type Row, typed } from "../call-table.ts";
import { assertProblem, createCaller, type Sentence } from "../test-api.ts";

/** Faults of bodies, and the errors that report them. Those of fields are shown by the tests of the tools. */
export function wrongBodiesSuite(sentence: Sentence) {
  sentence(
    "400 invalid_json: with line and column, where the type was JSON or missing",
    async (service) => {
      const caller = await createCaller(service);
      const rows: [body: string, line: number, column: number][] = [
        ["{", 1, 2],
        ['{"text":"a",}', 1, 13],
        ["{\n  'text': 1}", 2, 3],
        ['{"text":"a"} x', 1, 14],
        ['{"text":NaN}', 1, 9],
        ['{"text":"a\tb"}', 1, 11],
        ["\u00a0{}", 1, 1],
      ];
      const types = ["application/json", "application/json; charset=utf-8", "text/json", ""];
      for (const type of [...types, "application/problem+json"]) {
        for (const [body, line, column] of rows) {
          const problem = assertProblem(
            await caller.post("hash", typed(type, body)),
            "invalid_json",
          );
          assert.deepEqual([problem.line, problem.column], [line, column], `${type} ${body}`);
          assert.ok(problem.detail.includes(`line ${line}, column ${column}`), problem.detail);
        }
      }
    },
  );

  sentence("415 unsupported_media_type names the types that the tool takes", async (service) => {
    const caller = await createCaller(service);
    const rows: [tool: string, type: string, body: string, taken: string][] = [
      ["hash", `${FIELDS}; charset=latin1`, "text=a", "multipart/form-data"],
      ["hash", "application/xml", "<text/>", "text/plain"],
      ["hash", "application/xml", '{"text":"abc"}', "text/plain"],
      ["hash", "text/markdown", "# abc", "multipart/form-data"],
      ["hash", "nonsense", "abc", "multipart/form-data"],
      ["markdown-render", "application/octet-stream", "# abc", "text/markdown"],
      ["markdown-render", "text/markdown; charset=iso-8859-1", "# abc", "text/markdown"],
      ["qr-code", "text/html", "abc", "text/plain"],
      ["uuid", "application/octet-stream", "{}", "application/json"],
      ["uuid", "text/plain", "three", "application/json"],
      ["echo", "image/png", "1", "application/json"],
      ["echo", FIELDS, "hello=world", "application/json"],
      ["echo", "multipart/form-data; boundary=x", "--x--", "application/json"],
    ];
    for (const [tool, type, body, taken] of rows) {
      const response = await caller.post(tool, typed(type, body));
      const { detail } = assertProblem(response, "unsupported_media_type");
      assert.ok(detail.includes("Content-Type: application/json"), detail);
      assert.ok(detail.includes(taken), detail);
      assert.ok(response.header("accept")?.includes(taken), `Accept of ${type}`);
    }
    const charset = "text/markdown; charset=iso-8859-1";
    await assertCalls(caller, [
      ["markdown-render", typed(charset, "a"), "unsupported_media_type", /another encoding/],
    ]);
  });

  sentence(
    "a text that begins like JSON is reported as invalid JSON, even with curl's default type",
    async (service) => {
      const caller = await createCaller(service);
      for (const type of [FIELDS, "application/json", ""])
        await assertCalls(
          caller,
          [
            ["hash", "{'text':'a'}", "invalid_json", /line 1.*needs double quotes/s],
            ["hash", "['a']", "invalid_json", /line 1.*needs double quotes/s],
            ["hash", "{text:'a'}", "invalid_json", /line 1.*your shell changed/s],
            ["hash", String.raw`{\"text\":\"a\"}`, "invalid_json", /your shell changed/],
          ],
          { "Content-Type": type },
        );
    },
  );

  sentence(
    "for bytes and texts without a fitting type the error names the type to use",
    async (service) => {
      const caller = await createCaller(service);
      const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]);
      const utf16 = Buffer.from('\ufeff{"text":"a"}', "utf16le");
      for (const type of [FIELDS, ""]) {
        const code = type === "" ? "invalid_json" : "invalid_request";
        await assertCalls(
          caller,
          [
            ["hash", png, "invalid_utf8", /`application\/octet-stream`/],
            ["hash", utf16, "invalid_utf8", /is UTF-16/],
            ["markdown-render", "# Title", code, /`text\/markdown`/],
          ],
          { "Content-Type": type },
        );
      }
      const form = "--x\r\nContent-Disposition: form-data";
      await assertCalls(caller, [
        ["hash", typed("application/json", form), "invalid_json", /`multipart\/form-data`/],
        ["uuid", typed("", "count=3"), "invalid_json", /x-www-form-urlencoded.*query/],
      ]);
    },
  );

  sentence(
    "400 invalid_utf8: nothing is replaced silently",
    async (service) => {
      const wrong = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0x80]];
      await assertCalls(
        await createCaller(service),
        wrong.map((bytes): Row => {
          const body = Uint8Array.from([0x7b, 0x22, ...bytes, 0x22, 0x7d]);
          return ["echo", body, "invalid_utf8"];
        }),
      );
    },
    { adapter: "bytes that are no text" },
  );

  sentence(
    "an empty body where one is required: 400 naming the required field",
    async (service) => {
      const caller = await createCaller(service);
      const required = TOOLS.filter(({ body, rawBody }) => body === "required" && rawBody);
      for (const type of ["application/json", "text/plain"])
        await assertCalls(
          caller,
          required.flatMap(({ name, rawBody: { field } = { field: "" } }) =>
            [undefined, "", "  \n", "\ufeff "].map((body): Row => {
              const detail = new RegExp(`\`${field}\` is required`);
              return [name, typed(type, body), "invalid_request", detail, `/${field}`];
            }),
          ),
        );
    },
  );
}
