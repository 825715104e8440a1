import { useEffect, useRef, useState } from "react";
import type { Tool } from "#tools/define-tool.ts";
import type { CallContext, CallResponse } from "./respond-to-call.ts";
import { createRunner, type Runner } from "./run-call.ts";

/** Short enough to feel immediate, long enough not to run at every key of a fast typist. */
const WAIT_MS = 80;
/** A spinner that only flashes is worse than none. */
const SLOW_MS = 250;

export type ResponseState = {
  /** The last answer, or null before the first; while the next is made it stays. */
  response: CallResponse | null;
  /** What it answers. */
  body: Uint8Array | null;
  again: number;
  /** Of the answer, in milliseconds. */
  took: number;
  /** A call is running for longer than a blink. */
  slow: boolean;
  error: Error | null;
};

const NOTHING: ResponseState = {
  response: null,
  body: null,
  again: 0,
  took: 0,
  slow: false,
  error: null,
};

/**
 * The answer to the body as it stands, made again whenever it changes. `again` changes where the same body is to be
 * answered once more.
 */
export function useResponse(
  tool: Tool<unknown>,
  body: Uint8Array,
  place: CallContext,
  again: number,
): ResponseState {
  const [state, setState] = useState(NOTHING);
  const runner = useRef<Runner>(null);
  runner.current ??= createRunner(tool);
  // Read when a call starts: that the service's address became known is no reason to answer again.
  const here = useRef(place);
  here.current = place;

  useEffect(() => {
    let dropped = false;
    const set = (change: Partial<ResponseState>) =>
      !dropped && setState((before) => ({ ...before, ...change }));
    const start = setTimeout(() => {
      const started = performance.now();
      const slow = setTimeout(() => set({ slow: true }), SLOW_MS);
      (runner.current as Runner)
        .run(body, here.current)
        .then(
          (response) => {
            const took = performance.now() - started;
            set({ response, body, again, took, error: null, slow: false });
          },
          (error: Error) => set({ error, slow: false }),
        )
        .finally(() => clearTimeout(slow));
    }, WAIT_MS);
    return () => {
      dropped = true;
      clearTimeout(start);
      runner.current?.cancel();
    };
  }, [body, again]);

  useEffect(() => () => runner.current?.close(), []);
  return state;
}
