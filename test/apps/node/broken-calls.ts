import assert from "node:assert/strict";

/** Calls of customers whose connection may break at any time, and who try those with an idempotency key again. */
export type KeyedCall = {
  idempotencyKey: string;
  count: number;
  /** Of its first answer that came through. */
  body: string | null;
};
export type Received = { body: string; left: number; charged: number; replayed: boolean };

/**
 * The whole answer; `unheard`: nobody listened; `refused`: 503, which tells when to come again; `broken`: the connection
 * ended before.
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
  // Nobody listened, so nothing was sent.
  if (typeof response === "string") return response === "ECONNREFUSED" ? "unheard" : "broken";
  const { status, headers: told } = response.response;
  if (status === 503) {
    assert.ok(Number(told.get("retry-after")) > 0, "a 503 tells when to come again");
    return "refused";
  }
  assert.equal(status, 200, response.body);
  return {
    body: response.body,
    left: Number(told.get("credits-remaining")),
    charged: Number(told.get("credits-charged")),
    replayed: told.get("idempotency-replayed") === "true",
  };
}

/** For one node that is there or gone: null where the connection broke. It never refuses. */
export async function callSteady(...call: Parameters<typeof callUuid>): Promise<Received | null> {
  const received = await callUuid(...call);
  assert.notEqual(received, "refused");
  return typeof received === "object" ? received : null;
}

/** Its answer is always the same. Tells whether the first that came through was a repeat's. */
export function recordKeyed(keyed: KeyedCall, received: Received): boolean {
  const isFirst = keyed.body === null;
  if (!isFirst) {
    assert.equal(received.body, keyed.body, "a repeat gets the answer of the first");
    assert.ok(received.replayed);
  }
  if (received.replayed) assert.equal(received.charged, 0);
  keyed.body = received.body;
  return isFirst && received.replayed;
}
