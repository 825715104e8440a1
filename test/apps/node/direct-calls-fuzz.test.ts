import assert from "node:assert/strict";
import { test } from "node:test";
import { type Chance, createChance } from "../../ledger/rules/chance.ts";
import { SAMPLE_SEED } from "../../support/sample.ts";
import { converse, PATHS, startReflecting } from "./direct-calls-fixture.ts";

/**
 * The strict reader against `node:http`: connections with the same bytes, in the same segments, get the same bytes back.
 * TEST_SEED=n sends the same ones again.
 */
const RUNS = Number(process.env["TEST_FUZZ_RUNS"] ?? 400);
/** Connections at a time. Each waits for turns of the event loop, not for time. */
const LANES = 16;

test(`${RUNS} connections with valid and broken requests get what node:http gives them`, {
  timeout: 3_600_000,
}, async (t) => {
  t.diagnostic(`TEST_SEED=${SAMPLE_SEED} sends the same bytes again`);
  const [reader, plain] = [
    await startReflecting({ directCalls: true }),
    await startReflecting({ directCalls: false }),
  ];
  t.after(() => Promise.all([reader.stop(), plain.stop()]));
  let next = 0;
  const lane = async () => {
    while (next < RUNS) {
      const run = next;
      next += 1;
      const segments = segmentsOf(createChance(SAMPLE_SEED * 100_003 + run), run);
      const [read, expected] = await Promise.all([
        converse(reader.port, segments),
        converse(plain.port, segments),
      ]);
      const sent = segments.map((segment) => JSON.stringify(segment.toString("latin1")));
      assert.equal(read, expected, `TEST_SEED=${SAMPLE_SEED}, run ${run}:\n${sent.join("\n")}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const [direct, calls] = [reader.direct(), reader.calls()];
  t.diagnostic(`${direct} of ${calls} calls without node:http`);
  assert.equal(plain.direct(), 0);
  // A call may begin or not when its client leaves at that moment.
  assert.ok(Math.abs(calls - plain.calls()) < 0.05 * plain.calls(), `${calls}, ${plain.calls()}`);
  // Otherwise it would compare node:http with itself.
  assert.ok(direct > RUNS / 10, `${direct} of ${calls}`);
  assert.ok(calls - direct > RUNS / 10, `${direct} of ${calls}`);
});

/** The bytes of a connection, in segments: some requests, one of which is strange or broken. Runs take all of what is strange in turn. */
function segmentsOf(chance: Chance, run: number): Buffer[] {
  const requests = Array.from({ length: 1 + chance.below(4) }, () => requestOf(chance));
  const odd = chance.below(requests.length);
  if (chance.percent(70))
    requests[odd] = requestOf(chance, STRANGE[run % STRANGE.length] as Strange);
  else if (chance.percent(90)) requests[odd] = broken(requests[odd] as string, chance);
  const cuts = new Set<number>();
  let at = 0;
  for (const request of requests) {
    // Usually a request arrives by itself, and seldom in pieces.
    if (chance.percent(75)) cuts.add(at);
    if (chance.percent(15)) cuts.add(at + chance.below(request.length + 1));
    at += request.length;
  }
  const bytes = Buffer.from(requests.join(""), "latin1");
  const ends = [...cuts, bytes.length].sort((one, other) => one - other);
  return ends
    .map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
    .filter((segment) => segment.length > 0);
}

const CRLF = "\r\n";

function requestOf(chance: Chance, strange?: Strange): string {
  const body = chance.percent(60)
    ? "x".repeat(chance.below(20))
    : chance.pick(["", "{}", '{"text":"a"}', "POST / HTTP/1.1\r\n\r\n", "ä"]);
  const lines = [`Host: ${chance.pick(["127.0.0.1", "127.0.0.1:80", "a.example"])}`];
  lines.push(`Content-Length: ${Buffer.byteLength(body, "latin1")}`);
  for (const line of USUAL_LINES) if (chance.percent(25)) lines.push(line);
  let head = `POST ${chance.pick(PATHS)} HTTP/1.1`;
  if (strange !== undefined) {
    const [what, text] = strange;
    if (what === "line") lines.splice(chance.below(lines.length + 1), 0, text);
    else if (what === "start") head = text;
    else if (what === "length") lines[1] = text;
    else lines[0] = text;
  }
  // In any order, the length also before what it may contradict.
  if (chance.percent(30)) lines.reverse();
  const end = chance.percent(98) ? CRLF : chance.pick(["\n", "\r", "\r\r\n", "\n\r"]);
  return [head, ...lines, "", ""].join(end) + body;
}

const USUAL_LINES = [
  "Authorization: Bearer tb_key",
  "content-type: application/json",
  "Accept: */*",
  "X-Request-Id: order:1",
  "Idempotency-Key:key-1",
  "Connection: keep-alive",
  "X-Forwarded-For: 10.0.0.1, 10.0.0.2",
  "X-Wait: 3",
  "X-Wait: 20",
  "Origin: https://a.example",
];

type Strange = readonly ["line" | "start" | "length" | "host", string];
/** What a reader can get wrong. */
const STRANGE: readonly Strange[] = [
  ...[
    ...["Content-Length: 0", "Content-Length: 2", "content-length: 12", "Content-Length : 2"],
    ...["Transfer-Encoding: chunked", "transfer-encoding:chunked", "Transfer-Encoding: identity"],
    ...[
      "Transfer-Encoding : chunked",
      "Transfer-Encoding:\tchunked",
      "X: 1\r\n Transfer-Encoding: chunked",
    ],
    ...[
      "Connection: close",
      "Connection: Close",
      "connection: keep-alive, close",
      "Connection:close",
    ],
    ...["Connection: upgrade\r\nUpgrade: websocket", "Upgrade: h2c", "Proxy-Connection: close"],
    ...["Expect: 100-continue", "Expect: other", "TE: trailers", "Trailer: X-One", "Keep-Alive: 5"],
    ...["Host: b.example", "host: a.example", "X-One: a\r\nX-One: b", "x-one: a\r\nX-ONE: b"],
    ...[
      "X-One:",
      "X-One: ",
      "X-One: \t a \t",
      "X-One:  two",
      "X-One: a ",
      "X-One: ä",
      "X-One: \u0001",
    ],
    ...["X-One: a\0b", "X-One: a\x7fb", "X-One: a\rb", "X-One: a\nb", "X-One: a\n b", "X One: a"],
    ...[
      "X-One : a",
      ": a",
      "X-One",
      "X_One: a",
      "X-One!: a",
      "(X): a",
      " X-One: a",
      "\tX-One: a",
      "X-One\t: a",
    ],
    ...["Content-Encoding: gzip", "Content-Encoding: identity", `X-One: ${"a".repeat(5_000)}`],
    ...["Authorization: a\r\nAuthorization: b", "X-Forwarded-For: 1\r\nX-Forwarded-For: 2"],
  ].map((line) => ["line", line] as const),
  ...[
    ...["POST /api/v1/hash HTTP/1.0", "POST /api/v1/hash HTTP/1.2", "POST /api/v1/hash HTTP/2.0"],
    ...["post /api/v1/hash HTTP/1.1", "GET /api/v1/hash HTTP/1.1", "POST  /api/v1/hash HTTP/1.1"],
    ...[
      "POST /api/v1/hash  HTTP/1.1",
      "POST /api/v1/hash HTTP/1.1 ",
      " POST /api/v1/hash HTTP/1.1",
    ],
    ...[
      "POST /api/v1/hash?a=b HTTP/1.1",
      "POST /api/v1/hash/ HTTP/1.1",
      "POST /api/v1/%68ash HTTP/1.1",
    ],
    ...[
      "POST http://a.example/api/v1/hash HTTP/1.1",
      "POST * HTTP/1.1",
      "POST /api/v1/hash#a HTTP/1.1",
    ],
    ...["\r\nPOST /api/v1/hash HTTP/1.1", "\nPOST /api/v1/hash HTTP/1.1", "POST /api/v1/hash", ""],
    ...["CONNECT a.example:80 HTTP/1.1", "POST\t/api/v1/hash HTTP/1.1", "PRI * HTTP/2.0\r\n\r\nSM"],
    ...[
      "POST //api/v1/hash HTTP/1.1",
      "POST /api/v1/hash http/1.1",
      "POST /api/v1/hash HTTP/1.1\rX",
    ],
    ...["POST /api/v1/hash HTTP/1.1\nX-One: a", "POST /api/v1/hash HTTP/1.1\rX-One: a"],
  ].map((line) => ["start", line] as const),
  ...[
    ...[
      "Content-Length: 1",
      "Content-Length: 3",
      "Content-Length: 60",
      "Content-Length: -1",
      "X: 1",
    ],
    ...["Content-Length: +2", "Content-Length: 0x2", "Content-Length: 02", "Content-Length: 2,2"],
    ...["Content-Length: 2 ", "Content-Length: 2 2", "Content-Length:", "Content-Length: 2.0"],
    ...["Content-Length: 99999", "Content-Length: 18446744073709551618", "Content-Length: 1e1"],
  ].map((line) => ["length", line] as const),
  ...[
    ...["Host:", "Host: ", "Host: a/b", "Host: a b", "Host: a:b", "Host: A.example", "X: 1"],
    ...["Host: [::1]", "Host: user@a.example", "Host: a.example:999999", "Host: a.example, b"],
  ].map((line) => ["host", line] as const),
];

const BYTES = "\r\n\t :,;0129azAZ-_/\0\x7f\x80\xff";

/** The request with a few bytes inserted, removed, replaced or repeated. */
function broken(request: string, chance: Chance): string {
  let text = request;
  for (let changes = 1 + chance.below(3); changes > 0; changes -= 1) {
    const at = chance.below(text.length + 1);
    const size = 1 + chance.below(chance.percent(80) ? 2 : 30);
    const byte = BYTES[chance.below(BYTES.length)] as string;
    const kept = text.slice(at + size);
    const before = text.slice(0, at);
    const same = text.slice(at, at + size);
    text = before + chance.pick([byte + same, "", byte, same + same, CRLF + same]) + kept;
  }
  return text;
}
