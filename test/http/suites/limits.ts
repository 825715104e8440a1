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
import { assertCalls, type Row } from "../call-table.ts";
import { assertProblem, assertResponse, createCaller, type Sentence, sha256 } from "../test-api.ts";

/** Every size limit: a value at the limit is allowed, and one byte more is an error with the limit and the size. */
export function limitsSuite(sentence: Sentence) {
  fieldSentences(sentence);
  bodySentences(sentence);
  hostileSentences(sentence);
  gzipSentences(sentence);
}

const MB = 1024 * 1024;
const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

function fieldSentences(sentence: Sentence) {
  sentence(
    "every field accepts its maximum of UTF-8 bytes where each character is escaped",
    async (service) => {
      for (const { name, price, fieldBytesMax, rawBody } of TOOLS) {
        for (const [field, max] of Object.entries(fieldBytesMax)) {
          const caller = await createCaller(service);
          // The main field has to be there too.
          const isMain = rawBody === undefined || rawBody.field === field;
          const before = isMain ? "" : `"${rawBody.field}":"",`;
          const post = (text: string) =>
            caller.post(name, { body: `{${before}"${field}":"${text}"}` });
          const fits = await post(escaped("a").repeat(max));
          // The capacity of a QR code is a different limit, which is checked after this one.
          if (name === "qr-code") assertProblem(fits, "text_too_long_for_level");
          else assertResponse(fits, price);
          const over = assertProblem(await post(escaped("a").repeat(max + 1)), "too_large");
          for (const part of [`\`${field}\``, String(max), String(max + 1)])
            assert.ok(over.detail.includes(part), over.detail);
        }
      }
    },
  );

  sentence(
    "the hash of a text at the limit is that of the text, escaped or not",
    async (service) => {
      const text = "a".repeat(HASH_TEXT_BYTES_MAX);
      const spellings = [text, escaped("a").repeat(HASH_TEXT_BYTES_MAX)];
      const bodies = spellings.flatMap((each) => [
        `{"text":"${each}"}`,
        `\ufeff{"text":"${each}"}`,
      ]);
      const rows = bodies.map((body): Row => ["hash", body, { hash: sha256(text) }]);
      await assertCalls(await createCaller(service), rows);
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
    sentence(
      `${tool}: the body takes ${max} bytes, in one piece or in many`,
      async (service) => {
        const caller = await createCaller(service);
        const request = REQUESTS[tool];
        for (const chunked of [false, true]) {
          assertResponse(await caller.post(tool, { body: request.padEnd(max), chunked }), 1);
          const response = await caller.post(tool, { body: request.padEnd(max + 1), chunked });
          const problem = assertProblem(response, "too_large");
          assert.equal(problem.limit, max);
          assert.match(problem.detail, new RegExp(`body.*${max}`));
          if (!chunked) assert.ok(problem.detail.includes(String(max + 1)), problem.detail);
        }
        assert.equal(await caller.balance(), 98);
      },
      { adapter: "bodies over their limit, with and without a length" },
    );
  }

  sentence(
    "echo takes 1 MB of JSON, whatever white space and BOM are around it",
    async (service) => {
      const caller = await createCaller(service);
      const value = (bytes: number) => `"${"a".repeat(bytes - 2)}"`;
      for (const around of ["", " ", "\ufeff\n"]) {
        const body = `${around}${value(ECHO_VALUE_BYTES_MAX)}${around.trim()}  `;
        assertResponse(await caller.post("echo", { body }), 1);
        const over = `${around}${value(ECHO_VALUE_BYTES_MAX + 1)}`;
        const { limit, size } = assertProblem(
          await caller.post("echo", { body: over }),
          "too_large",
        );
        assert.deepEqual([limit, size], [ECHO_VALUE_BYTES_MAX, ECHO_VALUE_BYTES_MAX + 1]);
      }
    },
  );
}

/** Quadratic work on one of these would take an hour. */
const HOSTILE = [
  "[".repeat(MB),
  `"${"[".repeat(MB - 10)}`,
  '"'.repeat(MB),
  `"${'\\"'.repeat(MB / 2 - 1)}`,
  `"${"\\".repeat(MB - 3)}"`,
  `"${Array.from({ length: 1_000 }, (_, at) => `${"\\".repeat(at)}"`).join("")}`,
  `[${",".repeat(MB - 2)}]`,
  `${"1".repeat(MB - 1)}x`,
];

function hostileSentences(sentence: Sentence) {
  sentence(
    "JSON nests up to 512 levels; one more is invalid_json, and 100,000 are no crash",
    async (service) => {
      const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
      const objects = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
      const markdown = JSON.stringify({ markdown: "[".repeat(10_000) });
      const tooDeep = [nested(JSON_DEPTH_MAX + 1), nested(100_000), "[".repeat(100_000), objects];
      await assertCalls(await createCaller(service), [
        ["echo", nested(JSON_DEPTH_MAX), {}],
        ["markdown-render", markdown, {}],
        ...tooDeep.map((body): Row => ["echo", body, "invalid_json", /512/]),
      ]);
    },
  );

  sentence(
    "a megabyte of broken JSON is invalid_json, and good JSON comes back",
    async (service) => {
      const caller = await createCaller(service);
      await assertCalls(
        caller,
        HOSTILE.map((body): Row => ["echo", body, "invalid_json"]),
      );
      for (const body of [`"${'\\"\\\\'.repeat(MB / 4 - 1)}"`, "9".repeat(MB)])
        assert.ok((await caller.post("echo", { body })).text.endsWith(`,"body":${body}}`));
    },
  );
}

function gzipSentences(sentence: Sentence) {
  const zipped = (body: string | Uint8Array, encoding = "gzip", chunked = false) => ({
    headers: { "Content-Encoding": encoding },
    ...{ body, chunked },
  });

  sentence(
    "the limit of a gzip body counts inflated bytes: one more is rejected",
    async (service) => {
      const caller = await createCaller(service);
      for (const [tool, max] of BODIES) {
        const of = (size: number) => gzipSync(REQUESTS[tool].padEnd(size));
        const [most, more, bomb] = [of(max), of(max + 1), of(max * 50)];
        for (const chunked of [false, true]) {
          await assertCalls(caller, [
            [tool, zipped(most, "gzip", chunked), {}],
            [tool, zipped(more, "gzip", chunked), "too_large", new RegExp(String(max))],
            [tool, zipped(bomb, "gzip", chunked), "too_large"],
          ]);
        }
      }
    },
    { adapter: "inflating" },
  );

  sentence(
    "x-gzip and identity are understood in any case; other encodings are 415",
    async (service) => {
      const plain = '{"text":"abc"}';
      const result = { hash: sha256("abc") };
      await assertCalls(await createCaller(service), [
        ...["gzip", "GZIP", "x-gzip"].map(
          (encoding): Row => ["hash", zipped(gzipSync(plain), encoding), result],
        ),
        ["hash", zipped(plain, "identity"), result],
        ...["br", "deflate", "zstd", "gzip, gzip", "nonsense"].map(
          (encoding): Row => ["hash", zipped(plain, encoding), "unsupported_media_type", /gzip/],
        ),
      ]);
      const { header } = await (await createCaller(service)).post("hash", zipped(plain, "br"));
      assert.deepEqual([header("accept-encoding"), header("accept")], ["gzip", null]);
    },
  );

  sentence(
    "a body declared as gzip that is not gzip, is cut off or has trailing bytes is 400",
    async (service) => {
      const whole = gzipSync('{"text":"abc"}');
      const broken = whole.map((byte, at) => (at === whole.length - 6 ? byte ^ 1 : byte));
      const junk = Buffer.concat([whole, Buffer.from("junk")]);
      const bodies = ['{"text":"abc"}', whole.subarray(0, -3), whole.subarray(0, 10), broken, junk];
      await assertCalls(await createCaller(service), [
        ...bodies.map((body): Row => {
          return ["hash", zipped(body), "invalid_request", /gzip/, "Content-Encoding"];
        }),
        // No body at all is no broken gzip.
        ["uuid", zipped(new Uint8Array()), {}],
        ["hash", zipped(new Uint8Array()), "invalid_request", /`text` is required/],
      ]);
    },
    { adapter: "inflating what is no gzip" },
  );
}
