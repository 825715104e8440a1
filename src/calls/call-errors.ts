import { counted, formatNumber } from "#counted.ts";
import { ApiError, type ErrorCode, type ProblemDetails } from "#errors.ts";
import type { BudgetExhausted, KeyNotAllowed } from "#ledger/port.ts";
import type { Rate } from "#ledger/throttle.ts";
import { KEPT_RESPONSE_BYTES_MAX, OWN_TIME_LIMIT_MS, REPLAYS_PER_MINUTE_MAX } from "#limits.ts";
import type { UpstreamFault } from "#tools/run-fault.ts";
import type { TopUp } from "#top-up.ts";

/** Errors that more than one place throws or shows. */

/** An error that says what happened, then what to do. */
const advising = (
  code: ErrorCode,
  happened: string,
  advice: string,
  details: ProblemDetails = {},
): ApiError => new ApiError(code, `${happened} ${advice}`, { ...details, happened });

/** No client ever sees it: the connection is gone. It is for the logs. */
export const clientLeft = (): ApiError =>
  new ApiError("invalid_request", "The connection was lost before the call was charged.");

/** The ledger cannot be reached, and every call needs it. Only for a call whose debit was certainly not made. */
export function unavailable(cause: unknown): ApiError {
  return advising(
    "unavailable",
    "The service cannot reach the ledger. The call was not charged.",
    "Try again in a moment.",
    { cause, headers: { "Retry-After": "2" } },
  );
}

/** The debit was sent, and the ledger did not say whether it was made. `callId`: as `callRef` (ids.ts) writes it. */
export function chargeUnknown(callId: string, isRepeatable: boolean, cause: unknown): ApiError {
  const settled = isRepeatable
    ? "Repeat it with the same Idempotency-Key: if it was charged, you get its response without another charge."
    : "If it was charged, the charge is reversed automatically; if it is not, send this id to the operator. Repeating the call makes a new one. Send an Idempotency-Key with each call to repeat it safely.";
  return new ApiError(
    "unavailable",
    `The service lost its connection to the ledger while it charged the call ${callId}, so it is not known whether the call was charged. ${settled}`,
    { cause, members: { callId, charged: "unknown" }, headers: { "Retry-After": "2" } },
  );
}

/** The call was charged, but its response could not be made, so its charge is reversed. */
export const chargeReversed = (callId: string, cause: unknown) =>
  new ApiError(
    "internal",
    `Something went wrong on our side after the call ${callId} was charged. The charge is reversed automatically.`,
    { cause, members: { callId, charged: "reversed" } },
  );

export const accountSuspended = () =>
  new ApiError(
    "account_suspended",
    "The operator of this service has suspended the account. Contact the operator.",
  );

/** The time in ISO 8601; null stays null. */
export const instant = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

/** The same wording for unknown and revoked keys and for closed accounts, so that it does not reveal which applies. */
export const invalidKey = (): ApiError =>
  rejectedKey(
    "This API key is not valid. Check that it is a key of this service and has not been revoked.",
  );

/** Only the holder of the secret gets this, so it may say more than `invalidKey`. */
export function keyExpired(at: number): ApiError {
  const expiredAt = new Date(at).toISOString();
  return rejectedKey(
    `This API key expired at ${expiredAt}. Use another key or, if it was rotated, its new secret.`,
    { expiredAt },
  );
}

export const rejectedKey = (detail: string, members?: { expiredAt: string }): ApiError =>
  new ApiError("invalid_key", detail, { ...(members && { members }) });

export function keyNotAllowed(forbidden: KeyNotAllowed): ApiError {
  const isTool = forbidden.limit === "tools";
  const allowedTools = isTool ? [...forbidden.tools] : undefined;
  const what = isTool
    ? `may call only ${allowedTools?.join(", ")}`
    : "does not work from your network";
  const limitSource = `key_${forbidden.limit}` as const;
  return new ApiError(
    "key_not_allowed",
    `This API key ${what}. Its owner can change that under Settings, API keys.`,
    { members: { limitSource, ...(allowedTools && { allowedTools }) } },
  );
}

export function rateLimited({
  source: limitSource,
  callsPerSecond,
  retryAfterSeconds,
}: Rate): ApiError {
  return new ApiError(
    "rate_limited",
    `The ${limitSource === "key" ? "API key" : "account"} is making more than ${counted(callsPerSecond, "call")} per second. Wait ${retryAfterSeconds} s, then try again.`,
    { members: { limitSource }, headers: { "Retry-After": String(retryAfterSeconds) } },
  );
}

/** Keys that this node does not know, from a network that has sent many bad ones. */
export const tooManyBadKeys = (retryAfterSeconds: number) =>
  new ApiError(
    "rate_limited",
    `Your network has sent many API keys that are not valid, so keys that this server has not seen before are not checked. Check your key, wait ${retryAfterSeconds} s, then try again.`,
    {
      members: { limitSource: "network" },
      headers: { "Retry-After": String(retryAfterSeconds) },
    },
  );

