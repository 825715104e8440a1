/**
 * The Model Context Protocol as a server without sessions speaks it: what a message must have, which revision it belongs
 * to, and how a response is written. Responses are written as text, so that what a tool returns reaches the client as it is.
 */

/** The codes of JSON-RPC 2.0 (section 5.1), and those that MCP adds. */
export const CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** The first code that JSON-RPC leaves to implementations. */
  server: -32_000,
  headerMismatch: -32_020,
  unsupportedRevision: -32_022,
} as const;

/** An error of the protocol. `status` is that of the HTTP response, unless the message is in a batch. */
export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;

  constructor(code: number, message: string, { status = 200, data }: RpcErrorOptions = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

type RpcErrorOptions = { status?: number; data?: unknown };

/** A revision that starts with `initialize`, the newest first. */
const LEGACY_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
/** In these each request names its revision, in `_meta` and in a header. */
export const MODERN_REVISIONS = ["2026-07-28"];
export const FIRST_WITHOUT_BATCHES = "2025-06-18";

/** Revisions are dates. */
const isModern = (revision: string) => revision >= "2026-07-28";

export type Id = string | number;
export type Params = Record<string, unknown>;

/** `isModern`: of a revision since 2026-07-28. */
export type RpcRequest = {
  id: Id;
  method: string;
  params: Params;
  meta: Params;
  isModern: boolean;
};

/** Reads a message. Null for one that has no response: a notification, or a response of the client. Throws an `RpcError`. */
export function readMessage(message: unknown, headers: Headers): RpcRequest | null {
  if (!isObject(message)) throw invalid("A message is a JSON object.");
  if (message["jsonrpc"] !== "2.0") throw invalid('The member `jsonrpc` must be "2.0".');
  const { id, method } = message;
  if (method === undefined && ("result" in message || "error" in message)) return null;
  if (typeof method !== "string") throw invalid("The member `method` must be a string.");
  if (id !== undefined && !isId(id)) {
    throw invalid("The member `id` must be a string or a whole number below 2^53.");
  }
  // JSON-RPC has no response to a notification, whatever is wrong with it.
  if (id === undefined) return null;
  const params = objectOrNone(message["params"], "`params`");
  const meta = objectOrNone(params["_meta"], "`_meta`");
  const request = { id, method, params, meta };
  return { ...request, isModern: checkRevision(request, headers) };
}

/** The id of a message that is not valid, if it has one. */
export const idOf = (message: unknown): Id | null =>
  isObject(message) && isId(message["id"]) ? message["id"] : null;

const isId = (id: unknown): id is Id => typeof id === "string" || Number.isSafeInteger(id);

export const isObject = (value: unknown): value is Params =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Null counts as left out. */
function objectOrNone(value: unknown, name: string): Params {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new RpcError(CODES.invalidParams, `${name} must be an object.`);
}

const invalid = (text: string) => new RpcError(CODES.invalidRequest, text, { status: 400 });

const ENVELOPE = "io.modelcontextprotocol/";
const REVISION_META = `${ENVELOPE}protocolVersion`;
const SERVER_META = `${ENVELOPE}serverInfo`;

type Sent = Pick<RpcRequest, "method" | "params" | "meta">;

/** Returns whether the request belongs to a modern revision. Throws an `RpcError` where headers and message do not fit. */
function checkRevision(request: Sent, headers: Headers): boolean {
  const { method, meta } = request;
  const header = headers.get("mcp-protocol-version");
  if (!(REVISION_META in meta)) {
    if (header === null || method === "initialize") return false;
    if (isModern(header)) {
      const text = `MCP-Protocol-Version names revision ${shown(header)}, so \`_meta\` must have "${REVISION_META}".`;
      throw new RpcError(CODES.invalidParams, text, { status: 400 });
    }
    if (LEGACY_REVISIONS.includes(header)) return false;
    const known = [...MODERN_REVISIONS, ...LEGACY_REVISIONS].join(", ");
    const text = `Unsupported protocol version: ${shown(header)}. This server speaks ${known}.`;
    throw new RpcError(CODES.server, text, { status: 400 });
  }
  const revision = checkEnvelope(meta);
  if (header === null) throw mismatch("the header MCP-Protocol-Version is missing");
  if (header !== revision) {
    throw mismatch(`MCP-Protocol-Version is ${shown(header)}, \`_meta\` has ${shown(revision)}`);
  }
  if (!MODERN_REVISIONS.includes(revision)) {
    throw new RpcError(
      CODES.unsupportedRevision,
      `Unsupported protocol version: ${shown(revision)}`,
      { status: 400, data: { supported: MODERN_REVISIONS, requested: revision } },
    );
  }
  checkMirrors(request, headers);
  return true;
}

function checkEnvelope(meta: Params): string {
  const capabilities = `${ENVELOPE}clientCapabilities`;
  const revision = meta[REVISION_META];
  const fault =
    typeof revision !== "string"
      ? `"${REVISION_META}" must be a string`
      : isObject(meta[capabilities])
        ? null
        : `"${capabilities}" must be an object`;
  if (fault === null) return revision as string;
  throw new RpcError(CODES.invalidParams, `Invalid \`_meta\`: ${fault}.`, { status: 400 });
}

/** Proxies route by these headers, so they must say the same as the message. */
function checkMirrors({ method, params }: Sent, headers: Headers): void {
  const sentMethod = headers.get("mcp-method");
  if (sentMethod !== method) {
    throw mismatch(`Mcp-Method is ${shown(sentMethod)}, the method ${shown(method)}`);
  }
  if (method !== "tools/call" || typeof params["name"] !== "string") return;
  const sentName = decodeName(headers.get("mcp-name"));
  if (sentName !== params["name"]) {
    throw mismatch(`Mcp-Name is ${shown(sentName)}, the tool ${shown(params["name"])}`);
  }
}

/** A name that is not ASCII comes as `=?base64?…?=`. */
function decodeName(sent: string | null): string | null {
  const [, base64] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(sent ?? "") ?? [];
  if (base64 === undefined) return sent;
  try {
    const bytes = Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const mismatch = (text: string) =>
  new RpcError(CODES.headerMismatch, `Headers and message differ: ${text}.`, { status: 400 });

const shown = (text: string | null) =>
  text === null ? "missing" : JSON.stringify(text.slice(0, 100));

/** The revision for a client that starts with `initialize`: the one that it asks for, or the newest. */
export const negotiate = (asked: unknown): string =>
  LEGACY_REVISIONS.find((each) => each === asked) ?? (LEGACY_REVISIONS[0] as string);

/** The beginning of a response with a result; `}` ends it. */
export const resultHead = (id: Id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

export function errorText(
  { code, message, data }: Pick<RpcError, "code" | "message"> & { data?: unknown },
  id: Id | null,
): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}

/** What every result of a modern revision has besides its own members. */
export const modernMembers = (serverInfo: unknown, meta: Params = {}) => ({
  _meta: { ...meta, [SERVER_META]: serverInfo },
  resultType: "complete",
});
