import { isRunFault, RunFault } from "./run-fault.ts";

/**
 * How a request to the service behind a tool has failed. The runtime makes an error of the API of it (`calls/call-errors.ts`).
 *
 * `rejected`: the service responded with 4xx. `failed`: with anything else but success, not at all, with too much or with something else
 * than it should, or it does not know the operator. `late`: not in time. `misdefined`: no request can be made of the tool's definition.
 */
export type UpstreamFaultKind = "rejected" | "failed" | "late" | "misdefined";

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