export const tooManyReplays = (retryAfterSeconds: number) =>
  new ApiError(
    "rate_limited",
    `This call was repeated more than ${REPLAYS_PER_MINUTE_MAX} times within a minute with the same Idempotency-Key. Keep its response, or wait ${retryAfterSeconds} s, then try again.`,
    {
      members: { limitSource: "idempotency_key" },
      headers: { "Retry-After": String(retryAfterSeconds) },
    },
  );

/** `held`: what calls that are running hold, and may give back. */
export function insufficientCredits(
  balance: number,
  held: number,
  cost: Cost,
  topUp: TopUp,
): ApiError {
  const { price } = cost;
  const heldBy = held === 0 ? "" : ` Running calls hold ${counted(held, "credit")}.`;
  return new ApiError(
    "insufficient_credits",
    `The call costs ${costText(cost)}, and the balance is ${formatNumber(balance)}.${heldBy} ${topUp.sentence}`,
    {
      members: {
        ...{ balance, price, limitSource: "account" as const, ...urlOf(topUp) },
        ...(held > 0 && { heldCredits: held }),
      },
    },
  );
}

/** Left out if no page or address helps. */
const urlOf = ({ url }: TopUp) => (url === null ? {} : { topUpUrl: url });

const BUDGET_NAMES = { day: "daily budget", month: "monthly budget", total: "total budget" };

export function keyBudgetExhausted(
  { budget: period, resetsAt: at, credits, remaining, heldCredits = 0 }: BudgetExhausted,
  balance: number,
  cost: Cost,
  publicUrl: string,
  topUp: TopUp,
): ApiError {
  const { price } = cost;
  const resetsAt = instant(at);
  const budget =
    credits === undefined || remaining === undefined ? undefined : { credits, remaining };
  const name = `${BUDGET_NAMES[period]}${budget ? ` of ${counted(budget.credits, "credit")}` : ""}`;
  const left = budget ? `${formatNumber(budget.remaining)} left` : "less left";
  const held =
    heldCredits === 0 ? "" : ` Running calls of the key hold ${formatNumber(heldCredits)} of it.`;
  // A higher budget alone would not help an account without credits.
  const isShort = balance < price;
  const short = isShort
    ? ` The account's balance is ${formatNumber(balance)}, too. ${topUp.sentence}`
    : "";
  return new ApiError(
    "key_budget_exhausted",
    `The call costs ${costText(cost)}, and the API key's ${name} has ${left}.${held} ${resetsAt === null ? "The budget does not reset." : `The budget resets at ${resetsAt}.`} To raise it, see ${publicUrl}/settings/api-keys${isShort ? "." : ""}${short}`,
    {
      members: {
        ...{ balance, price, limitSource: `key_${period}` as const, budget, resetsAt },
        ...(heldCredits > 0 && { heldCredits }),
        ...(isShort && urlOf(topUp)),
      },
    },
  );
}

/** What a call costs. `isPriceLeast`: it depends on the input, which has not been read, and is `price` at least. */
type Cost = { price: number; isPriceLeast?: boolean };

const costText = ({ price, isPriceLeast }: Cost) =>
  `${isPriceLeast ? "at least " : ""}${counted(price, "credit")}`;

export const idempotencyKeyReused = (hasFile = false) =>
  new ApiError(
    "idempotency_key_reused",
    `You used this Idempotency-Key on this path in the last 24 hours for another request. A repeat must have the same fields${hasFile ? " and the same file" : ""}, sent in the same way, and ask for the same type. Use a new Idempotency-Key for a new request.`,
  );

/**
 * `leaseMs`: of the hold of a call that another process may have had. That of a server that has died is extended once, so it ends after
 * twice this time at the latest.
 */
export function idempotencyInProgress(leaseMs: number | null = null): ApiError {
  const [what, then] =
    leaseMs === null
      ? ["is still running", "Wait a second, then repeat the request."]
      : [
          "is still running, or its server has died",
          `Repeat the request once a second until you get another response. If the server has died, that takes up to about ${Math.ceil((2 * leaseMs) / 1_000)} more seconds.`,
        ];
  return new ApiError(
    "idempotency_in_progress",
    `The first request with this Idempotency-Key ${what}. ${then}`,
    { headers: { "Retry-After": "1" } },
  );
}

/** The call took so long that its hold has ended. */
export const idempotencyKeyTaken = (): ApiError =>
  new ApiError(
    "idempotency_in_progress",
    "The call took so long that another request has taken its Idempotency-Key. This one was not charged. Repeat the request to get the response of the other one.",
    { headers: { "Retry-After": "1" } },
  );

