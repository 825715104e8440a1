#!/usr/bin/env bash
# A server checks tokens (JWT) with the public keys at an address (JWKS), and has just done so when the issuer begins to sign with a new key, which is in the set from the same moment. Four libraries; the first token with the old key, the second with the new one.
# Expected: both are accepted: a key that is not known is the reason to ask for the set again.
# Seen on 2026-11-30: `createRemoteJWKSet` of jose 6.2.18, which many libraries for OpenID use, refuses the second without asking: after each request it waits for 30 seconds (`cooldownDuration`), so right after a start, or a request for
# any other unknown key, all tokens of the new key are refused with "no applicable key found", and their bearers are signed out. jwks-rsa 4.1.0, get-jwks 11.0.3 and `verifyWithJwks` of hono 4.13.19 ask again. An issuer has to publish a key
# well before it signs with it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts jose@6.2.18 jwks-rsa@4.1.0 get-jwks@11.0.3 hono@4.13.19
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import buildGetJwks from "get-jwks";
import { verifyWithJwks } from "hono/jwt";
import * as jose from "jose";
import jwksRsa from "jwks-rsa";
const makeKey = async (kid) => {
  const { privateKey, publicKey } = await jose.generateKeyPair("RS256", { extractable: true });
  return { kid, privateKey, jwk: { ...(await jose.exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } };
};
const keys = [await makeKey("old"), await makeKey("new")];
let published;
let requests;
const server = createServer((_, response) => {
  requests += 1;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: published.map(({ jwk }) => jwk) }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const issuer = `http://127.0.0.1:${server.address().port}/`;
const url = `${issuer}.well-known/jwks.json`;
const token = ({ kid, privateKey }) => new jose.SignJWT({}).setProtectedHeader({ alg: "RS256", kid }).setIssuedAt(Math.floor(Date.now() / 1000) - 10).setExpirationTime("1h").sign(privateKey);
const verifyPem = async (text, pem) => jose.jwtVerify(text, await jose.importSPKI(pem, "RS256"));
const libraries = {
  jose: () => {
    const set = jose.createRemoteJWKSet(new URL(url));
    return (text) => jose.jwtVerify(text, set);
  },
  "jwks-rsa": () => {
    const client = jwksRsa({ jwksUri: url });
    return async (text) => verifyPem(text, (await client.getSigningKey(jose.decodeProtectedHeader(text).kid)).getPublicKey());
  },
  "get-jwks": () => {
    const jwks = buildGetJwks();
    return async (text) => verifyPem(text, await jwks.getPublicKey({ ...jose.decodeProtectedHeader(text), domain: issuer }));
  },
  hono: () => (text) => verifyWithJwks(text, { jwks_uri: url, allowedAlgorithms: ["RS256"] }),
};
for (const [name, make] of Object.entries(libraries)) {
  requests = 0;
  const verify = make();
  const seen = [];
  for (const [index, key] of keys.entries()) {
    published = keys.slice(0, index + 1);
    seen.push(`${key.kid} ${await verify(await token(key)).then(() => "accepted", (error) => error.message)}`);
  }
  console.log(`${name}: ${seen.join(", ")}, ${requests} requests`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'jose: old accepted, new no applicable key found in the JSON Web Key Set, 1 requests
jwks-rsa: old accepted, new accepted, 2 requests
get-jwks: old accepted, new accepted, 2 requests
hono: old accepted, new accepted, 2 requests' ]
