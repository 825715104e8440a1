import { config } from "zod/mini";

/**
 * The Content-Security-Policy of the pages forbids eval. Zod falls back without it, but the browser reports each attempt
 * as a violation. Import this before any module that creates a schema.
 */
config({ jitless: true });
