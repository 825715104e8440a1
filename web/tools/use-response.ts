import { useEffect, useRef, useState } from "react";
import type { Tool } from "#tools/define-tool.ts";
import type { CallContext, CallResponse } from "./respond-to-call.ts";
import { createRunner, type Runner } from "./run-call.ts";

/** Short enough to feel immediate, long enough not to run on every keystroke of a fast typist. */
const WAIT_MS = 80;
/** Avoids a spinner that only flashes. */
const SLOW_MS = 250;

export type ResponseState = {
  /** The last response, or null before the first. It stays while the next call runs. */
  response: CallResponse | null;
  /** The request body of that response. */
  body: Uint8Array | null;
  /** The run that produced the response. */
  run: number;
  /** The duration of the call, in milliseconds. */
  took: number;
  /** The current call has been running for longer than `SLOW_MS`. */
  slow: boolean;
  error: Error | null;
};

const INITIAL: ResponseState = {
  response: null,
  body: null,
  run: 0,
  took: 0,
  slow: false,
  error: null,
};

/**
 * Runs the tool whenever the body changes. Increasing `run` runs it again with the same body.
 */
export function useResponse(
  tool: Tool<unknown>,
  body: Uint8Array,
  callContext: CallContext,
  run: number,
): ResponseState {
  const [state, setState] = useState(INITIAL);
  const runner = useRef<Runner>(null);
  runner.current ??= createRunner(tool);
  // In a ref, because a change of the API's URL alone does not run the tool again.
  const latestContext = useRef(callContext);
  latestContext.current = callContext;

  useEffect(() => {
    let isCancelled = false;
    const set = (change: Partial<ResponseState>) =>
      !isCancelled && setState((before) => ({ ...before, ...change }));
    const start = setTimeout(() => {
      const started = performance.now();
      const slow = setTimeout(() => set({ slow: true }), SLOW_MS);
      (runner.current as Runner)
        .run(body, latestContext.current)
        .then(
          (response) => {
            const took = performance.now() - started;
            set({ response, body, run, took, error: null, slow: false });
          },
          (error: Error) => set({ error, slow: false }),
        )
        .finally(() => clearTimeout(slow));
    }, WAIT_MS);
    return () => {
      isCancelled = true;
      clearTimeout(start);
      runner.current?.cancel();
    };
  }, [body, run]);

  useEffect(() => () => runner.current?.close(), []);
  return state;
}
