/**
 * What a run throws to say which error its call gets; for anything else the call gets `tool_failed`. `input`: the tool rejects its input.
 * `upstream`: the service behind the tool has failed.
 */
type RunFaultKind = "input" | "upstream";

/** Known also to another copy of this file, as a project may have: its classes are not those of the service. */
const FAULT = Symbol.for("toolbooth.run-fault");

abstract class RunFault extends Error {
  readonly [FAULT]: RunFaultKind;

  constructor(kind: RunFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this[FAULT] = kind;
  }
}

const isRunFault = (thrown: unknown, kind: RunFaultKind): boolean =>
  (Object(thrown) as { [FAULT]?: unknown })[FAULT] === kind;

/**
 * Thrown by `run`, or by the function of a price, it rejects the input: the call gets 400 `invalid_request` and is not charged. Throw it
 * before the tool has done anything: a call of effect `act` may then run again under its `Idempotency-Key`.
 */
export class InvalidInput extends RunFault {
  override readonly name = "InvalidInput";
  /** The name of the field that is wrong; undefined for the input as a whole. */
  readonly field: string | undefined;

  /** `message`: a sentence that the client gets, with at most 2,000 characters. */
  constructor(message: string, field?: string) {
    super("input", message);
    this.field = field == null ? undefined : String(field);
  }
}

export const isInvalidInput = (thrown: unknown): thrown is InvalidInput =>
  isRunFault(thrown, "input");

/**
 * How a request to the service behind a tool has failed. The runtime makes an error of the API of it (`calls/call-errors.ts`).
 *
 * `rejected`: the service responded with 4xx. `failed`: with anything else but success, not at all, with too much or with something else
 * than it should, or it does not know the operator. `late`: not in time. `misdefined`: no request can be made of the tool's definition.
 */
type UpstreamFaultKind = "rejected" | "failed" | "late" | "misdefined";

export class UpstreamFault extends RunFault {
  readonly kind: UpstreamFaultKind;
  /** The status of the response, if there was one. */
  readonly status: number | undefined;
  /** What the service says of a request that it rejected: JSON or a text. */
  readonly problem: unknown;
  /** Nothing of the request can have reached the service. */
  readonly isUnsent: boolean;
  /** How long the service had, in milliseconds. */
  readonly limitMs: number | undefined;

  /** `reason`: a clause about the service, such as "responded with 503". */
  constructor(
    kind: UpstreamFaultKind,
    reason: string,
    more: {
      status?: number;
      problem?: unknown;
      isUnsent?: boolean;
      limitMs?: number;
      cause?: unknown;
    } = {},
  ) {
    super("upstream", reason, { cause: more.cause });
    this.kind = kind;
    this.status = more.status;
    this.problem = more.problem;
    this.isUnsent = more.isUnsent ?? false;
    this.limitMs = more.limitMs;
  }
}

export const isUpstreamFault = (thrown: unknown): thrown is UpstreamFault =>
  isRunFault(thrown, "upstream");
