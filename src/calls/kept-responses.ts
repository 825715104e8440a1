import { concatBytes } from "@noble/hashes/utils.js";
import { COMPRESS_FROM_BYTES } from "#limits.ts";
import { createSealer } from "#seal.ts";
import { encodeUtf8 } from "#tools/text.ts";

/**
 * The responses that the ledger keeps under idempotency keys, as it stores them: compressed where that pays, and sealed for their
 * account, tool and key, so that neither a copy of the database nor a response moved to another account reveals them.
 */
export type KeptResponse = { type: string; body: Uint8Array };

/** Where a kept response belongs. */
type Place = { account: string; tool: string; key: string };

export class KeptResponses {
  readonly #sealer;

  constructor(secrets: readonly string[]) {
    this.#sealer = createSealer(secrets, "kept response");
  }

  async seal({ type, body }: KeptResponse, place: Place): Promise<string> {
    const isLarge = body.byteLength >= COMPRESS_FROM_BYTES;
    const stored = isLarge ? await through(new CompressionStream("gzip"), body) : body;
    const head = encodeUtf8(`${isLarge ? GZIP : PLAIN}${type}\n`);
    return this.#sealer.sealBytes(concatBytes(head, stored), nameOf(place));
  }

  /** Throws a `SealError` if no secret opens it. */
  async open(sealed: string, place: Place): Promise<KeptResponse> {
    const bytes = await this.#sealer.openBytes(sealed, nameOf(place));
    const end = bytes.indexOf(LINE_FEED);
    const head = new TextDecoder().decode(bytes.subarray(0, end));
    const stored = bytes.subarray(end + 1);
    const body = head.startsWith(GZIP)
      ? await through(new DecompressionStream("gzip"), stored)
      : stored;
    return { type: head.slice(1), body };
  }
}

const [PLAIN, GZIP] = ["-", "z"];
const LINE_FEED = 0x0a;

const nameOf = ({ account, tool, key }: Place): string => `${account} ${tool} ${key}`;

async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const piped = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}
