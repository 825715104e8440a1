import { createHash, randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import Database from "better-sqlite3";
import createDOMPurify, { type WindowLike } from "dompurify";
import express, { type RequestHandler } from "express-5";
import { Marked } from "marked";

/**
 * What many would build instead: Express 5 with marked, DOMPurify on jsdom, node-qrcode and better-sqlite3, each used as its
 * documentation shows. A call is one transaction, synced before the response. It has no log, metrics, rate limit, idempotency,
 * expiry or history by account, and checks only the fields that it reads.
 */
const require = createRequire(import.meta.url);
// Both packages have no types.
const { JSDOM } = require("jsdom") as { JSDOM: new (html: string) => { window: WindowLike } };
const qrcode = require("qrcode") as { toString(text: string, options: object): Promise<string> };

const CREDITS = 1_000_000_000;
const [folder = "", ...keys] = process.argv.slice(2);
const database = new Database(path.join(folder, "express.sqlite"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(`
  CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
  CREATE TABLE api_key (sha256 TEXT PRIMARY KEY, account INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE debit (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, tool TEXT NOT NULL, at INTEGER NOT NULL);
`);
const sha256Of = (key: string) => createHash("sha256").update(key).digest("hex");
database.transaction(() => {
  const openAccount = database.prepare("INSERT INTO account (balance) VALUES (?)");
  const createKey = database.prepare("INSERT INTO api_key (sha256, account) VALUES (?, ?)");
  for (const key of keys) createKey.run(sha256Of(key), openAccount.run(CREDITS).lastInsertRowid);
})();

const findKey = database.prepare<[string], { account: number }>(
  "SELECT account FROM api_key WHERE sha256 = ?",
);
const debit = database.prepare(
  "UPDATE account SET balance = balance - 1 WHERE id = ? AND balance >= 1",
);
const record = database.prepare("INSERT INTO debit (account, tool, at) VALUES (?, ?, ?)");
/** Returns the status of the response. */
const charge = database.transaction((key: string, tool: string): number => {
  const found = findKey.get(sha256Of(key));
  if (found === undefined) return 401;
  if (debit.run(found.account).changes === 0) return 402;
  record.run(found.account, tool, Date.now());
  return 200;
});

type Fields = {
  text: string;
  algorithm: string;
  count: number;
  uppercase: boolean;
  markdown: string;
  format: string;
  width: number;
};

const { sanitize } = createDOMPurify(new JSDOM("").window);
const marked = new Marked({ gfm: true, async: false });
const app = express();
app.use(express.json({ limit: "2mb" }));

/** Runs the tool, charges the key and responds, so that a call that fails costs nothing. */
function addTool(
  name: string,
  isValid: (body: Record<string, unknown>) => boolean,
  run: (body: Fields) => unknown,
): void {
  const handler: RequestHandler = async (request, response) => {
    const body: unknown = request.body;
    if (typeof body !== "object" || body === null || !isValid({ ...body })) {
      response.status(400).json({ error: "invalid_input" });
      return;
    }
    const result = await run(body as Fields);
    const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const status = charge.immediate(key, name);
    if (status === 200) response.json(result);
    else response.status(status).json({ error: "not_charged" });
  };
  app.post(`/api/v1/${name}`, handler);
}

const isText = (value: unknown) => typeof value === "string";
const isBetween = (value: unknown, min: number, max: number) =>
  typeof value === "number" && value >= min && value <= max;

addTool(
  "hash",
  ({ text, algorithm }) => isText(text) && algorithm === "sha256",
  ({ text, algorithm }) => {
    const hash = createHash(algorithm).update(text).digest("hex");
    return { ok: true, algorithm: algorithm.toUpperCase(), hash, length: hash.length };
  },
);
addTool(
  "uuid",
  ({ count }) => isBetween(count, 1, 500),
  ({ count, uppercase }) => {
    const uuids = Array.from({ length: count }, () => randomUUID() as string);
    const cased = uppercase ? uuids.map((uuid) => uuid.toUpperCase()) : uuids;
    return { ok: true, count, uppercase, uuids: cased };
  },
);
addTool(
  "echo",
  () => true,
  (body) => ({ ok: true, receivedAt: new Date().toISOString(), body }),
);
addTool(
  "markdown-render",
  ({ markdown }) => isText(markdown),
  ({ markdown }) => ({ ok: true, html: sanitize(marked.parse(markdown, { async: false })) }),
);
addTool(
  "qr-code",
  ({ text, format, width }) => isText(text) && format === "svg" && isBetween(width, 64, 2048),
  async ({ text, format, width }) => {
    const options = { type: "svg", errorCorrectionLevel: "M", margin: 4, width };
    const shared = { ok: true, format, errorCorrectionLevel: "M", width };
    return { ...shared, mimeType: "image/svg+xml", output: await qrcode.toString(text, options) };
  },
);

const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Express listens on http://127.0.0.1:${port}\n`);
});
