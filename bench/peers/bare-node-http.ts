import { hash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dataUrl } from "#tools/base64.ts";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { drawQrSvg, layOutQr } from "#tools/qr-code/draw.ts";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import { writeQrPng } from "#tools/qr-code/png.ts";

/**
 * The baseline: the minimum that a `node:http` server must do for the same responses. It reads and parses the body and responds,
 * without key, ledger, limits, validation or log. Markdown and QR codes come from Toolbooth's own engines. The difference is
 * the cost of Toolbooth beyond HTTP and its engines.
 */
type Body = { text: string; count: number; markdown: string; format: string; width: number };

const RESPONSES: Record<string, (body: Body) => unknown> = {
  "/api/v1/hash"({ text }) {
    const hex = hash("sha256", text);
    return { ok: true, algorithm: "SHA256", hash: hex, length: hex.length };
  },
  "/api/v1/uuid"({ count }) {
    return {
      ok: true,
      count,
      uppercase: false,
      uuids: Array.from({ length: count }, () => randomUUID()),
    };
  },
  "/api/v1/markdown-render": ({ markdown }) => ({
    ok: true,
    html: renderMarkdown(markdown, false).html,
  }),
  "/api/v1/qr-code"({ text, format, width }) {
    const symbol = encodeQr(text, "M") as QrSymbol;
    const isPng = format === "png";
    return {
      ok: true,
      format,
      errorCorrectionLevel: "M",
      width,
      mimeType: isPng ? "image/png" : "image/svg+xml",
      output: isPng
        ? dataUrl("image/png", writeQrPng(symbol, layOutQr(symbol.size, width)))
        : drawQrSvg(symbol, width),
    };
  },
  "/api/v1/echo": (body) => ({ ok: true, receivedAt: new Date().toISOString(), body }),
};

function result(request: IncomingMessage, response: ServerResponse): void {
  const make = RESPONSES[request.url ?? ""];
  if (make === undefined || request.method !== "POST") {
    response.writeHead(404, { "Content-Length": 0 }).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const first = chunks[0] ?? Buffer.alloc(0);
    const body = chunks.length > 1 ? Buffer.concat(chunks) : first;
    const text = JSON.stringify(make(JSON.parse(body.toString()) as Body));
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
    });
    response.end(text);
  });
}

const server = createServer(result);
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`Bare node:http listens on http://127.0.0.1:${port}\n`);
});
