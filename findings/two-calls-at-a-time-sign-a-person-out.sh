#!/usr/bin/env bash
# A program uses an MCP server for which a person has signed in. The access token has expired, and an agent calls two tools at a time. The server of OAuth takes each refresh token once, as OAuth 2.1 asks of it for public clients.
# Expected: one refresh for both calls, and both succeed.
# Seen on 2026-11-30: @modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/client 2.4.0 refresh once for each call, with the same refresh token. The second is refused, so the client throws away the tokens, also those
# that the first has just got, and sends the person to sign in again. One call after the other works, so tests do not show it. @ai-sdk/mcp 2.0.99, google-auth-library 11.3.4 and @badgateway/oauth2-client 3.3.1 refresh
# once for both. A program with the first two can let its calls wait for each other while one of them refreshes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99 google-auth-library@11.3.4 @badgateway/oauth2-client@3.3.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createMCPClient } from "@ai-sdk/mcp";
import { OAuth2Client as BadgatewayClient, OAuth2Fetch } from "@badgateway/oauth2-client";
import * as v2 from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { OAuth2Client } from "google-auth-library";
let events = [];
let access;
let refresh;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const answer = (status, value, headers) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  if (request.url.includes("oauth-protected-resource")) return answer(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
  if (request.url.includes(".well-known")) {
    return answer(200, { issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token`, response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"], code_challenge_methods_supported: ["S256"], token_endpoint_auth_methods_supported: ["none"] });
  }
  if (request.url === "/token") {
    const given = new URLSearchParams(body).get("refresh_token");
    events.push("refresh");
    await wait(100);
    if (given !== refresh) return answer(400, { error: "invalid_grant" });
    [access, refresh] = ["access-1", "refresh-1"];
    return answer(200, { access_token: access, refresh_token: refresh, expires_in: 3600, token_type: "Bearer" });
  }
  if (request.method !== "POST") return answer(405, {});
  if (request.headers.authorization !== `Bearer ${access}`) return answer(401, {}, { "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` });
  if (body === "") return answer(200, {});
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  const result = { initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tools", version: "1" } },
    "tools/list": { tools: [{ name: "hash", inputSchema: { type: "object" } }] }, "tools/call": { content: [{ type: "text", text: "done" }] } }[method];
  return answer(200, result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
});
await once(server.listen(0, "127.0.0.1"), "listening");
const origin = `http://127.0.0.1:${server.address().port}`;
const url = new URL(`${origin}/mcp`);
const provider = () => {
  let tokens = { access_token: "access-0", refresh_token: "refresh-0", token_type: "Bearer", issuer: origin, authorization_server: `${origin}/`, token_endpoint: `${origin}/token` };
  const redirectUrl = "http://localhost/back";
  const clientMetadata = { client_name: "agent", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" };
  return { redirectUrl, clientMetadata, clientInformation: () => ({ client_id: "agent", redirect_uris: [redirectUrl], issuer: origin }), saveClientInformation() {}, tokens: () => tokens,
    saveTokens: (saved) => { tokens = saved; }, redirectToAuthorization: () => { events.push("sign in again"); }, saveCodeVerifier() {}, codeVerifier: () => "verifier",
    invalidateCredentials: (scope) => { events.push(`throws away ${scope}`); tokens = undefined; } };
};
const connected = async (client, transport) => {
  await client.connect(transport);
  return () => client.callTool({ name: "hash", arguments: {} });
};
const clients = {
  "@modelcontextprotocol/sdk": () => connected(new Client({ name: "agent", version: "1" }), new StreamableHTTPClientTransport(url, { authProvider: provider() })),
  "@modelcontextprotocol/client": () => connected(new v2.Client({ name: "agent", version: "1" }), new v2.StreamableHTTPClientTransport(url, { authProvider: provider() })),
  "@ai-sdk/mcp": async () => {
    const tools = await (await createMCPClient({ transport: { type: "http", url: url.href, authProvider: provider() } })).tools();
    return () => tools.hash.execute({}, { toolCallId: "1", messages: [] });
  },
  "google-auth-library": async () => {
    const client = new OAuth2Client({ clientId: "agent", clientSecret: "secret", endpoints: { oauth2TokenUrl: `${origin}/token` } });
    client.setCredentials({ access_token: "access-0", refresh_token: "refresh-0" });
    return () => client.request({ url: url.href, method: "POST" });
  },
  "@badgateway/oauth2-client": async () => {
    const client = new BadgatewayClient({ server: origin, tokenEndpoint: "/token", clientId: "agent" });
    const oauth = new OAuth2Fetch({ client, getNewToken: () => null, scheduleRefresh: false, getStoredToken: () => ({ accessToken: "access-0", refreshToken: "refresh-0", expiresAt: Date.now() + 3_600_000 }) });
    return async () => {
      if (!(await oauth.fetch(url.href, { method: "POST" })).ok) throw new Error("refused");
    };
  },
};
for (const [name, connect] of Object.entries(clients)) {
  [access, refresh] = ["access-0", "refresh-0"];
  const call = await connect();
  access = "expired";
  events = [];
  const results = await Promise.all([call, call].map((make) => make().then(() => "done", () => "refused")));
  console.log(`${name}: ${results.sort().join(" and ")}; ${events.sort().join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = '@modelcontextprotocol/sdk: done and refused; refresh, refresh, sign in again, throws away tokens
@modelcontextprotocol/client: done and refused; refresh, refresh, sign in again, throws away tokens
@ai-sdk/mcp: done and done; refresh
google-auth-library: done and done; refresh
@badgateway/oauth2-client: done and done; refresh' ]
