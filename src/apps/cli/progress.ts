import type { Call } from "./command.ts";
import { counted } from "./text.ts";

/** What is over sooner needs no telling. */
const TELL_EVERY_MS = 3_000;

/** Tells now and then how far something with every account has come; on standard error, as every note. */
export function createProgress({ note }: Pick<Call, "note">, done: string): { step(): void } {
  let accounts = 0;
  let toldAt = performance.now();
  return {
    step() {
      accounts += 1;
      const at = performance.now();
      if (at - toldAt < TELL_EVERY_MS) return;
      toldAt = at;
      note(`${counted(accounts, "account")} ${done} so far …`);
    },
  };
}
