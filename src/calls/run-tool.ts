import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { checkInput, type SentInput } from "#tools/check-input.ts";
import type { LongText, Tool, ToolContext } from "#tools/define-tool.ts";
import { isLongText } from "#tools/long-text.ts";
import { encodeUtf8 } from "#tools/text.ts";
import { chooseForm, fieldsOfAccept, type ResponseForm } from "./media-types.ts";
import { readInput, type SentRequest } from "./read-input.ts";
import { inPieces, type LargeText, writeJson } from "./reply-pieces.ts";

/**
 * Turns the bytes of a body into the bytes of the response: the part of a call that may run on another thread. A job and
 * its response are plain data that can be posted between threads.
 */
export type ToolJob = SentRequest & {
  /** The types that the client accepts. */
  accept: string | null;
  receivedAt: number;
  /** The random bytes (hex) of the first run, for a replay; null to draw new ones. */
  random: string | null;
  /** Whether to compute the fingerprints that idempotency needs. */
  fingerprint: boolean;
};

export type ToolResponse = {
  /** The text, or its UTF-8 bytes; the bytes of an image. */
  body: string | Uint8Array;
  /** The media type, without parameters. */
  type: string;
  fingerprint: { bodySha256: string; responseSha256: string; random: string | null } | null;
};

/** A response that may be in pieces, for a runtime with little memory. */
export type CallResponse = Omit<ToolResponse, "body"> & { body: string | Uint8Array | LargeText };

export type Sources = Pick<ToolContext, "random" | "digest">;

/** Throws an ApiError for an invalid body, and the errors of the tool. */
export const runTool = (tool: Tool, job: ToolJob, sources: Sources): Promise<ToolResponse> =>
  runJob(tool, job, sources, WHOLE);

/** Returns the same bytes; a large response in pieces. */
export const runToolInPieces = (
  tool: Tool,
  job: ToolJob,
  sources: Sources,
): Promise<CallResponse> => runJob(tool, job, sources, IN_PIECES);

type Writer<Body> = {
  inBlocks: boolean;
  json(output: unknown): Body;
  text(text: string | LongText): Body;
};

// Without `inBlocks` there is no LongText.
const WHOLE = { inBlocks: false, json: JSON.stringify, text: (text: unknown) => text as string };
const IN_PIECES = { inBlocks: true, json: writeJson, text: inPieces };

async function runJob<Body extends string | LargeText>(
  tool: Tool,
  job: ToolJob,
  sources: Sources,
  write: Writer<Body>,
): Promise<Omit<ToolResponse, "body"> & { body: Body | Uint8Array }> {
  const sent = readInput(tool, job);
  const { input, form } = chooseInput(tool, sent, job.accept);

  let drawn: Uint8Array | null = null;
  const context: ToolContext = {
    receivedAt: job.receivedAt,
    digest: sources.digest,
    octets: sent.octets,
    random(count) {
      const bytes = job.random === null ? sources.random(count) : hexToBytes(job.random);
      drawn = bytes;
      return bytes;
    },
  };
  const type = form?.type ?? "application/json";
  // Hashed first, so that the memory of a large output is counted without a pause in which other tools run.
  const bodySha256 = job.fingerprint
    ? bytesToHex(await hashRequest(sent, job, type, sources))
    : null;
  const { runInBlocks } = tool;
  const result =
    write.inBlocks && runInBlocks !== undefined
      ? runInBlocks(input, context)
      : tool.run(input, context);
  const output = result instanceof Promise ? await result : result;
  const body = writeOutput(tool, form, output, write);
  if (bodySha256 === null) return { body, type, fingerprint: null };
  const fingerprint = {
    bodySha256,
    responseSha256: bytesToHex(await hashResponse(body, sources)),
    random: drawn === null ? null : bytesToHex(drawn),
  };
  return { body, type, fingerprint };
}

/** The checked input, and the form of the response. The form sets the fields that it needs and the client left out. */
function chooseInput(
  tool: Tool,
  sent: SentInput,
  accept: string | null,
): { input: unknown; form: ResponseForm } {
  const { value, parameters, hint } = sent;
  // What most clients send: for them a call pays nothing more.
  if (accept === null || accept === "*/*" || accept === "application/json") {
    return { input: checkInput(tool, value, parameters, hint).input, form: null };
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const names = isObject ? (value as Record<string, unknown>) : {};
  const whole = isObject ? { ...fieldsOfAccept(tool, accept, names), ...names } : value;
  const { input } = checkInput(tool, whole, parameters, hint);
  const explicit = Object.entries(input ?? {}).filter(([name]) => Object.hasOwn(names, name));
  const form = chooseForm(tool, accept, Object.fromEntries(explicit));
  return form?.fields === undefined
    ? { input, form }
    : { input: { ...(input as object), ...form.fields }, form };
}

function writeOutput<Body extends string | LargeText>(
  tool: Tool,
  form: ResponseForm,
  output: unknown,
  write: Writer<Body>,
): Body | Uint8Array {
  if (form !== null) {
    const body: string | Uint8Array | LongText = form.write(output);
    return typeof body === "string" || isLongText(body) ? write.text(body) : body;
  }
  return tool.encode === undefined ? write.json(output) : write.text(tool.encode(output));
}

/**
 * What makes two requests the same call: the fields in any order, how the body was read, the query and the type of the
 * response. A form counts by its file, because each client invents another boundary.
 */
async function hashRequest(
  { kind, value, octets }: SentInput,
  { query }: ToolJob,
  type: string,
  { digest }: Sources,
): Promise<Uint8Array> {
  const fields =
    typeof value === "object" && value !== null
      ? Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
      : value;
  const text = JSON.stringify([kind, query.split("&").sort(), type, fields]);
  const head = encodeUtf8(text);
  return digest("sha256", octets === null ? head : concatBytes(head, octets));
}

/** A runtime's own digest needs all bytes at once; a large response is hashed piece by piece. */
async function hashResponse(
  body: string | Uint8Array | LargeText,
  { digest }: Sources,
): Promise<Uint8Array> {
  if (typeof body === "string") return digest("sha256", encodeUtf8(body));
  if (body instanceof Uint8Array) return digest("sha256", body);
  const hash = sha256.create();
  for (const piece of body.pieces()) hash.update(piece);
  return hash.digest();
}
