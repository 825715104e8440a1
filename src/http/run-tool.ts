import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { checkInput } from "#tools/check-input.ts";
import { findTool } from "#tools/index.ts";
import type { Supply } from "#tools/tool.ts";
import { parseBody } from "./parse-body.ts";

/**
 * From the bytes of a body to the bytes of the answer: the part of a call that may run on another thread.
 * A job and its answer are plain data and cross a thread as they are.
 */
export type ToolJob = {
  tool: string;
  body: Uint8Array;
  contentType: string | null;
  receivedAt: number;
  /** Random bytes (hex) that the tool was given the first time; null: draw new ones. */
  random: string | null;
  /** Whether to take the fingerprints that idempotency needs. */
  fingerprint: boolean;
};

export type ToolAnswer = {
  /** The answer's JSON text, or its UTF-8 bytes. */
  body: string | Uint8Array;
  fingerprint: { bodySha256: string; answerSha256: string; random: string | null } | null;
};

type Sources = Pick<Supply, "random" | "digest">;

/** Throws a Fault where body or tool refuse. */
export async function runTool(job: ToolJob, sources: Sources): Promise<ToolAnswer> {
  const tool = findTool(job.tool);
  if (tool === undefined) throw new Error(`There is no tool ${job.tool}`);
  const { input } = checkInput(tool, parseBody(tool, job.body, job.contentType));

  let drawn: Uint8Array | null = null;
  const supply: Supply = {
    receivedAt: job.receivedAt,
    digest: sources.digest,
    random(count) {
      const bytes = job.random === null ? sources.random(count) : hexToBytes(job.random);
      drawn = bytes;
      return bytes;
    },
  };
  const result = tool.run(input as never, supply);
  const output = result instanceof Promise ? await result : result;
  const body = tool.encode === undefined ? JSON.stringify(output) : tool.encode(output as never);
  if (!job.fingerprint) return { body, fingerprint: null };
  return { body, fingerprint: await takeFingerprint(job, body, drawn, sources) };
}

async function takeFingerprint(
  job: ToolJob,
  body: string,
  drawn: Uint8Array | null,
  sources: Sources,
): Promise<NonNullable<ToolAnswer["fingerprint"]>> {
  const answer = new TextEncoder().encode(body);
  return {
    bodySha256: bytesToHex(await sources.digest("sha256", job.body)),
    answerSha256: bytesToHex(await sources.digest("sha256", answer)),
    random: drawn === null ? null : bytesToHex(drawn),
  };
}
