import { Hono } from "hono";
import { Fault } from "#errors.ts";
import { createIdSequence } from "#ids.ts";
import { createThrottle } from "#ledger/throttle.ts";
import { dropBody } from "./body.ts";
import { createCallTool } from "./call-tool.ts";
import type { House } from "./house.ts";
import { createOperations } from "./operations.ts";
import { createReplier, milliseconds, type Trace } from "./reply.ts";
import { type CreateSite, createRoutes, type Handler, type Route } from "./routes.ts";

/**
 * The service as a function from a request to a response. A door of any runtime calls `fetch`; `connection` is what the
 * door knows of the peer and is handed on to `house.isLocal` untouched.
 *
 * Here, and only here, faults become refusals, and anything else that was thrown becomes a 500 of which nothing leaks.
 */
export type App = {
  fetch(request: Request, connection?: unknown): Response | Promise<Response>;
  /** The refusal of what never became a request: the door found it out. `headers`: as far as they are known. */
  refuse(fault: Fault, headers: Headers): Promise<Response>;
};

/** A request id of the caller's is kept when it is harmless in a header and a log. */
const REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/** `createSite`: what there is besides the calls; null where that is elsewhere. */
export function createApp(house: House, createSite: CreateSite | null): App {
  const throttle = createThrottle(house.settings.rateLimit);
  const replier = createReplier(house, throttle.policy);
  const callTool = createCallTool(house, replier, throttle);
  const operations = createOperations(house, replier);
  const site = createSite?.(house, replier);
  const routes = [...createRoutes(replier, callTool, operations), ...(site?.routes ?? [])];
  const newId = createIdSequence(house.random);

  function createTrace(
    headers: Headers,
    method: string,
    route: string,
    tool: string | null,
  ): Trace {
    const given = headers.get("x-request-id");
    return {
      requestId: given !== null && REQUEST_ID.test(given) ? given : newId("req"),
      method,
      route,
      tool,
      startedAt: house.elapsed(),
      receivedAt: house.now(),
      account: null,
      charged: null,
      balance: null,
      rate: null,
      replayed: false,
      timing: "",
      code: null,
    };
  }

  function note(trace: Trace, status: number): void {
    house.observe({
      requestId: trace.requestId,
      method: trace.method,
      route: trace.route,
      tool: trace.tool,
      status,
      code: trace.code,
      account: trace.account,
      charged: trace.charged,
      replayed: trace.replayed,
      durationMs: milliseconds(house.elapsed() - trace.startedAt),
    });
  }

  async function visit(
    handler: Handler,
    request: Request,
    trace: Trace,
    bodyBytesMax: number,
    connection: unknown,
  ): Promise<Response> {
    let response: Response;
    try {
      response = await handler(request, trace, connection);
    } catch (thrown) {
      response = await refuse(thrown, request, trace, bodyBytesMax);
    }
    note(trace, response.status);
    return response;
  }

  async function refuse(
    thrown: unknown,
    request: Request,
    trace: Trace,
    bodyBytesMax: number,
  ): Promise<Response> {
    const fault = thrown instanceof Fault ? thrown : internal(thrown);
    if (fault.code === "internal" || fault.code === "unavailable") {
      house.complain(fault.message, { requestId: trace.requestId, cause: fault.cause });
    }
    const dropped = await dropBody(request, bodyBytesMax);
    return replier.problem(fault, request.headers, trace, dropped);
  }

  const app = new Hono();
  for (const route of routes) {
    app.all(route.path, (c) => {
      const request = c.req.raw;
      const trace = createTrace(request.headers, request.method, route.path, route.tool);
      return visit(chooseHandler(route, request), request, trace, route.bodyBytesMax, c.env);
    });
  }
  app.notFound((c) => {
    const request = c.req.raw;
    const trace = createTrace(request.headers, request.method, "none", null);
    const handler: Handler = (_, own) => {
      const asksForPage = request.method === "GET" || request.method === "HEAD";
      if (c.req.path.startsWith("/api/") || !asksForPage || site === undefined) {
        throw new Fault("not_found", `There is nothing at ${c.req.path.slice(0, 200)}.`);
      }
      return site.notFound(request, own, c.env);
    };
    return visit(handler, request, trace, 0, c.env);
  });

  return {
    fetch(request, connection) {
      const answer = app.fetch(request, connection as object);
      // A runtime that drops the work of a client who went away would never let go of what the call holds.
      house.waitUntil?.(Promise.resolve(answer));
      return answer;
    },
    async refuse(fault, headers) {
      const trace = createTrace(headers, "none", "none", null);
      const response = await replier.problem(fault, headers, trace, false);
      note(trace, response.status);
      return response;
    },
  };
}

function chooseHandler(route: Route, request: Request): Handler {
  const method = request.method === "HEAD" ? "GET" : request.method;
  const handler = route.methods[method];
  if (handler !== undefined) return handler;
  return () => {
    const allow = Object.keys(route.methods).flatMap((name) =>
      name === "GET" ? ["GET", "HEAD"] : [name],
    );
    throw new Fault(
      "method_not_allowed",
      `${request.method} is not allowed on ${route.path}; use ${allow[0]}.`,
      { headers: { Allow: allow.join(", ") } },
    );
  };
}

const internal = (cause: unknown) =>
  new Fault("internal", "Something went wrong on our side. The call was not charged.", { cause });
