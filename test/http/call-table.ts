/** Calls as a table: what is sent, and what the response has. */
import assert from "node:assert/strict";
import type { ErrorCode } from "#errors.ts";
import { assertProblem, assertResponse, type Caller, entriesOf, type Sent } from "./test-api.ts";

export type Row = readonly [
  /** The tool, and the query if there is one. */
  path: string,
  /** The body, or everything that is sent. */
  sent: Sent["body"] | Sent,
  /** Fields of the result, or the code of the error. */
  expected: Record<string, unknown> | ErrorCode,
  /** What the detail of the error says. */
  detail?: RegExp,
  /** The field, parameter or header that the error names. */
  place?: string,
];

/** Sends each call, with these headers too. A result costs one credit and an error none. */
export async function assertCalls(
  caller: Caller,
  rows: readonly Row[],
  headers: Record<string, string> = {},
): Promise<void> {
  const before = await caller.balance();
  let spent = 0;
  for (const [path, given, expected, detail, place] of rows) {
    const sent = typeof given === "string" || given instanceof Uint8Array ? { body: given } : given;
    const all = [...Object.entries(headers), ...entriesOf(sent?.headers)];
    const response = await caller.post(path, { ...sent, headers: all });
    try {
      if (typeof expected !== "string") {
        spent += 1;
        const result = assertResponse(response, 1);
        for (const [name, value] of Object.entries(expected)) assert.deepEqual(result[name], value);
        continue;
      }
      const problem = assertProblem(response, expected);
      if (detail !== undefined) assert.match(problem.detail, detail);
      if (place !== undefined)
        assert.ok(placesOf(problem).includes(place), placesOf(problem).join());
    } catch (cause) {
      const start = Buffer.from(sent?.body ?? "").subarray(0, 200);
      throw new Error(`${path} ${JSON.stringify(all)} ${start}`, { cause });
    }
  }
  assert.equal(await caller.balance(), before - spent, "the credits of the results");
}

type Fault = { pointer?: string; parameter?: string; header?: string };

export const placesOf = ({ errors }: { errors: Fault[] }): (string | undefined)[] =>
  errors.map(({ pointer, parameter, header }) => pointer ?? parameter ?? header);

/** A body of a type. */
export const typed = (type: string, body: Sent["body"], headers = {}): Sent => ({
  headers: { "Content-Type": type, ...headers },
  body,
});

/** What `curl -d`, HTML forms and Python's `requests.post(data=…)` send (URL standard, section 5). */
export const FIELDS = "application/x-www-form-urlencoded";
