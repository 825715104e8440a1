import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { checkInput } from "#tools/check-input.ts";
import type { Tool, ToolContext } from "#tools/define-tool.ts";
import { parseBody } from "./parse-body.ts";
import { inPieces, type LargeText, writeJson } from "./reply-pieces.ts";

/**
 * Turns the bytes of a body into the bytes of the response: the part of a call that may run on another thread. A job and
 * its response are plain data that can be posted between threads.
 */
export type ToolJob = {
  body: Uint8Array;
  contentType: string | null;
  receivedAt: number;
  /** The random bytes (hex) of the first run, for a replay; null to draw new ones. */
  random: string | null;
  /** Whether to compute the fingerprints that idempotency needs. */
  fingerprint: boolean;
};

export type ToolResponse = {
  /** The JSON text, or its UTF-8 bytes. */
  body: string | Uint8Array;
  fingerprint: { bodySha256: string; responseSha256: string; random: string | null } | null;
};

/** A response that may be in pieces, for a runtime with little memory. */
export type CallResponse = Omit<ToolResponse, "body"> & { body: string | Uint8Array | LargeText };

export type Sources = Pick<ToolContext, "random" | "digest">;

/** Throws an ApiError for an invalid body, and the errors of the tool. */
export const runTool = (tool: Tool, job: ToolJob, sources: Sources): Promise<ToolResponse> =>
  runJob(tool, job, sources, { json: JSON.stringify, text: (text) => text });

/** Returns the same bytes; a large response in pieces. */
export const runToolInPieces = (
  tool: Tool,
  job: ToolJob,
  sources: Sources,
): Promise<CallResponse> => runJob(tool, job, sources, { json: writeJson, text: inPieces });

type Writer<Body> = { json(output: unknown): Body; text(json: string): Body };

async function runJob<Body extends string | LargeText>(
  tool: Tool,
  job: ToolJob,
  sources: Sources,
  write: Writer<Body>,
): Promise<{ body: Body; fingerprint: ToolResponse["fingerprint"] }> {
  const { input } = checkInput(tool, parseBody(tool, job.body, job.contentType));

  let drawn: Uint8Array | null = null;
  const context: ToolContext = {
    receivedAt: job.receivedAt,
    digest: sources.digest,
    random(count) {
      const bytes = job.random === null ? sources.random(count) : hexToBytes(job.random);
      drawn = bytes;
      return bytes;
    },
  };
  const result = tool.run(input as never, context);
  const output = result instanceof Promise ? await result : result;
  const body =
    tool.encode === undefined ? write.json(output) : write.text(tool.encode(output as never));
  if (!job.fingerprint) return { body, fingerprint: null };
  return { body, fingerprint: await takeFingerprint(job, body, drawn, sources) };
}

async function takeFingerprint(
  job: ToolJob,
  body: string | LargeText,
  drawn: Uint8Array | null,
  sources: Sources,
): Promise<NonNullable<ToolResponse["fingerprint"]>> {
  return {
    bodySha256: bytesToHex(await sources.digest("sha256", job.body)),
    responseSha256: bytesToHex(await hashResponse(body, sources)),
    random: drawn === null ? null : bytesToHex(drawn),
  };
}

/** A runtime's own digest needs all bytes at once; a large response is hashed piece by piece. */
async function hashResponse(body: string | LargeText, { digest }: Sources): Promise<Uint8Array> {
  if (typeof body === "string") return digest("sha256", new TextEncoder().encode(body));
  const hash = sha256.create();
  for (const piece of body.pieces()) hash.update(piece);
  return hash.digest();
}
