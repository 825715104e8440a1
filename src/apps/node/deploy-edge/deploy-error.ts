/** A deployment cannot continue. `message` says what happened, `advice` what to do. */
export class DeployError extends Error {
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

/** The command was called with wrong arguments or without a variable that it needs. */
export class DeployUsageError extends Error {}

/** The operator pressed Ctrl+C, or the process got SIGTERM. */
export class Interrupted extends Error {}
