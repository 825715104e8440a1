/** A user with an account at the edge, who sends requests with cookies as the dashboard does. */
import assert from "node:assert/strict";
import { createMember } from "../../support/dashboard-site.ts";
import type { EdgeSite } from "../../support/edge-site.ts";

export type EdgeMember = Awaited<ReturnType<typeof edgeMember>>;
type ApiResponse = { status: number; text: string; body: never };

/** `more`: headers of all requests of the sign-up. */
export async function edgeMember(site: EdgeSite, name: string, more?: Record<string, string>) {
  const credentials = await createMember(site, name, more);
  let cookies = "";
  async function ask(method: string, path: string, body?: object): Promise<ApiResponse> {
    const headers = { Origin: site.base, "Content-Type": "application/json", Cookie: cookies };
    const response = await fetch(site.base + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const set = response.headers.getSetCookie().map((each) => each.split(";")[0]);
    if (set.length > 0) cookies = set.join("; ");
    const text = await response.text();
    return {
      status: response.status,
      text,
      body: (text === "" ? null : JSON.parse(text)) as never,
    };
  }
  const signedIn = await ask("POST", "/dashboard/auth/sign-in/email", credentials);
  assert.equal(signedIn.status, 200, signedIn.text);
  const [row] = await site.sql(`SELECT account FROM users WHERE email = '${credentials.email}'`);
  const { account } = row as { account: string };
  return {
    ...credentials,
    account,
    get: (path: string) => ask("GET", path),
    post: (path: string, body: object = {}) => ask("POST", path, body),
    put: (path: string, body: object) => ask("PUT", path, body),
  };
}

/** Calls the operator API. */
export const operatorOf =
  (site: EdgeSite, token: string) =>
  async <Outcome>(operation: string, order: object): Promise<Outcome> => {
    const response = await fetch(`${site.base}/operator/v1/perform`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ operation, order }),
    });
    const result = (await response.json()) as { ok: boolean; outcome: Outcome };
    assert.ok(result.ok, JSON.stringify(result));
    return result.outcome;
  };
