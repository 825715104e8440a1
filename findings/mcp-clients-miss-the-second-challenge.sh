#!/usr/bin/env bash
# An MCP server answers 401 and says in `WWW-Authenticate` where the metadata for OAuth is (RFC 9728). It allows a password too, so Basic stands before Bearer; or the name of the parameter is in capitals, or spaces are around the `=`.
# Do three clients of MCP and oauth4webapi 3.8.8, which reads the same header, find the address?
# Expected: yes: RFC 9110 has several challenges in one header or in two, names in any case and spaces around the `=`.
# Seen on 2026-11-29: behind another challenge none of the three finds it, @modelcontextprotocol/sdk 1.32.2, @modelcontextprotocol/client 2.4.0 and @ai-sdk/mcp 2.0.99, because the header has to begin with Bearer; they ask at /.well-known
# instead, which finds nothing where the metadata is somewhere else. None takes the spaces, and only @ai-sdk/mcp takes capitals. oauth4webapi finds it each time.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99 oauth4webapi@3.8.8 \
  zod@4.6.7
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { processRefreshTokenResponse } from "oauth4webapi";
let challenge;
let asked;
const server = createServer((request, response) => {
  asked.push(request.url);
  request.resume();
  if (request.url === "/mcp") response.writeHead(401, { "www-authenticate": challenge }).end();
  else response.writeHead(404).end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const origin = `http://127.0.0.1:${server.address().port}`;
const url = new URL(`${origin}/mcp`);
const redirectUrl = "http://127.0.0.1/back";
const authProvider = {
  redirectUrl,
  clientMetadata: { redirect_uris: [redirectUrl] },
  clientInformation: () => undefined,
  saveClientInformation: () => {},
  tokens: () => undefined,
  saveTokens: () => {},
  redirectToAuthorization: () => {},
  saveCodeVerifier: () => {},
  codeVerifier: () => "verifier",
};
const me = { name: "seen", version: "1" };
const clients = {
  "@modelcontextprotocol/sdk": () => new Client1(me).connect(new Transport1(url, { authProvider })),
  "@modelcontextprotocol/client": () => new Client(me).connect(new StreamableHTTPClientTransport(url, { authProvider })),
  "@ai-sdk/mcp": () => createMCPClient({ transport: { type: "http", url: url.href, authProvider } }),
};
const address = `${origin}/about/tools`;
const challenges = {
  alone: `Bearer resource_metadata="${address}"`,
  "behind Basic": `Basic realm="tools", Bearer resource_metadata="${address}"`,
  "in a second header": ['Basic realm="tools"', `Bearer resource_metadata="${address}"`],
  "in capitals": `Bearer Resource_Metadata="${address}"`,
  "with spaces": `Bearer resource_metadata = "${address}"`,
};
for (const [kind, value] of Object.entries(challenges)) {
  challenge = value;
  const found = [];
  for (const [name, connect] of Object.entries(clients)) {
    asked = [];
    await Promise.resolve(connect()).catch(() => {});
    if (asked.includes("/about/tools")) found.push(name);
  }
  const answer = new Response(null, { status: 401, headers: { "www-authenticate": [value].flat().join(", ") } });
  const challenged = await processRefreshTokenResponse({ issuer: origin }, { client_id: "me" }, answer).catch(({ cause }) => cause);
  if (Array.isArray(challenged) && challenged.some(({ parameters }) => parameters.resource_metadata === address)) found.push("oauth4webapi");
  console.log(`${kind}: found by ${found.join(", ") || "none"}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'alone: found by @modelcontextprotocol/sdk, @modelcontextprotocol/client, @ai-sdk/mcp, oauth4webapi
behind Basic: found by oauth4webapi
in a second header: found by oauth4webapi
in capitals: found by @ai-sdk/mcp, oauth4webapi
with spaces: found by oauth4webapi' ]
