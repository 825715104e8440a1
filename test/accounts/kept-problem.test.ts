import assert from "node:assert/strict";
import { test } from "node:test";
import { keptProblem, NO_PROBLEM } from "#accounts/request-log.ts";
import { packRequest, unpackRequests } from "#accounts/request-recorder.ts";
import { ApiError, type FieldError } from "#errors.ts";
import { anEntry } from "../contract/request-log.ts";

const kept = (detail: string, errors?: FieldError[]) =>
  keptProblem(new ApiError("invalid_request", detail, errors === undefined ? {} : { errors }));

test("the sentence and the first errors of a problem are kept, each cut", () => {
  assert.deepEqual(kept("No body."), { detail: "No body.", errors: null });
  const long = "x".repeat(5_000);
  const { detail, errors } = kept(long, [
    { pointer: "/count", detail: "must be a number" },
    { pointer: `/${long}`, detail: long },
    { header: "Idempotency-Key", detail: "d" },
    { parameter: "fourth", detail: "d" },
  ]);
  assert.deepEqual([detail?.length, detail?.at(-1)], [300, "…"]);
  assert.deepEqual(
    errors?.map((each) => [Object.keys(each), each.pointer?.length ?? 0, each.detail.length]),
    [
      [["pointer", "detail"], 6, 16],
      [["pointer", "detail"], 60, 120],
      [["header", "detail"], 0, 1],
    ],
  );
});

test("an entry stays within 1.3 KB, whatever the problem quotes", () => {
  for (const character of ["x", '"', "\\", "\u0000", "\ud800", "é", "😀", "\u2028"]) {
    const text = character.repeat(10_000);
    const errors = Array.from({ length: 50 }, () => ({ pointer: text, detail: text }));
    const entry = anEntry({ status: 400, code: "invalid_request", ...kept(text, errors) });
    const packed = packRequest(entry);
    assert.ok(packed.length <= 2_000, `${JSON.stringify(character)} ${packed.length}`);
    assert.ok(Buffer.byteLength(packed) <= 3_000, `${JSON.stringify(character)}`);
    assert.ok(!packed.includes("\\u0000"), "PostgreSQL's JSON cannot hold it");
    assert.deepEqual(unpackRequests(`${packed},${packed}`), [entry, entry]);
  }
});

test("the beginning of a quoted value is kept", () => {
  const secret = "something-only-the-client-knows";
  assert.equal(
    kept(`\`algorithm\` must be one of sha1, sha256; got "${secret}" and "md6".`).detail,
    '`algorithm` must be one of sha1, sha256; got "something-only-the-c…" and "md6".',
  );
});

test("keys are left out", () => {
  const key = `tb_${"A1b2".repeat(12)}`;
  const { detail, errors } = kept(`got "${key}" and ${key}`, [{ pointer: `/${key}`, detail: key }]);
  assert.equal(detail, 'got "tb_…" and tb_…');
  assert.deepEqual(errors, [{ pointer: "/tb_…", detail: "tb_…" }]);
});

test("a success stores no problem, and older entries have none", () => {
  const entry = anEntry();
  const packed = packRequest(entry);
  assert.ok(packed.endsWith('"203.0.113.7"]'));
  assert.deepEqual(unpackRequests(packed), [entry]);
  const old = '[1,"req_1","hash",400,"invalid_json","key_1",0,0,0,5,null,null,null,null,9,null]';
  const [read] = unpackRequests(old);
  assert.deepEqual([read?.code, read?.detail, read?.errors], ["invalid_json", null, null]);
  assert.deepEqual(NO_PROBLEM, { detail: null, errors: null });
});
