import { isRunFault, RunFault } from "./run-fault.ts";

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
