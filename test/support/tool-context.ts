import { createHash } from "node:crypto";
import type { ToolContext } from "#tools/define-tool.ts";

/** The context in which the tools' examples are true: a fixed time, the same random bytes in every run, and the digests of node:crypto. */
export function fixedToolContext(): ToolContext & { drawn: number[] } {
  const drawn: number[] = [];
  let state = 0x746f6f6c;
  return {
    /** The size of every draw of random bytes so far. */
    drawn,
    receivedAt: Date.UTC(2026, 2, 4, 5, 6, 7, 89),
    random(count) {
      drawn.push(count);
      return Uint8Array.from({ length: count }, () => {
        // xorshift32: no secret, but it looks like what a caller will see.
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return state & 0xff;
      });
    },
    digest: (algorithm, bytes) => createHash(algorithm).update(bytes).digest(),
  };
}
