/**
 * What a run throws to say which error its call gets; for anything else the call gets `tool_failed`. `input`: the tool rejects its input.
 * `upstream`: the service behind the tool has failed.
 */
type RunFaultKind = "input" | "upstream";

/** Known also to another copy of this file, as a project may have: its classes are not those of the service. */
const FAULT = Symbol.for("toolbooth.run-fault");

export abstract class RunFault extends Error {
  readonly [FAULT]: RunFaultKind;

  constructor(kind: RunFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this[FAULT] = kind;
  }
}

export const isRunFault = (thrown: unknown, kind: RunFaultKind): boolean =>
  typeof thrown === "object" &&
  thrown !== null &&
  (thrown as { [FAULT]?: unknown })[FAULT] === kind;