/** For a tool that changes the world: without a key, a client could not repeat the call safely. */
export const idempotencyKeyRequired = (name: string): ApiError =>
  new ApiError(
    "invalid_request",
    `${name} needs the header Idempotency-Key, so that a repeat of the call does not run it twice. Send one with a new value for each call, such as a UUID.`,
    { errors: [{ header: "Idempotency-Key", detail: "is required" }] },
  );

/** `callId`: of the first call, as `callRef` (ids.ts) writes it. */
export const outcomeUnknown = (callId: string): ApiError =>
  new ApiError(
    "outcome_unknown",
    `The first request with this Idempotency-Key, the call ${callId}, did not end with a response or was reversed, and it may have done its work. It does not run again under this Idempotency-Key for 24 hours. Find out what it has done, or ask the operator. To run it again, use a new Idempotency-Key.`,
    { members: { callId } },
  );

/** `needsKey`: the tool changes the world, so a call of it cannot leave the header out. */
export const tooMuchKept = (needsKey: boolean): ApiError =>
  new ApiError(
    "rate_limited",
    `The account has too many responses kept for repeats, each for 24 hours under the Idempotency-Key of its call. ${needsKey ? "Wait until the oldest expire: calls of this tool need the header." : "Send calls without the header, or wait until the oldest expire."}`,
    { members: { limitSource: "kept_responses" }, headers: { "Retry-After": "3600" } },
  );

export const tooLargeToKeep = (name: string, bytes: number): ApiError =>
  advising(
    "tool_failed",
    `The response of ${name} has ${bytes} bytes. Under an Idempotency-Key a response can have at most ${KEPT_RESPONSE_BYTES_MAX} bytes, because it is kept for repeats. The call was not charged.`,
    "Request a smaller result.",
  );

/**
 * A call failed that may have changed the world. Its error stays what it was, but for its advice and `Retry-After`: a repeat with the key
 * does not run, and one without a key (`hasKey`) might do the work twice.
 */
export function mayHaveActed(error: unknown, callId: string, hasKey: boolean): ApiError {
  const { code, message, details } = error instanceof ApiError ? error : internalError(error);
  const { happened = message, headers: _, ...others } = details;
  const advice = hasKey
    ? ", so it does not run again under its Idempotency-Key. Find out what it has done before you send it with a new one."
    : ". Find out what it has done before you send it again.";
  return new ApiError(code, `${happened} The call ${callId} may have done its work${advice}`, {
    ...others,
    members: { ...details.members, callId },
  });
}

/** What an own tool has thrown, for the log: anything can be thrown. */
export const describeThrown = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : `threw ${String(thrown)}`;

/** `didNothing`: it has certainly done nothing outside of the service. */
export const toolFailed = (name: string, cause: unknown, didNothing = false) =>
  advising(
    "tool_failed",
    `The tool ${name} failed. The call was not charged.`,
    "Send the request id to the operator.",
    { didNothing, cause },
  );

export const toolTimeout = (name: string, limitMs: number) =>
  advising(
    "tool_timeout",
    `The tool ${name} did not finish within ${limitMs / 1_000} s and was stopped. The call was not charged.`,
    "Send a smaller input, or try again.",
    { cause: `It ran for more than ${limitMs} ms` },
  );

/** The error of a call whose request to a service failed. */
export function upstreamError(name: string, fault: UpstreamFault): ApiError {
  const { kind, message: reason, status, problem, isUnsent: didNothing, cause } = fault;
  switch (kind) {
    case "late":
      return toolTimeout(name, fault.limitMs ?? OWN_TIME_LIMIT_MS);
    case "misdefined":
      return toolFailed(name, cause ?? reason, true);
    case "failed":
      return advising(
        "upstream_failed",
        `The service behind ${name} ${reason}. The call was not charged.`,
        "Try again later. If the error persists, send the request id to the operator.",
        { didNothing, cause: cause ?? reason },
      );
    case "rejected":
      return advising(
        "upstream_rejected",
        `The service behind ${name} ${reason}${saidIn(problem)}. The call was not charged.`,
        "Correct the request, then send it again.",
        {
          members: { upstream: { status: status ?? 0, ...(problem !== undefined && { problem }) } },
        },
      );
  }
}

/** The sentence in a problem, as most services write it. */
function saidIn(problem: unknown): string {
  const { detail, message, error, title } = Object(problem) as Record<string, unknown>;
  const texts = [problem, detail, message, Object(error).message, error, title];
  const text = texts.find((each) => typeof each === "string" && each !== "");
  return text === undefined ? "" : `: ${String(text).slice(0, 200).replace(/\.$/, "")}`;
}

export const internalError = (cause: unknown) =>
  new ApiError("internal", "Something went wrong on our side. The call was not charged.", {
    cause,
  });
