import assert from "node:assert/strict";
import type { Provider } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";

/** GitHub's and Google's endpoints for one user, in place of the network. */
const client = { clientId: "client", clientSecret: "secret" };
export const PROVIDERS = { github: client, google: client };

type Profile = { email: string; verified: boolean };

export function standIn(profile: Profile): Disposable {
  const { fetch } = globalThis;
  globalThis.fetch = async (to) => {
    const { url } = new Request(to);
    const response = RESPONSES[url];
    assert.ok(response, `nothing stands in for ${url}`);
    return Response.json(response(profile));
  };
  return {
    [Symbol.dispose]() {
      globalThis.fetch = fetch;
    },
  };
}

const RESPONSES: Record<string, (profile: Profile) => object> = {
  "https://github.com/login/oauth/access_token": () => ({
    access_token: "a-token-of-github",
    token_type: "bearer",
    scope: "read:user,user:email",
  }),
  "https://api.github.com/user": ({ email }) => ({
    ...{ id: idOf(email), login: "octocat", name: "Octo Cat", email: null },
    avatar_url: "https://avatars.example/1",
  }),
  "https://api.github.com/user/emails": ({ email, verified }) => [
    { email, primary: true, verified, visibility: null },
  ],
  "https://oauth2.googleapis.com/token": ({ email, verified }) => ({
    access_token: "a-token-of-google",
    token_type: "Bearer",
    expires_in: 3_599,
    id_token: idToken({ email, email_verified: verified }),
  }),
};

const idOf = (email: string) => email.length * 1_000 + email.charCodeAt(0);

function idToken(claims: { email: string; email_verified: boolean }): string {
  const seconds = Math.floor(Date.now() / 1_000);
  const payload = {
    ...{ iss: "https://accounts.google.com", aud: client.clientId, sub: `${idOf(claims.email)}` },
    ...{ iat: seconds, exp: seconds + 3_600, name: "Goo Gle", picture: "https://x.example/1" },
    ...claims,
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "RS256", kid: "1" })}.${part(payload)}.c2lnbmF0dXJl`;
}

/** The path by which the provider sends the browser back. */
export async function callbackOf(
  provider: Provider,
  browser: Browser,
  service = "http://127.0.0.1:8787",
): Promise<string> {
  const begun = await browser.post("/dashboard/auth/sign-in/social", {
    ...{ provider, callbackURL: `${service}/home` },
    errorCallbackURL: `${service}/sign-in`,
  });
  assert.equal(begun.status, 200, begun.text);
  const url = new URL((begun.body as { url: string }).url);
  assert.equal(
    url.searchParams.get("redirect_uri"),
    `${service}/dashboard/auth/callback/${provider}`,
  );
  const state = url.searchParams.get("state") ?? "";
  return `/dashboard/auth/callback/${provider}?code=a-code&state=${encodeURIComponent(state)}`;
}

/** There and back again; where the browser is sent at the end. */
export async function comeBackFrom(...order: Parameters<typeof callbackOf>): Promise<string> {
  const back = await order[1].get(await callbackOf(...order));
  assert.equal(back.status, 302, back.text);
  return back.headers.get("location") ?? "";
}
