import { NotCarriedOut, OrderRejected, OutcomeUnknown } from "#ledger/outcome-errors.ts";

/** An error as plain data, because a thread receives no classes. The kinds are those by which a call decides what has become of its debit. */
export type SentError = {
  kind: "rejected" | "not_carried_out" | "unknown" | "other";
  name: string;
  message: string;
  stack: string | undefined;
  code: string | undefined;
  cause: SentError | undefined;
};

const CAUSES_MAX = 3;

export function describeError(error: unknown, depth = 0): SentError {
  if (!(error instanceof Error))
    return { ...NO_DETAILS, kind: "other", name: "Error", message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    kind: kindOf(error),
    ...{ name, message, stack },
    code: "code" in error ? String(error.code) : undefined,
    cause: cause == null || depth === CAUSES_MAX ? undefined : describeError(cause, depth + 1),
  };
}

const NO_DETAILS = { stack: undefined, code: undefined, cause: undefined };

function kindOf(error: Error): SentError["kind"] {
  if (error instanceof OrderRejected) return "rejected";
  if (error instanceof NotCarriedOut) return "not_carried_out";
  return error instanceof OutcomeUnknown ? "unknown" : "other";
}

const CLASSES = {
  rejected: OrderRejected,
  not_carried_out: NotCarriedOut,
  unknown: OutcomeUnknown,
  other: Error,
} as const;

export function errorOf({ kind, name, message, stack, code, cause }: SentError): Error {
  const error = new CLASSES[kind](message, cause && { cause: errorOf(cause) });
  return Object.assign(error, { name, stack }, code !== undefined && { code });
}
