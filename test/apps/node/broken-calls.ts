import assert from "node:assert/strict";

/** Calls whose connection may break at any time. Calls with an idempotency key are retried. */
export type KeyedCall = {
  idempotencyKey: string;
  count: number;
  /** The body of the first response that arrived. */
  body: string | null;
};
export type Received = { body: string; left: number; charged: number; replayed: boolean };

/**
 * The complete response; `unheard`: no server listened; `refused`: 503 with Retry-After; `broken`: the connection ended
 * before the end of the response.
 */
export async function callUuid(
  base: string,
  key: string,
  count: number,
  idempotencyKey?: string,
): Promise<Received | "refused" | "broken" | "unheard"> {
  const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
  if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
  const sent = { method: "POST", headers, body: JSON.stringify({ count }) };
  const response = await fetch(`${base}/api/v1/uuid`, sent)
    .then(async (response) => ({ response, body: await response.text() }))
    .catch((error: Error) => (error.cause as { code?: string } | undefined)?.code ?? "broken");
  // No server listened, so nothing was sent.
  if (typeof response === "string") return response === "ECONNREFUSED" ? "unheard" : "broken";
  const { status, headers: responseHeaders } = response.response;
  if (status === 503) {
    assert.ok(Number(responseHeaders.get("retry-after")) > 0, "a 503 has Retry-After");
    return "refused";
  }
  assert.equal(status, 200, response.body);
  return {
    body: response.body,
    left: Number(responseHeaders.get("credits-remaining")),
    charged: Number(responseHeaders.get("credits-charged")),
    replayed: responseHeaders.get("idempotency-replayed") === "true",
  };
}

/** Checks that the response never changes. Returns whether the first response that arrived was a replay. */
export function recordKeyed(keyed: KeyedCall, received: Received): boolean {
  const isFirst = keyed.body === null;
  if (!isFirst) {
    assert.equal(received.body, keyed.body, "a replay has the body of the first response");
    assert.ok(received.replayed);
  }
  if (received.replayed) assert.equal(received.charged, 0);
  keyed.body = received.body;
  return isFirst && received.replayed;
}
