import assert from "node:assert/strict";
import { request } from "node:http";
import { hostileNamed } from "../../tools/markdown-render/hostile-catalogue.ts";
import { ofBytes } from "../../tools/markdown-render/hostile-shapes.ts";
import type { EdgeAccount } from "./edge-ledger.ts";
import type { WorkerFixture } from "./fixture.ts";

/** The calls that take the most memory. */
export type Large = { tool: string; body: Buffer; responseChars: number };

const MB = 1024 * 1024;

const markdown = (name: string) => ofBytes(hostileNamed(name).make, MB - 3);
const escaped = (text: string) =>
  text.replaceAll(/./gs, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const large = (tool: string, body: string, responseChars: number): Large => ({
  tool,
  body: Buffer.from(body),
  responseChars,
});

const quotes = () => markdown("containers: quotes 99 deep in every paragraph");

/** The largest known response: 28 times the document. As a string with a wide character in every part, it would take twice that. */
export function largestResponse(): Large {
  const wide = quotes().replaceAll(">\n", ">中\n").slice(0, 1_000_000);
  return large("markdown-render", JSON.stringify({ markdown: wide, format: "text" }), 26 * MB);
}

/** The largest body, with little work and a small response. */
export const largestHash = (): Large => large("hash", `{"text":"${escaped("x".repeat(MB))}"}`, 60);

export function worstCalls(): Large[] {
  const cells = markdown("tables: one column without bars");
  return [
    largestResponse(),
    large("markdown-render", JSON.stringify({ markdown: `${cells}中` }), 19 * MB),
    large("markdown-render", `{"markdown":"${escaped(quotes())}"}`, 28 * MB),
    largestHash(),
    large("echo", JSON.stringify("中".repeat(340_000)), 340_000),
  ];
}

type ApiResponse = {
  status: number;
  retryAfter: string | undefined;
  charged: string;
  chars: number;
};

/** Returns the response, or null if the connection was closed during a rejected body that arrived too slowly. */
export const send = (fixture: WorkerFixture, account: EdgeAccount, { tool, body }: Large) =>
  sendTo(fixture, account, `/api/v1/${tool}`, body);

export function sendTo({ base }: WorkerFixture, { key }: EdgeAccount, path: string, body: Buffer) {
  return new Promise<ApiResponse | null>((resolve) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = request(base + path, { method: "POST", headers, agent: false });
    sent.on("error", () => resolve(null));
    sent.on("response", (response) => {
      let chars = 0;
      let bytes = 0;
      const decoder = new TextDecoder();
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chars += decoder.decode(chunk, { stream: true }).length;
      });
      response.on("error", () => resolve(null));
      response.on("end", () => {
        const contentLength = response.headers["content-length"];
        if (contentLength !== undefined) assert.equal(Number(contentLength), bytes);
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers["retry-after"],
          charged: String(response.headers["credits-charged"] ?? "0"),
          chars,
        });
      });
    });
    sent.end(body);
  });
}
