import { type Challenge, solveChallengeWorkers } from "altcha-lib";
import { ProblemDetails, request } from "../request.ts";

/**
 * Sends a request that may need a proof of work: if the service asks for one, the browser solves a challenge in its workers and
 * sends the request again. The visitor only sees that the form takes a few seconds longer.
 */
export async function requestWithProof<T>(path: string, body: object): Promise<T> {
  try {
    return await request<T>("POST", path, body);
  } catch (error) {
    if (!(error instanceof ProblemDetails) || error.code !== "proof_required") throw error;
    const challenge = await request<Challenge>("GET", "/dashboard/challenge");
    const solution = await solve(challenge, error);
    return request<T>("POST", path, { ...body, proof: JSON.stringify({ challenge, solution }) });
  }
}

/** More would not finish earlier on most devices, and each needs memory. */
const WORKERS_MAX = 4;
/** A slow phone needs up to 20 seconds. */
const TIMEOUT_MS = 60_000;

/** Throws `required`, whose text tells the visitor what to do, where this browser cannot solve the challenge. */
async function solve(challenge: Challenge, required: ProblemDetails) {
  const solution = await solveChallengeWorkers({
    challenge,
    concurrency: Math.min(WORKERS_MAX, navigator.hardwareConcurrency || 1),
    createWorker: openWorker,
    timeout: TIMEOUT_MS,
  }).catch(() => null);
  if (solution === null) throw required;
  return { counter: solution.counter, derivedKey: solution.derivedKey };
}

/** The bundler recognizes a worker only in this exact form. */
const openWorker = () =>
  new Worker(new URL("./proof-worker.ts", import.meta.url), { type: "module", name: "proof" });
