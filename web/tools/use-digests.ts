import { useEffect, useState } from "react";
import { ALGORITHMS, type Digests, hashStream, WORKER_GROUPS } from "./hash-stream.ts";
import type { HashOrder, HashReport } from "./hash-worker.ts";

export type DigestState =
  | { kind: "none" }
  | { kind: "running"; bytes: number; startedAt: number; cancel(): void }
  | { kind: "done"; digests: Digests }
  | { kind: "cancelled"; again(): void }
  | { kind: "failed"; message: string; again(): void };

/** A text is hashed after a pause in typing; a file at once. */
const TEXT_WAIT_MS = 150;

/** Starting a worker takes longer than hashing this. */
const SMALL_BYTES = 64 * 1024;

/** Hashes a blob in workers, whatever its size. A new blob ends the work on the one before. */
export function useDigests(blob: Blob | null): DigestState {
  const [state, setState] = useState<DigestState>({ kind: "none" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (blob === null) {
      setState({ kind: "none" });
      return;
    }
    let workers: Worker[] = [];
    let isEnded = false;
    const end = () => {
      isEnded = true;
      for (const worker of workers) worker.terminate();
    };
    const again = () => setAttempt((count) => count + 1);
    const start = () => {
      const startedAt = Date.now();
      const running = (bytes: number): DigestState => ({
        ...{ kind: "running", bytes, startedAt },
        cancel() {
          end();
          setState({ kind: "cancelled", again });
        },
      });
      const fail = (message: string) => {
        end();
        setState({ kind: "failed", message, again });
      };
      if (blob.size < SMALL_BYTES) {
        hashStream(blob.stream(), ALGORITHMS, () => {}).then(
          (found) => !isEnded && isComplete(found) && setState({ kind: "done", digests: found }),
          () => !isEnded && fail(UNREADABLE),
        );
        return;
      }
      const progress = WORKER_GROUPS.map(() => 0);
      let digests: Partial<Digests> = {};
      workers = WORKER_GROUPS.map((algorithms, at) => {
        const worker = openWorker();
        worker.onerror = () => fail(NOT_LOADED);
        worker.onmessage = ({ data }: MessageEvent<HashReport>) => {
          if ("failure" in data) return fail(UNREADABLE);
          if ("digests" in data) {
            worker.terminate();
            digests = { ...digests, ...data.digests };
            progress[at] = blob.size;
            if (isComplete(digests)) setState({ kind: "done", digests });
          } else {
            progress[at] = data.progress;
            setState(running(Math.min(...progress)));
          }
        };
        worker.postMessage({ blob, algorithms } satisfies HashOrder);
        return worker;
      });
      if (blob instanceof File) setState(running(0));
    };
    const timer = setTimeout(start, blob instanceof File ? 0 : TEXT_WAIT_MS);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [blob, attempt]);
  return state;
}

const UNREADABLE = "The file could not be read to its end. It may have been changed or removed.";
const NOT_LOADED = "Part of this page could not be loaded. Check your connection, then try again.";

const isComplete = (digests: Partial<Digests>): digests is Digests =>
  ALGORITHMS.every((algorithm) => digests[algorithm] !== undefined);

/** The bundler recognizes a worker only in this exact form. */
const openWorker = () =>
  new Worker(new URL("./hash-worker.ts", import.meta.url), { type: "module", name: "hash" });
