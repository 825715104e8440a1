/** Messages of MCP as they go over HTTP, right and wrong, and what comes back. */
import assert from "node:assert/strict";
import {
  type ApiResponse,
  type Caller,
  entriesOf,
  PUBLIC_URL,
  type Sent,
  type TestService,
} from "./test-api.ts";

/** Where the idempotency key of a call is. */
export const KEY = "toolbooth/idempotency-key";

/** A message of a revision that has no `_meta` of its own. */
export const call = (name: string, args: unknown, meta?: Record<string, unknown>) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
});

export function post(
  service: TestService,
  caller: Pick<Caller, "key">,
  message: unknown,
  sent: Sent = {},
) {
  const headers: [string, string][] = [
    ["Authorization", `Bearer ${caller.key}`],
    ["Content-Type", "application/json"],
    ["Accept", "application/json, text/event-stream"],
  ];
  const changed = entriesOf(sent.headers);
  const isChanged = ([name]: [string, string]) =>
    changed.some(([other]) => other.toLowerCase() === name.toLowerCase());
  return service.send("/mcp", {
    method: "POST",
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...sent,
    headers: [...headers.filter((each) => !isChanged(each)), ...changed],
  });
}

export function resultOf(response: ApiResponse) {
  assert.equal(response.status, 200, response.text.slice(0, 500));
  assert.equal(response.header("content-type"), "application/json");
  const { result, error } = response.json();
  assert.equal(error, undefined, response.text.slice(0, 500));
  return result;
}

/** An error of the tool: what happened, and where it is documented. */
export function assertToolError(response: ApiResponse, code: string) {
  const { isError, content, structuredContent, _meta } = resultOf(response);
  assert.equal(isError, true, response.text.slice(0, 500));
  assert.equal(structuredContent, undefined);
  assert.ok(content[0].text.startsWith(`${code} (`), content[0].text);
  assert.ok(content[0].text.endsWith(`More: ${PUBLIC_URL}/docs/errors#${code}`));
  assert.equal(_meta["toolbooth/problem"].code, code);
  assert.equal(_meta["toolbooth/credits-charged"] ?? 0, 0);
  return content[0].text as string;
}

export function assertRpcError(
  response: ApiResponse,
  status: number,
  code: number,
  words?: RegExp,
) {
  assert.equal(response.status, status, response.text.slice(0, 500));
  const { jsonrpc, error } = response.json();
  assert.deepEqual([jsonrpc, error.code], ["2.0", code], response.text.slice(0, 500));
  if (words !== undefined) assert.match(error.message, words);
}
