/** The official client of MCP, connected to a service as its tests see it. */
import {
  Client,
  type FetchLike,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { Sent, TestService } from "./test-api.ts";

/** The last revision without `initialize`, and all before it that speak streamable HTTP. */
export const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const;
export type Revision = (typeof REVISIONS)[number];

type Connection = {
  key: string;
  revision: Revision;
  /** Left out, the requests go to `url`. */
  fetch?: FetchLike;
  url?: string;
};

/** The client as a host connects it. */
export async function connectMcp({ key, revision, fetch, url = ANYWHERE }: Connection) {
  const info = { name: "toolbooth-test", version: "1.0.0" };
  const client = new Client(
    info,
    revision === "2026-07-28"
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision] },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...(fetch === undefined ? {} : { fetch }),
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return client;
}

const ANYWHERE = "http://toolbooth.test/mcp";

export const fetchOf =
  (service: TestService) =>
  async (_: string | URL, init: RequestInit = {}): Promise<Response> => {
    const sent: Sent = {
      method: init.method ?? "GET",
      headers: [...new Headers(init.headers)],
      ...(typeof init.body === "string" ? { body: init.body } : {}),
    };
    const { status, headers, bytes } = await service.send("/mcp", sent);
    const hasBody = bytes.byteLength > 0;
    return new Response(hasBody ? bytes : null, { status, headers });
  };
