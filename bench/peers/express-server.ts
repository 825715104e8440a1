import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import createDOMPurify, { type WindowLike } from "dompurify";
import express, { type RequestHandler } from "express-5";
import { Marked } from "marked";
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
 * What many would build instead: Express 5 with marked, DOMPurify on jsdom, node-qrcode and better-sqlite3. Each package is used
 * as its documentation shows. It writes no log, has no metrics and no rate limit, and checks only the fields that it reads.
 */
const require = createRequire(import.meta.url);
// Both packages have no types.
const { JSDOM } = require("jsdom") as { JSDOM: new (html: string) => { window: WindowLike } };
const qrcode = require("qrcode") as {
  toDataURL(text: string, options: object): Promise<string>;
  toString(text: string, options: object): Promise<string>;
};

const { sanitize } = createDOMPurify(new JSDOM("").window);
const marked = new Marked({ gfm: true, async: false });
const ledger = openUsualLedger(process.env["DATA_DIR"] ?? "");

type Fields = Record<string, unknown>;

/** Runs the tool, charges the key and responds, so that a call that fails costs nothing. */
const tool =
  (
    name: string,
    isValid: (body: Fields) => boolean,
    run: (body: never) => unknown,
  ): RequestHandler =>
  async (request, response) => {
    const body: unknown = request.body;
    if (typeof body !== "object" || body === null || !isValid(body as Fields)) {
      response.status(400).json({ error: "invalid_input" });
      return;
    }
    const result = await run(body as never);
    const charge = ledger.charge(bearerKey(request.headers.authorization), name);
    if (charge === "charged") response.json(result);
    else response.status(ERROR_STATUS[charge]).json({ error: charge });
  };

const app = express();
app.use(express.json({ limit: "2mb" }));
app.post(
  "/api/v1/hash",
  tool("hash", ({ text, algorithm }) => isText(text) && algorithm === "sha256", hashText),
);
app.post(
  "/api/v1/uuid",
  tool("uuid", ({ count }) => isBetween(count, 1, 500), generateUuids),
);
app.post(
  "/api/v1/echo",
  tool("echo", () => true, echo),
);
app.post(
  "/api/v1/markdown-render",
  tool(
    "markdown-render",
    ({ markdown }) => isText(markdown),
    ({ markdown }: { markdown: string }) => ({
      ok: true,
      html: sanitize(marked.parse(markdown, { async: false })),
    }),
  ),
);
app.post(
  "/api/v1/qr-code",
  tool(
    "qr-code",
    ({ text, format, width }) =>
      isText(text) && (format === "png" || format === "svg") && isBetween(width, 64, 2048),
    async (input: QrInput) => {
      const options = { errorCorrectionLevel: "M", margin: 4, width: input.width };
      const output =
        input.format === "png"
          ? await qrcode.toDataURL(input.text, options)
          : await qrcode.toString(input.text, { ...options, type: "svg" });
      return qrResult(input, output);
    },
  ),
);

const isText = (value: unknown) => typeof value === "string";
const isBetween = (value: unknown, min: number, max: number) =>
  typeof value === "number" && value >= min && value <= max;

const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Express listens on http://127.0.0.1:${port}\n`);
});
