import type { App } from "#api/app.ts";
import type { CreateSite } from "#api/routes.ts";
import { createToolCalls } from "#api/tool-calls.ts";
import type { AppContext } from "#calls/app-context.ts";
import { asWebResponse } from "#calls/exchange.ts";
import type { LazyTool, Tool } from "#tools/define-tool.ts";

/**
 * The API at the edge. The path of a call, as nearly all clients send it, is looked up in a list. Everything else needs the router: the
 * account, health, errors of paths and methods. It is a module that the first such request loads (docs/decisions/0060).
 */
export function createEdgeApi(
  context: AppContext,
  tools: readonly (Tool | LazyTool)[],
  createSite: CreateSite | null = null,
): { fetch(request: Request): Promise<Response> } {
  const calls = createToolCalls(context, tools);
  // Not the promise, because a request may not wait for that of another one.
  let app: App | undefined;

  return {
    async fetch(request) {
      const call = request.method === "POST" ? calls.byPath.get(pathOf(request.url)) : undefined;
      // The request tells the handlers the client's address.
      if (call !== undefined) {
        const response = call(request, request).then(asWebResponse);
        // Without this, a client that disconnects would end the work, and never release the call's memory.
        context.waitUntil?.(response);
        return response;
      }
      const { createApp } = await import("#api/app.ts");
      app ??= createApp(calls, createSite);
      return app.fetch(request, request);
    },
  };
}

/** As it was sent: a path with escapes is for the router. */
const pathOf = (url: string): string => /^[^:]+:\/\/[^/?#]+([^?#]*)/.exec(url)?.[1] ?? "";
