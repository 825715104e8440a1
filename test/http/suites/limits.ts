import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import {
  ECHO_VALUE_BYTES_MAX,
  HASH_TEXT_BYTES_MAX,
  JSON_DEPTH_MAX,
  QR_TEXT_BYTES_MAX,
  SPACE_BYTES,
  UUID_BODY_BYTES_MAX,
} from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  createCaller,
  type Sentence,
  sha256,
} from "../test-api.ts";

/** Every size limit: a value at the limit is allowed, and one byte more is an error with the limit and the size. */
export function limitsSuite(sentence: Sentence) {
  fieldSentences(sentence);
  bodySentences(sentence);
  echoSentences(sentence);
  gzipSentences(sentence);

  sentence(
    "JSON nests up to 512 levels; one more is invalid_json, and 100,000 are no crash",
    async (service) => {
      const caller = await createCaller(service);
      const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
      assertResponse(await caller.post("echo", { body: nested(JSON_DEPTH_MAX) }), 1);
      for (const body of [
        nested(JSON_DEPTH_MAX + 1),
        nested(100_000),
        "[".repeat(100_000),
        '{"a":'.repeat(600),
      ]) {
        const problem = assertProblem(await caller.post("echo", { body }), "invalid_json");
        assert.match(problem.detail, /512/);
      }
      const quoted = JSON.stringify({ markdown: "[".repeat(10_000) });
      assertResponse(await caller.post("markdown-render", { body: quoted }), 1);
    },
  );

  sentence("count goes from 1 to 500", async (service) => {
    const caller = await createCaller(service);
    for (const count of [1, 500])
      assert.equal(assertResponse(await caller.call("uuid", { count })).count, count);
    for (const count of [0, 501, -1, 1.5, 1e21]) {
      const problem = assertProblem(await caller.call("uuid", { count }), "invalid_request");
      assert.equal(problem.errors[0].pointer, "/count");
      assert.match(problem.errors[0].detail, /1 to 500; got /);
    }
  });
}

const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

function fieldSentences(sentence: Sentence) {
  const fields = TOOLS.flatMap(({ name, price, fieldBytesMax, rawBody }) =>
    Object.entries(fieldBytesMax).map(([field, max]) => {
      // The main field has to be there too.
      const before =
        rawBody === undefined || rawBody.field === field ? "" : `"${rawBody.field}":"",`;
      return { tool: name, price, field, max, before };
    }),
  );
  for (const { tool, price, field, max, before } of fields) {
    sentence(
      `${tool}: \`${field}\` takes ${max} bytes of UTF-8, however they are written`,
      async (service) => {
        const caller = await createCaller(service);
        const fits = (response: ApiResponse) => {
          // The capacity of a QR code is a different limit, which is checked after this one.
          if (tool === "qr-code") assertProblem(response, "text_too_long_for_level");
          else assertResponse(response, price);
        };
        const over = (response: ApiResponse, size: number) => {
          const { detail } = assertProblem(response, "too_large");
          for (const part of [`\`${field}\``, String(max), String(size)])
            assert.ok(detail.includes(part), detail);
        };
        const post = (text: string) =>
          caller.post(tool, { body: `{${before}"${field}":"${text}"}` });
        fits(await post("a".repeat(max)));
        over(await post("a".repeat(max + 1)), max + 1);
        fits(await post(escaped("a").repeat(max)));
        over(await post(escaped("a").repeat(max + 1)), max + 1);
        fits(await post("é".repeat(max / 2)));
        over(await post(`é${"é".repeat(max / 2)}`), max + 2);
        fits(await post("😀".repeat(max / 4)));
        over(await post(`a${"\\ud83d\\ude00".repeat(max / 4)}`), max + 1);
      },
    );
  }

  sentence(
    "the hash of a text at the bound is that of the text, escaped or not",
    async (service) => {
      const caller = await createCaller(service);
      const text = "a".repeat(HASH_TEXT_BYTES_MAX);
      for (const inside of [text, escaped("a").repeat(HASH_TEXT_BYTES_MAX)]) {
        for (const bom of ["", "\ufeff"]) {
          const response = await caller.post("hash", { body: `${bom}{"text":"${inside}"}` });
          assert.equal(assertResponse(response, 1).hash, sha256(text));
        }
      }
    },
  );
}

const BODIES = [
  ["echo", ECHO_VALUE_BYTES_MAX + SPACE_BYTES],
  ["uuid", UUID_BODY_BYTES_MAX],
  ["qr-code", 6 * QR_TEXT_BYTES_MAX + 16_384],
] as const;

const REQUESTS = { echo: '"a"', uuid: '{"count":2}', "qr-code": '{"text":"a"}' };

