import { crc32, deflateSync } from "node:zlib";
import { fastify } from "fastify-5";
import MarkdownIt from "markdown-it";
import { encodeQR } from "qr";
import sanitizeHtml from "sanitize-html";
import { openUsualLedger } from "./usual-ledger.ts";
import {
  bearerKey,
  ERROR_STATUS,
  echo,
  generateUuids,
  hashText,
  type QrInput,
  qrResult,
} from "./usual-tools.ts";

/**
 * The faster build: Fastify 5 with markdown-it, sanitize-html, qr and better-sqlite3, with a JSON schema for each body, which
 * Fastify compiles. Like the Express build, it writes no log, has no metrics and no rate limit.
 */
const markdownIt = new MarkdownIt({ html: true, linkify: true });
const allowedTags = [...sanitizeHtml.defaults.allowedTags, "img"];
const ledger = openUsualLedger(process.env["DATA_DIR"] ?? "");

const app = fastify({ bodyLimit: 2 * 1024 * 1024 });

/** Runs the tool, charges the key and responds, so that a call that fails costs nothing. */
function addTool(
  name: string,
  properties: Record<string, object>,
  run: (body: never) => unknown,
): void {
  const schema = { body: { type: "object", required: Object.keys(properties), properties } };
  app.post(`/api/v1/${name}`, { schema }, (request, reply) => {
    const result = run(request.body as never);
    const charge = ledger.charge(bearerKey(request.headers.authorization), name);
    if (charge === "charged") reply.send(result);
    else reply.code(ERROR_STATUS[charge]).send({ error: charge });
  });
}

const TEXT = { type: "string" };
addTool("hash", { text: TEXT, algorithm: { enum: ["sha256"] } }, hashText);
addTool(
  "uuid",
  { count: { type: "integer", minimum: 1, maximum: 500 }, uppercase: { type: "boolean" } },
  generateUuids,
);
addTool("echo", {}, echo);
addTool("markdown-render", { markdown: TEXT }, ({ markdown }: { markdown: string }) => ({
  ok: true,
  html: sanitizeHtml(markdownIt.render(markdown), { allowedTags }),
}));
addTool(
  "qr-code",
  {
    text: TEXT,
    format: { enum: ["png", "svg"] },
    width: { type: "integer", minimum: 64, maximum: 2048 },
  },
  (input: QrInput) => {
    const output =
      input.format === "svg"
        ? encodeQR(input.text, "svg", { ecc: "medium", border: 4 })
        : drawPng(encodeQR(input.text, "raw", { ecc: "medium", border: 4 }), input.width);
    return qrResult(input, output);
  },
);

/** The package qr draws no PNG. This writes one bit per pixel and leaves the compression to zlib. */
function drawPng(modules: boolean[][], width: number): string {
  const scale = Math.max(1, Math.floor(width / modules.length));
  const offset = Math.floor((width - scale * modules.length) / 2);
  const rowBytes = 1 + Math.ceil(width / 8);
  const light = Buffer.alloc(rowBytes, 0xff);
  light[0] = 0;
  const drawn = modules.map((row) => {
    const bytes = Buffer.from(light);
    for (const [x, isDark] of row.entries()) {
      if (!isDark) continue;
      for (let at = offset + x * scale; at < offset + (x + 1) * scale; at += 1) {
        bytes[1 + (at >> 3)] = (bytes[1 + (at >> 3)] as number) & ~(0x80 >> (at & 7));
      }
    }
    return bytes;
  });
  const rows = Array.from(
    { length: width },
    (_, y) => drawn[Math.floor((y - offset) / scale)] ?? light,
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  // One bit per pixel, in shades of gray.
  header[8] = 1;
  const file = Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${file.toString("base64")}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const bounds = Buffer.alloc(8);
  bounds.writeUInt32BE(data.length, 0);
  bounds.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([bounds.subarray(0, 4), body, bounds.subarray(4)]);
}

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.stdout.write(`Fastify listens on ${address}\n`);
