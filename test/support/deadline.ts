/** A deadline that only what hangs meets, in milliseconds. */
export const HANGS_MS = 600_000;
