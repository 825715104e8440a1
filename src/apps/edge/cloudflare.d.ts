/** The few parts of the platform's modules that are used; Cloudflare's own types would add a second DOM. */
declare module "cloudflare:workers" {
  export class DurableObject {
    constructor(state: never, env: never);
  }
  /** Keeps work of a request alive for up to 30 s after its response. */
  export function waitUntil(work: Promise<unknown>): void;
}

/** A stream of known length, which gives the response a Content-Length. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(bytes: number);
}
