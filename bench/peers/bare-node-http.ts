import { hash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { drawQrSvg } from "#tools/qr-code/draw.ts";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";

/**
 * The baseline: the minimum that a `node:http` server must do for the responses of the small calls. It reads and parses the body
 * and responds, without key, ledger, limits, validation or log. Markdown and QR codes come from Toolbooth's own engines, so the
 * difference is the cost of Toolbooth beyond HTTP and its engines.
 */
type Body = { text: string; count: number; markdown: string; width: number };

const RESPONSES: Record<string, (body: Body) => unknown> = {
  "/api/v1/hash"({ text }) {
    const hex = hash("sha256", text);
    return { ok: true, algorithm: "SHA256", hash: hex, length: hex.length };
  },
  "/api/v1/uuid"({ count }) {
    const uuids = Array.from({ length: count }, () => randomUUID());
    return { ok: true, count, uppercase: false, uuids };
  },
  "/api/v1/markdown-render": ({ markdown }) => ({
    ok: true,
    html: renderMarkdown(markdown, false).html,
  }),
  "/api/v1/qr-code"({ text, width }) {
    const output = drawQrSvg(encodeQr(text, "M") as QrSymbol, width);
    const shared = { ok: true, format: "svg", errorCorrectionLevel: "M", width };
    return { ...shared, mimeType: "image/svg+xml", output };
  },
  "/api/v1/echo": (body) => ({ ok: true, receivedAt: new Date().toISOString(), body }),
};

const server = createServer((request, response) => {
  const respond = RESPONSES[request.url ?? ""];
  if (respond === undefined || request.method !== "POST") {
    response.writeHead(404, { "Content-Length": 0 }).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = JSON.stringify(respond(JSON.parse(Buffer.concat(chunks).toString()) as Body));
    const length = Buffer.byteLength(text);
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": length });
    response.end(text);
  });
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`Bare node:http listens on http://127.0.0.1:${port}\n`);
});
