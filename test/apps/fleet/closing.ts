import { after } from "node:test";

/** Closes the fleet at the end of the process. Imported before `postgres.ts`, so that the nodes stop before their database. */
export const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.toReversed()) await close();
});
