import { ecb, gcm } from "@noble/ciphers/aes.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";

/**
 * Encrypts short texts for the database under the service's secrets, so that a copy of the database without SECRET does not
 * reveal them: AES-256-GCM (NIST SP 800-38D) with a random nonce, under a key that HKDF-SHA-256 (RFC 5869) derives from the secret
 * for one purpose.
 *
 * A sealed text is `sealed1.<key id>.<base64url of nonce, ciphertext and tag>`. The key id tells which of several secrets was
 * used. `place` is where the text belongs, such as the id of its row; a text that is moved to another place cannot be opened.
 */
export type Sealer = {
  /** Seals with the first secret. */
  seal(text: string, place: string): Promise<string>;
  /** Throws a `SealError` if no secret opens the text. */
  open(sealed: string, place: string): Promise<string>;
  /** The same for bytes. */
  sealBytes(bytes: Uint8Array, place: string): Promise<string>;
  openBytes(sealed: string, place: string): Promise<Uint8Array>;
  /** Whether the text is sealed with the first secret. */
  isCurrent(sealed: string): boolean;
};

/** A text was sealed with another secret, for another place, or was changed. */
export class SealError extends Error {}

const FORM = /^sealed1\.([0-9a-f]{8})\.([0-9A-Za-z_-]+)$/;
const NONCE_BYTES = 12;
const utf8 = new TextEncoder();

export function createSealer(secrets: readonly string[], purpose: string): Sealer {
  // Not crypto.subtle: its results arrive one by one from other threads, so webhook deliveries that start together would no longer
  // record their results in one write.
  const keys = secrets.map((secret) => {
    const id = bytesToHex(derive(secret, `seal key id ${purpose}`, 4));
    return { id, bytes: derive(secret, `seal key ${purpose}`, 32) };
  });
  const [current] = keys as [(typeof keys)[number]];
  if (current === undefined) throw new RangeError("Sealing requires a secret");
  async function sealBytes(bytes: Uint8Array, place: string): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const box = gcm(current.bytes, nonce, utf8.encode(place)).encrypt(bytes);
    return `sealed1.${current.id}.${toBase64Url(concatBytes(nonce, box))}`;
  }
  async function openBytes(sealed: string, place: string): Promise<Uint8Array> {
    const [, id, text = ""] = FORM.exec(sealed) ?? [];
    const found = keys.find((key) => key.id === id);
    if (found === undefined) throw new SealError("The text was sealed with another secret");
    try {
      const bytes = fromBase64Url(text);
      const cipher = gcm(found.bytes, bytes.slice(0, NONCE_BYTES), utf8.encode(place));
      return cipher.decrypt(bytes.slice(NONCE_BYTES));
    } catch (cause) {
      throw new SealError("The sealed text was changed, or belongs to another place", { cause });
    }
  }
  return {
    seal: (text, place) => sealBytes(utf8.encode(text), place),
    open: async (sealed, place) => new TextDecoder().decode(await openBytes(sealed, place)),
    sealBytes,
    openBytes,
    isCurrent: (sealed) => FORM.exec(sealed)?.[1] === current.id,
  };
}

/** Hides places in a list that others are in too, so that a client can hand them back but cannot tell what lies between two. */
export type PlaceHider = {
  /** The same place always gets the same text. `no`: below 2^53; `index`: below 2^32. */
  hide(place: Place): string;
  /** Returns null for text that hides no place. */
  reveal(text: string): Place | null;
};
type Place = { no: number; index: number };

/** A place is one block of AES-256, of which 32 bits are zero: other text becomes a place once in 2^32 times. */
export function createPlaceHider(secrets: readonly string[], purpose: string): PlaceHider {
  const [current, ...older] = secrets.map((secret) => derive(secret, `hide key ${purpose}`, 32));
  if (current === undefined) throw new RangeError("Hiding requires a secret");
  return {
    hide({ no, index }) {
      const block = new DataView(new ArrayBuffer(BLOCK_BYTES));
      block.setBigUint64(0, BigInt(no));
      block.setUint32(8, index);
      return toBase64Url(ecb(current, ONE_BLOCK).encrypt(new Uint8Array(block.buffer)));
    },
    reveal(text) {
      if (!HIDDEN.test(text)) return null;
      for (const key of [current, ...older]) {
        const bytes = ecb(key, ONE_BLOCK).decrypt(fromBase64Url(text));
        const block = new DataView(bytes.buffer, bytes.byteOffset);
        const [no, index] = [block.getBigUint64(0), block.getUint32(8)];
        if (block.getUint32(12) === 0 && no <= Number.MAX_SAFE_INTEGER)
          return { no: Number(no), index };
      }
      return null;
    },
  };
}
const BLOCK_BYTES = 16;
const ONE_BLOCK = { disablePadding: true };
const HIDDEN = /^[0-9A-Za-z_-]{21}[AQgw]$/;

const derive = (secret: string, use: string, bytes: number): Uint8Array =>
  hkdf(sha256, utf8.encode(secret), undefined, utf8.encode(`toolbooth ${use}`), bytes);

/** In pieces, because the arguments of a function are bounded. A megabyte takes a few milliseconds. */
function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += PIECE_BYTES)
    text += String.fromCharCode(...bytes.subarray(from, from + PIECE_BYTES));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
const PIECE_BYTES = 8_192;

function fromBase64Url(text: string): Uint8Array {
  const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(decoded.length);
  for (let at = 0; at < decoded.length; at += 1) bytes[at] = decoded.charCodeAt(at);
  return bytes;
}
