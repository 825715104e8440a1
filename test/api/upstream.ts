import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { bodyOf, serveHttp } from "../support/http-server.ts";

/** A service behind a tool, which does what its path says. */

export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
export type Upstream = { base: string; received: Received[] };

const JSON_TYPE = { "Content-Type": "application/json" };

const RESPONSES: Record<string, (response: ServerResponse, body: string, query: string) => void> = {
  "/well": (response, body) => response.writeHead(200, JSON_TYPE).end(body || '{"n":1}'),
  "/list": (response) => response.writeHead(200, JSON_TYPE).end("[1, 2.0]"),
  "/empty": (response) => response.writeHead(204).end(),
  "/image": (response) =>
    response.writeHead(200, { "Content-Type": "image/png" }).end(Buffer.from([137, 80, 78, 71, 0])),
  "/page": (response) =>
    response.writeHead(200, { "Content-Type": "text/html; charset=latin1" }).end("<b>a</b>"),
  "/untyped": (response) => response.writeHead(200).end("a"),
  "/wrong": (response) =>
    response
      .writeHead(422, { "Content-Type": "application/problem+json" })
      .end('{"title":"No","detail":"There is no such pet."}'),
  "/missing": (response) => response.writeHead(404, { "Content-Type": "text/plain" }).end("Gone."),
  "/denies": (response) => response.writeHead(401, JSON_TYPE).end('{"detail":"A wrong token."}'),
  "/forbids": (response) => response.writeHead(403).end(),
  "/throttles": (response) => response.writeHead(429, { "Retry-After": "1" }).end(),
  "/fails": (response) => response.writeHead(500).end("stack trace"),
  "/away": (response) => response.writeHead(503).end(),
  "/moved": (response) => response.writeHead(302, { Location: "/well" }).end(),
  "/returns": (response, _, query) => response.writeHead(302, { Location: `/?${query}` }).end(),
  "/hangs": () => {},
  "/stalls": (response) => response.writeHead(200, JSON_TYPE).write("["),
  "/floods": (response) => {
    response.writeHead(200, JSON_TYPE);
    const more = () => response.destroyed || response.write("0".repeat(65_536), more);
    more();
  },
  "/resets": (response) => response.socket?.resetAndDestroy(),
  "/breaks": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "Content-Length": "100" }).write("[");
    setTimeout(() => response.socket?.destroy(), 5);
  },
  "/lies": (response) => response.writeHead(200, JSON_TYPE).end("<html>"),
};

export async function openUpstream(t: Pick<TestContext, "after">): Promise<Upstream> {
  const received: Received[] = [];
  const base = await serveHttp(t, async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await bodyOf(request);
    received.push({ method, url, headers, body });
    const [path = "", query = ""] = url.split("?");
    const respond = RESPONSES[path] ?? (RESPONSES["/well"] as (typeof RESPONSES)[string]);
    respond(response, body, query);
  });
  return { base, received };
}
