#!/usr/bin/env bash
# A client of OAuth whose secret is base64, `k3+Fq/9Zxw==`, or base64url, asks for a token with HTTP Basic. Seven clients, two servers. Is the client known?
# Expected: always. RFC 6749 (2.3.1) has id and secret percent-encoded as in a form before they are put together, and decoded by the server.
# Seen on 2026-11-29: oauth4webapi 3.8.8, openid-client 6.9.0, simple-oauth2 5.1.0 and @badgateway/oauth2-client 3.3.1 encode, arctic 3.7.0, client-oauth2 4.3.3 and google-auth-library 11.3.4 send the secret
# as it is. oidc-provider 9.13.3 decodes, so to it the plus of the second group is a space: invalid_client. @node-oauth/oauth2-server 5.3.0 does not decode, so it does not know the first group, and all of that
# but simple-oauth2 encode `-` and `_` as well, which no form needs. Only a secret of letters and digits works with all, so an issuer makes those alone.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts oauth4webapi@3.8.8 openid-client@6.9.0 simple-oauth2@5.1.0 @badgateway/oauth2-client@3.3.1 arctic@3.7.0 client-oauth2@4.3.3 \
  google-auth-library@11.3.4 oidc-provider@9.13.3 @node-oauth/oauth2-server@5.3.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { OAuth2Client as Badgateway } from "@badgateway/oauth2-client";
import OAuth2Server from "@node-oauth/oauth2-server";
import { OAuth2Client as Arctic } from "arctic";
import ClientOAuth2 from "client-oauth2";
import { OAuth2Client as Google } from "google-auth-library";
import { allowInsecureRequests, ClientSecretBasic, clientCredentialsGrantRequest } from "oauth4webapi";
import Provider from "oidc-provider";
import * as openid from "openid-client";
import simple from "simple-oauth2";
const id = "app";
let secret;
let end;
const origin = ({ port }) => `http://127.0.0.1:${port}`;
const oidc = createServer();
const oauth = createServer();
for (const server of [oidc, oauth]) await once(server.listen(0, "127.0.0.1"), "listening");
const providers = {};
for (const each of ["k3+Fq/9Zxw==", "k3-Fq_9Zxw", "k3Fq9Zxw"]) {
  const metadata = { client_id: id, client_secret: each, grant_types: ["client_credentials"], redirect_uris: [], response_types: [], token_endpoint_auth_method: "client_secret_basic" };
  const features = { clientCredentials: { enabled: true }, devInteractions: { enabled: false } };
  const provider = new Provider(origin(oidc.address()), { clients: [metadata], features, ttl: { ClientCredentials: 60 } });
  provider.on("grant.error", (_, { error }) => (end = error));
  provider.on("grant.success", () => (end = "token"));
  providers[each] = provider.callback();
}
oidc.on("request", (request, response) => providers[secret](request, response));
const model = {
  getClient: async (client, given) => (client === id && given === secret ? { id, grants: ["client_credentials"] } : undefined),
  getUserFromClient: async () => ({}),
  saveToken: async (token, client, user) => ({ ...token, client, user }),
};
oauth.on("request", async (request, response) => {
  const body = Object.fromEntries(new URLSearchParams((await request.toArray()).join("")));
  const made = new OAuth2Server.Response({ headers: {} });
  const asked = new OAuth2Server.Request({ headers: request.headers, method: "POST", query: {}, body });
  end = await new OAuth2Server({ model }).token(asked, made).then(() => "token", ({ name }) => name);
  response.writeHead(made.status ?? 400, { "content-type": "application/json" }).end(JSON.stringify(made.body));
});
const clients = {
  oauth4webapi: (url) => clientCredentialsGrantRequest({ issuer: url, token_endpoint: `${url}/token` }, { client_id: id }, ClientSecretBasic(secret), {}, { [allowInsecureRequests]: true }),
  "openid-client": (url) => {
    const configuration = new openid.Configuration({ issuer: url, token_endpoint: `${url}/token` }, id, {}, openid.ClientSecretBasic(secret));
    openid.allowInsecureRequests(configuration);
    return openid.clientCredentialsGrant(configuration, {});
  },
  "simple-oauth2": (url) => new simple.ClientCredentials({ client: { id, secret }, auth: { tokenHost: url, tokenPath: "/token" } }).getToken({}),
  "@badgateway/oauth2-client": (url) =>
    new Badgateway({ server: url, tokenEndpoint: "/token", clientId: id, clientSecret: secret, authenticationMethod: "client_secret_basic" }).clientCredentials(),
  arctic: (url) => new Arctic(id, secret, null).validateAuthorizationCode(`${url}/token`, "code", null),
  "client-oauth2": (url) => new ClientOAuth2({ clientId: id, clientSecret: secret, accessTokenUri: `${url}/token` }).credentials.getToken(),
  "google-auth-library": (url) =>
    new Google({ clientId: id, clientSecret: secret, endpoints: { oauth2TokenUrl: `${url}/token` }, clientAuthentication: "ClientSecretBasic" }).getToken("code"),
};
for (const [name, ask] of Object.entries(clients)) {
  const seen = [];
  for (secret of Object.keys(providers)) {
    const known = [];
    for (const server of [oidc, oauth]) {
      end = undefined;
      await ask(origin(server.address())).catch(() => {});
      known.push(end === undefined ? "not asked" : end === "invalid_client" ? "unknown" : "known");
    }
    seen.push(`${secret} ${known.join(" and ")}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs 2>/dev/null | grep -v oidc-provider)
echo "$seen"
[ "$seen" = 'oauth4webapi: k3+Fq/9Zxw== known and unknown, k3-Fq_9Zxw known and unknown, k3Fq9Zxw known and known
openid-client: k3+Fq/9Zxw== known and unknown, k3-Fq_9Zxw known and unknown, k3Fq9Zxw known and known
simple-oauth2: k3+Fq/9Zxw== known and unknown, k3-Fq_9Zxw known and known, k3Fq9Zxw known and known
@badgateway/oauth2-client: k3+Fq/9Zxw== known and unknown, k3-Fq_9Zxw known and unknown, k3Fq9Zxw known and known
arctic: k3+Fq/9Zxw== unknown and known, k3-Fq_9Zxw known and known, k3Fq9Zxw known and known
client-oauth2: k3+Fq/9Zxw== unknown and known, k3-Fq_9Zxw known and known, k3Fq9Zxw known and known
google-auth-library: k3+Fq/9Zxw== unknown and known, k3-Fq_9Zxw known and known, k3Fq9Zxw known and known' ]
