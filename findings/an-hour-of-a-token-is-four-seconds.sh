#!/usr/bin/env bash
# A token (JWT) is to be valid for an hour: `expiresIn` is 3600, "3600" as it comes from an environment variable, or "1h". For how many seconds is it valid?
# Expected: 3600 in each, or an error: a JWT counts in seconds, and `expires_in` of OAuth does.
# Seen on 2026-11-29: fast-jwt 6.3.6 takes numbers for milliseconds, so 3600 is four seconds. @fastify/jwt 10.2.8, which is built on it, takes them for seconds. The text "3600" is milliseconds in all three,
# as the library for periods below them reads it, also in jsonwebtoken 9.0.3, where the number is seconds. jose 6.2.18 takes the number for the time at which the token ends, in 1970, and refuses the
# text. "1h" alone is an hour everywhere. Nothing else is an error.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts jsonwebtoken@9.0.3 fast-jwt@6.3.6 @fastify/jwt@10.2.8 fastify@5.12.8 jose@6.2.18
cat > seen.mjs <<'JS'
import fastifyJwt from "@fastify/jwt";
import { createSigner } from "fast-jwt";
import Fastify from "fastify";
import { decodeJwt, SignJWT } from "jose";
import jsonwebtoken from "jsonwebtoken";
const secret = "k".repeat(32);
const payload = { account: "ann" };
const libraries = {
  jsonwebtoken: (expiresIn) => jsonwebtoken.sign(payload, secret, { expiresIn }),
  "fast-jwt": (expiresIn) => createSigner({ key: secret, expiresIn })(payload),
  "@fastify/jwt": async (expiresIn) => {
    const app = Fastify();
    await app.register(fastifyJwt, { secret });
    await app.ready();
    return app.jwt.sign(payload, { expiresIn });
  },
  jose: (time) => new SignJWT(payload).setProtectedHeader({ alg: "HS256" }).setIssuedAt().setExpirationTime(time).sign(Buffer.from(secret)),
};
for (const [name, sign] of Object.entries(libraries)) {
  const seen = [];
  for (const time of [3600, "3600", "1h"]) {
    const claims = await Promise.resolve().then(() => sign(time)).then(decodeJwt, () => undefined);
    const seconds = claims === undefined ? "an error" : claims.exp < 1e9 ? "ended in 1970" : claims.exp - claims.iat < 5 ? "about 4 s" : `${claims.exp - claims.iat} s`;
    seen.push(`${JSON.stringify(time)} ${seconds}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'jsonwebtoken: 3600 3600 s, "3600" about 4 s, "1h" 3600 s
fast-jwt: 3600 about 4 s, "3600" about 4 s, "1h" 3600 s
@fastify/jwt: 3600 3600 s, "3600" about 4 s, "1h" 3600 s
jose: 3600 ended in 1970, "3600" an error, "1h" 3600 s' ]
