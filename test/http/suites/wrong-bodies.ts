import assert from "node:assert/strict";
import { TOOLS } from "#tools/registry.ts";
import { assertProblem, createCaller, type Sentence } from "../test-api.ts";

/** Faults in bodies and their fields, and the errors that report them. */
export function wrongBodiesSuite(sentence: Sentence) {
  bodySentences(sentence);
  fieldSentences(sentence);
}

function bodySentences(sentence: Sentence) {
  sentence(
    "400 invalid_json: with line and column, where the type was JSON or missing",
    async (service) => {
      const caller = await createCaller(service);
      const rows: [string, number, number][] = [
        ["{", 1, 2],
        ['{"text":"a",}', 1, 13],
        ["{\n  'text': 1}", 2, 3],
        ['{"text":"a"} x', 1, 14],
        ['{"text":NaN}', 1, 9],
        ['{"text":"a\tb"}', 1, 11],
        ["\u00a0{}", 1, 1],
      ];
      for (const type of [
        "application/json",
        "application/json; charset=utf-8",
        "application/problem+json",
        "text/json",
        null,
      ]) {
        for (const [text, line, column] of rows) {
          const body = new TextEncoder().encode(text);
          const response = await caller.post("hash", {
            headers: type === null ? {} : { "Content-Type": type },
            body,
          });
          const problem = assertProblem(response, "invalid_json");
          assert.deepEqual([problem.line, problem.column], [line, column], `${type} ${text}`);
          assert.ok(problem.detail.includes(`line ${line}, column ${column}`), problem.detail);
        }
      }
    },
  );

  sentence("415 unsupported_media_type names the types that the tool takes", async (service) => {
    const caller = await createCaller(service);
    const rows: [tool: string, type: string, body: string, taken: string][] = [
      [
        "hash",
        "application/x-www-form-urlencoded; charset=latin1",
        "text=a",
        "multipart/form-data",
      ],
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
      ["echo", "application/x-www-form-urlencoded", "hello=world", "application/json"],
      ["echo", "multipart/form-data; boundary=x", "--x--", "application/json"],
    ];
    for (const [tool, type, body, taken] of rows) {
      const response = await caller.post(tool, { headers: { "Content-Type": type }, body });
      const problem = assertProblem(response, "unsupported_media_type");
      assert.ok(problem.detail.includes("Content-Type: application/json"), problem.detail);
      assert.ok(problem.detail.includes(taken), problem.detail);
      assert.ok(response.header("accept")?.includes(taken), `Accept of ${type}`);
    }
    assert.equal(await caller.balance(), 100);
  });

  sentence(
    "a text that begins like JSON is told as such, whatever curl's type",
    async (service) => {
      const caller = await createCaller(service);
      for (const type of ["application/x-www-form-urlencoded", "application/json", ""]) {
        for (const body of ["{'text':'a'}", "{text:'a'}", "['a']"]) {
          const response = await caller.post("hash", { headers: { "Content-Type": type }, body });
          const problem = assertProblem(response, "invalid_json");
          assert.equal(problem.line, 1);
          const advice = body === "{text:'a'}" ? /your shell changed/ : /needs double quotes/;
          assert.match(problem.detail, advice, body);
        }
        const body = String.raw`{\"text\":\"a\"}`;
        const response = await caller.post("hash", { headers: { "Content-Type": type }, body });
        assert.match(assertProblem(response, "invalid_json").detail, /your shell changed/);
      }
    },
  );

  sentence("bytes and texts without their type are told which one to name", async (service) => {
    const caller = await createCaller(service);
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]);
    const utf16 = Buffer.from('\ufeff{"text":"a"}', "utf16le");
    for (const type of ["application/x-www-form-urlencoded", ""]) {
      const headers = { "Content-Type": type };
      const bytes = assertProblem(
        await caller.post("hash", { headers, body: png }),
        "invalid_utf8",
      );
      assert.match(bytes.detail, /`application\/octet-stream`/);
      const wide = assertProblem(
        await caller.post("hash", { headers, body: utf16 }),
        "invalid_utf8",
      );
      assert.match(wide.detail, /is UTF-16/);
      const readme = await caller.post("markdown-render", { headers, body: "# Title" });
      const problem = assertProblem(readme, type === "" ? "invalid_json" : "invalid_request");
      assert.match(problem.detail, /`text\/markdown`/);
    }
    const json = await caller.post("hash", {
      headers: { "Content-Type": "application/json" },
      body: "--x\r\nContent-Disposition: form-data",
    });
    assert.match(assertProblem(json, "invalid_json").detail, /`multipart\/form-data`/);
    const count = await caller.post("uuid", {
      headers: { "Content-Type": "" },
      body: "count=3",
    });
    assert.match(assertProblem(count, "invalid_json").detail, /x-www-form-urlencoded.*query/);
    const charset = await caller.post("markdown-render", {
      headers: { "Content-Type": "text/markdown; charset=iso-8859-1" },
      body: "a",
    });
    assert.match(assertProblem(charset, "unsupported_media_type").detail, /another encoding/);
  });

  sentence("400 invalid_utf8: nothing is replaced silently", async (service) => {
    const caller = await createCaller(service);
    for (const bytes of [
      [0xff],
      [0xc3],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xc0, 0x80],
    ]) {
      const body = Uint8Array.from([0x7b, 0x22, ...bytes, 0x22, 0x7d]);
      assertProblem(await caller.post("echo", { body }), "invalid_utf8");
    }
  });

  sentence(
    "an empty body where one is required: 400 naming the required fields",
    async (service) => {
      const caller = await createCaller(service);
      for (const [tool, field] of requiredFields()) {
        for (const body of [undefined, "", "  \n", "\ufeff "]) {
          for (const type of ["application/json", "text/plain"]) {
            const problem = assertProblem(
              await caller.post(tool, { headers: { "Content-Type": type }, body }),
              "invalid_request",
            );
            assert.deepEqual(
              problem.errors.map(({ pointer }: { pointer: string }) => pointer),
              [`/${field}`],
            );
            assert.match(problem.errors[0].detail, /^is required/);
            assert.ok(problem.detail.includes(`\`${field}\``), problem.detail);
          }
        }
      }
    },
  );
}

