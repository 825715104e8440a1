#!/usr/bin/env bash
# Tokens (JWT, HS256) are checked by five libraries: a plain one; one whose times have fractions of a second, as RFC 7519 allows and programs in Python write; one that was issued a second ahead, by a server whose
# clock goes before; and an access token of RFC 9068, whose header says `"typ":"at+jwt"`.
# Expected: accepted. RFC 7519 has no rule that refuses a token for `iat`, which says how old it is, and leaves other types to the program.
# Seen on 2026-11-30: jsonwebtoken 9.0.3, jose 6.2.18, fast-jwt 6.3.6 and @tsndr/cloudflare-worker-jwt 3.2.3 accept all. hono/jwt 4.13.19 refuses the last three: it compares `iat` with the
# clock in whole seconds, so a token of half a second ago is from the future until the next second begins, and knows no `typ` but JWT.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts jsonwebtoken@9.0.3 jose@6.2.18 fast-jwt@6.3.6 @tsndr/cloudflare-worker-jwt@3.2.3 hono@4.13.19
cat > seen.mjs <<'JS'
import { createHmac } from "node:crypto";
import tsndr from "@tsndr/cloudflare-worker-jwt";
import { createVerifier } from "fast-jwt";
import { verify } from "hono/jwt";
import { jwtVerify } from "jose";
import jsonwebtoken from "jsonwebtoken";
const secret = "a secret of enough bytes for this test";
const now = Math.floor(Date.now() / 1000) + 0.75;
Date.now = () => now * 1000;
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const token = (payload, typ = "JWT") => {
  const signed = `${part({ alg: "HS256", typ })}.${part(payload)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
};
const tokens = {
  plain: token({ iat: Math.floor(now), exp: Math.floor(now) + 60 }), fractions: token({ iat: now - 0.5, exp: now + 60.5 }),
  "a second ahead": token({ iat: Math.floor(now) + 1, exp: Math.floor(now) + 60 }), "at+jwt": token({ exp: Math.floor(now) + 60 }, "at+jwt"),
};
const libraries = {
  jsonwebtoken: (text) => jsonwebtoken.verify(text, secret), jose: (text) => jwtVerify(text, Buffer.from(secret)), "fast-jwt": createVerifier({ key: secret }),
  tsndr: (text) => tsndr.verify(text, secret, { throwError: true }), hono: (text) => verify(text, secret, "HS256"),
};
for (const [name, check] of Object.entries(libraries)) {
  const seen = [];
  for (const [kind, text] of Object.entries(tokens))
    seen.push(`${kind} ${await Promise.resolve().then(() => check(text)).then(() => "accepted", (error) => error.name)}`);
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
accepted='plain accepted, fractions accepted, a second ahead accepted, at+jwt accepted'
[ "$seen" = "jsonwebtoken: $accepted
jose: $accepted
fast-jwt: $accepted
tsndr: $accepted
hono: plain accepted, fractions JwtTokenIssuedAt, a second ahead JwtTokenIssuedAt, at+jwt JwtHeaderInvalid" ]
