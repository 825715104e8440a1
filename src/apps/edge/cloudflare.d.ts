/** The little that is used of the platform's modules; its own types would bring a second DOM along. */
declare module "cloudflare:workers" {
  export class DurableObject {
    constructor(state: never, env: never);
  }
  /** Keeps what was begun for a request alive past its answer, for up to 30 s. */
  export function waitUntil(work: Promise<unknown>): void;
}

/** A stream that tells how many bytes will go through it, so that an answer has a Content-Length. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(bytes: number);
}
