import type { HashAlgorithm } from "#tools/define-tool.ts";
import { type Digests, hashStream } from "./hash-stream.ts";

export type HashOrder = { blob: Blob; algorithms: readonly HashAlgorithm[] };
export type HashReport =
  | { progress: number }
  | { digests: Partial<Digests> }
  | { failure: "unreadable" };

/** More often would be redrawn for nothing. */
const REPORT_EVERY_MS = 100;

const report = (message: HashReport) => self.postMessage(message);

/** Hashes one blob, off the main thread. It is cancelled by ending the worker. */
self.addEventListener("message", async ({ data }: MessageEvent<HashOrder>) => {
  let last = 0;
  try {
    const digests = await hashStream(data.blob.stream(), data.algorithms, (bytes) => {
      const now = performance.now();
      if (now - last < REPORT_EVERY_MS) return;
      last = now;
      report({ progress: bytes });
    });
    report({ digests });
  } catch {
    // The file was changed, moved or removed while it was read.
    report({ failure: "unreadable" });
  }
});