function fieldSentences(sentence: Sentence) {
  sentence(
    "an unknown field is rejected, and the nearest known name suggested",
    async (service) => {
      const caller = await createCaller(service);
      const problem = assertProblem(
        await caller.call("hash", { text: "a", algoritm: "sha1" }),
        "invalid_request",
      );
      assert.equal(problem.errors.length, 1);
      assert.equal(problem.errors[0].pointer, "/algoritm");
      assert.match(problem.errors[0].detail, /did you mean `algorithm`/);
      const other = assertProblem(
        await caller.post("uuid", { body: '{"__proto__":1}' }),
        "invalid_request",
      );
      assert.equal(other.errors[0].pointer, "/__proto__");
      assert.equal(await caller.balance(), 100);
    },
  );

  sentence("`errors` lists every fault, not only the first", async (service) => {
    const caller = await createCaller(service);
    const body = { text: 1, format: "gif", errorCorrectionLevel: "X", width: "wide", "a/b~c": 1 };
    const problem = assertProblem(await caller.call("qr-code", body), "invalid_request");
    const pointers = problem.errors.map((fault: { pointer: string }) => fault.pointer).sort();
    assert.deepEqual(pointers, ["/a~1b~0c", "/errorCorrectionLevel", "/format", "/text", "/width"]);
    for (const { detail } of problem.errors)
      assert.ok(problem.detail.includes(detail), `${detail} in ${problem.detail}`);
  });

  sentence(
    "null is no default, a number in a string no number, and a body is an object",
    async (service) => {
      const caller = await createCaller(service);
      const wrong: [string, unknown][] = [
        ["uuid", { count: null }],
        ["uuid", { count: "5" }],
        ["uuid", { count: true }],
        ["uuid", { count: 1.5 }],
        ["uuid", { uppercase: "true" }],
        ["uuid", { uppercase: null }],
        ["hash", { text: "a", algorithm: null }],
        ["hash", { text: "a", algorithm: "md5" }],
        ["hash", { text: "a", algorithm: "sha--256" }],
        ["qr-code", { text: "a", width: "256" }],
        ["qr-code", { text: "a", width: null }],
        ["qr-code", { text: "a", format: "GIF" }],
        ["qr-code", { text: "" }],
        ["uuid", [1]],
        ["hash", null],
        ["hash", "text"],
        ["markdown-render", 1],
      ];
      for (const [tool, body] of wrong) {
        const problem = assertProblem(await caller.call(tool, body), "invalid_request");
        assert.equal(problem.errors.length, 1, `${tool} ${JSON.stringify(body)}`);
      }
      assert.equal(await caller.balance(), 100);
    },
  );

  sentence(
    "a lone surrogate in a text has no UTF-8 form: 400, not a silent replacement",
    async (service) => {
      const caller = await createCaller(service);
      for (const [tool, field] of textFields()) {
        const problem = assertProblem(
          await caller.post(tool, { body: `{"${field}":"a\\ud800b"}` }),
          "invalid_request",
        );
        assert.equal(problem.errors[0].pointer, `/${field}`);
      }
    },
  );

  sentence("400 text_too_long_for_level: the level is never lowered silently", async (service) => {
    const caller = await createCaller(service);
    const long = assertProblem(
      await caller.call("qr-code", { text: "a".repeat(2000), errorCorrectionLevel: "Q" }),
      "text_too_long_for_level",
    );
    assert.equal(long.bytes, 2000);
    assert.equal(long.fits, "M");
    assert.deepEqual(Object.keys(long.capacities), ["L", "M", "Q", "H"]);
    const tooLong = assertProblem(
      await caller.call("qr-code", { text: "a".repeat(4096) }),
      "text_too_long_for_level",
    );
    assert.equal(tooLong.fits, null);
  });
}

/** The tools with required fields, and those fields. */
const requiredFields = (): [tool: string, field: string][] =>
  TOOLS.filter(({ body }) => body === "required").flatMap(
    ({ name, rawBody }): [string, string][] =>
      rawBody === undefined ? [] : [[name, rawBody.field]],
  );

const textFields = (): [tool: string, field: string][] =>
  TOOLS.flatMap(({ name, fieldBytesMax }) =>
    Object.keys(fieldBytesMax).map((field): [string, string] => [name, field]),
  );
