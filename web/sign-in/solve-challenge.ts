import { type Challenge, solveChallengeWorkers } from "altcha-lib";

/** More would not finish earlier on most devices, and each needs memory. */
const WORKERS_MAX = 4;
/** A slow phone needs up to 20 seconds. */
const TIMEOUT_MS = 60_000;

/** Solves a challenge in workers. Returns the proof of work, or null where this browser cannot solve it. */
export async function solveChallenge(challenge: Challenge): Promise<string | null> {
  const solution = await solveChallengeWorkers({
    challenge,
    concurrency: Math.min(WORKERS_MAX, navigator.hardwareConcurrency || 1),
    createWorker: openWorker,
    timeout: TIMEOUT_MS,
  }).catch(() => null);
  if (solution === null) return null;
  const { counter, derivedKey } = solution;
  return JSON.stringify({ challenge, solution: { counter, derivedKey } });
}

/** The bundler recognizes a worker only in this exact form. */
const openWorker = () =>
  new Worker(new URL("./proof-worker.ts", import.meta.url), { type: "module", name: "proof" });
