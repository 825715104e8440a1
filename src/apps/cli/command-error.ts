/** The command is valid but failed: exit code 1. The message is for the operator. */
export class CommandError extends Error {}
/** The command line is invalid: exit code 2. */
export class UsageError extends Error {}
