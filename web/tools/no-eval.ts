import { config } from "zod/mini";

/**
 * The pages' Content-Security-Policy forbids eval. Zod would only try it and go on without, but each try is reported as
 * a violation. To be loaded before any schema is made.
 */
config({ jitless: true });
