import type { Email } from "./mail.ts";

/** What a letter says to the programs that carry it. A list of names and values: nothing in it was typed by a person. */
export function headersOf({ unsubscribe }: Email): Record<string, string> {
  return {
    // RFC 3834, section 5: no out-of-office answers to this.
    "Auto-Submitted": "auto-generated",
    "X-Auto-Response-Suppress": "All",
    ...(unsubscribe === undefined
      ? {}
      : {
          // RFC 8058, section 3.1: a mail program ends these letters by a single POST.
          "List-Unsubscribe": `<${unsubscribe}>`,
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }),
  };
}
