import assert from "node:assert/strict";
import type { DashboardApp } from "#api/dashboard/dashboard-app.ts";
import { clock } from "./clock.ts";

/** A browser: its cookies, its network address, and what it sends by itself. */
export type ApiResponse = {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the body; null where there is none. */
  body: unknown;
  code: string | undefined;
};
export type Browser = ReturnType<typeof openBrowser>;
type Place = { app: DashboardApp; publicUrl: string; settle(): Promise<void> };

let addresses = 0;
/** Each its own and in a network of its own, also for what counts by address for a whole process. */
export function newAddress(): string {
  addresses += 1;
  return `10.${addresses & 255}.${(addresses >> 8) & 255}.1`;
}

export function openBrowser({ app, publicUrl, settle }: Place, peer: string | null = newAddress()) {
  const cookies = new Map<string, string>();
  const origin = new URL(publicUrl).origin;

  async function send(
    method: string,
    path: string,
    body?: unknown,
    given: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const headers = new Headers({ origin, "sec-fetch-site": "same-origin" });
    if (cookies.size > 0) {
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    if (body !== undefined) headers.set("content-type", "application/json");
    for (const [name, value] of Object.entries(given)) {
      if (value === "") headers.delete(name);
      else headers.set(name, value);
    }
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const init = { method, headers, ...(text === undefined ? {} : { body: text as string }) };
    const response = await app.fetch(new Request(origin + path, init), peer);
    for (const cookie of response.headers.getSetCookie()) keep(cookie);
    return read(response);
  }

  function keep(cookie: string): void {
    const [pair = ""] = cookie.split(";");
    const name = pair.slice(0, pair.indexOf("="));
    if (/max-age=0\b/i.test(cookie)) cookies.delete(name);
    else cookies.set(name, pair.slice(name.length + 1));
  }

  /** People do not click twice within a quarter of a second. */
  async function act(...order: Parameters<typeof send>): Promise<ApiResponse> {
    clock.advance(250);
    const result = await send(...order);
    await settle();
    return result;
  }

  return {
    ...{ cookies, peer, send },
    get: (path: string) => send("GET", path),
    post: (path: string, body: unknown = {}) => act("POST", path, body),
    put: (path: string, body: unknown) => act("PUT", path, body),
    patch: (path: string, body: unknown) => act("PATCH", path, body),
    delete: (path: string) => act("DELETE", path),
  };
}

async function read(response: Response): Promise<ApiResponse> {
  const text = await response.text();
  const { status, headers } = response;
  const isJson = !/^(?:text\/csv|application\/jsonl)/.test(headers.get("content-type") ?? "");
  const body = text === "" || !isJson ? null : JSON.parse(text);
  assert.ok(headers.get("x-request-id"), "every answer has a request id");
  return { status, headers, text, body, code: body?.code };
}