function bodySentences(sentence: Sentence) {
  for (const [tool, max] of BODIES) {
    sentence(`${tool}: the body takes ${max} bytes, in one piece or in many`, async (service) => {
      const caller = await createCaller(service);
      const request = REQUESTS[tool];
      for (const chunked of [false, true]) {
        assertResponse(await caller.post(tool, { body: request.padEnd(max), chunked }), 1);
        const response = await caller.post(tool, { body: request.padEnd(max + 1), chunked });
        const problem = assertProblem(response, "too_large");
        assert.match(problem.detail, /body/);
        assert.ok(problem.detail.includes(String(max)), problem.detail);
        assert.equal(problem.limit, max);
        if (!chunked) assert.ok(problem.detail.includes(String(max + 1)), problem.detail);
      }
      assert.equal(await caller.balance(), 98);
    });
  }
}

function echoSentences(sentence: Sentence) {
  sentence(
    "echo takes 1 MB of JSON, whatever white space and BOM are around it",
    async (service) => {
      const caller = await createCaller(service);
      const value = (bytes: number) => `"${"a".repeat(bytes - 2)}"`;
      for (const around of ["", " ", "\ufeff\n"]) {
        const body = `${around}${value(ECHO_VALUE_BYTES_MAX)}${around.trim()}  `;
        assertResponse(await caller.post("echo", { body }), 1);
        const over = `${around}${value(ECHO_VALUE_BYTES_MAX + 1)}`;
        const problem = assertProblem(await caller.post("echo", { body: over }), "too_large");
        assert.equal(problem.limit, ECHO_VALUE_BYTES_MAX);
        assert.equal(problem.size, ECHO_VALUE_BYTES_MAX + 1);
      }
    },
  );
}

function gzipSentences(sentence: Sentence) {
  sentence(
    "a gzip body counts inflated: the limit itself is allowed, one byte more is not",
    async (service) => {
      const caller = await createCaller(service);
      const headers = { "Content-Encoding": "gzip" };
      for (const [tool, max] of BODIES) {
        for (const chunked of [false, true]) {
          const post = (size: number) =>
            caller.post(tool, { headers, body: gzipSync(REQUESTS[tool].padEnd(size)), chunked });
          assertResponse(await post(max), 1);
          const problem = assertProblem(await post(max + 1), "too_large");
          assert.equal(problem.limit, max);
          assertProblem(await post(max * 50), "too_large");
        }
      }
    },
  );

  sentence(
    "x-gzip and identity are understood in any case; other encodings are 415",
    async (service) => {
      const caller = await createCaller(service);
      const plain = '{"text":"abc"}';
      for (const encoding of ["gzip", "GZIP", "x-gzip"]) {
        const response = await caller.post("hash", {
          headers: { "Content-Encoding": encoding },
          body: gzipSync(plain),
        });
        assert.equal(assertResponse(response, 1).hash, sha256("abc"));
      }
      assertResponse(
        await caller.post("hash", { headers: { "Content-Encoding": "identity" }, body: plain }),
        1,
      );
      for (const encoding of ["br", "deflate", "zstd", "gzip, gzip", "nonsense"]) {
        const response = await caller.post("hash", {
          headers: { "Content-Encoding": encoding },
          body: plain,
        });
        const problem = assertProblem(response, "unsupported_media_type");
        assert.match(problem.detail, /gzip/);
      }
    },
  );

  sentence(
    "what says it is gzip and is none, is cut off, or has more behind it: 400",
    async (service) => {
      const caller = await createCaller(service);
      const whole = gzipSync('{"text":"abc"}');
      const broken = Uint8Array.from(whole, (byte, at) =>
        at === whole.length - 6 ? byte ^ 1 : byte,
      );
      const bodies = {
        plain: new TextEncoder().encode('{"text":"abc"}'),
        cut: whole.subarray(0, -3),
        header: whole.subarray(0, 10),
        broken,
        trailed: Buffer.concat([whole, Buffer.from("junk")]),
      };
      for (const [name, body] of Object.entries(bodies)) {
        const response = await caller.post("hash", {
          headers: { "Content-Encoding": "gzip" },
          body,
        });
        const problem = assertProblem(response, "invalid_request");
        assert.equal(problem.errors[0].header, "Content-Encoding", `${name} ${response.text}`);
      }
      assert.equal(await caller.balance(), 100);
    },
  );

  sentence("no body at all is no broken gzip", async (service) => {
    const caller = await createCaller(service);
    const headers = { "Content-Encoding": "gzip" };
    assertResponse(await caller.post("uuid", { headers, body: new Uint8Array() }), 1);
    const response = await caller.post("hash", { headers, body: new Uint8Array() });
    assert.match(assertProblem(response, "invalid_request").detail, /`text` is required/);
  });
}
