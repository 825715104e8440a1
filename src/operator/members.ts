import * as z from "zod";
import { accountOfKeyId, parseCallRef } from "#ids.ts";
import { isJobId } from "#jobs/operator-jobs.ts";
import { GRANT_KINDS } from "#ledger/port.ts";
import {
  DAY_MS,
  EMAIL_CHARS_MAX,
  GRANT_CREDITS_MAX,
  HOUR_MS,
  PRICE_CREDITS_MAX,
  ROTATION_DAYS_MAX,
} from "#limits.ts";
import { endOf, instant, startOfDay } from "./times.ts";

/**
 * Members of inputs and results. `x-value` is how the command's usage names the value. With `x-secret` no message repeats it: somebody
 * may have pasted a key.
 */
export const usage = (value: string, isSecret = false) => ({
  "x-value": value,
  ...(isSecret ? { "x-secret": true } : {}),
});

export const email = z
  .string()
  .min(1)
  .max(2 * EMAIL_CHARS_MAX)
  .meta(usage("email"));

/** An address that can sign in: better-auth and the pages of the dashboard check with the same rule. */
export const newEmail = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.email("must be a complete email address, such as you@example.com").max(EMAIL_CHARS_MAX))
  .meta(usage("email"));

const integer = (min: number, max: number) => {
  const fault = `must be a whole number from ${min} to ${max}`;
  return z.int(fault).min(min, fault).max(max, fault).meta(usage("N"));
};
export const credits = integer(1, GRANT_CREDITS_MAX);
export const creditsOrNone = integer(0, GRANT_CREDITS_MAX);
export const price = integer(0, PRICE_CREDITS_MAX);
export const listMax = integer(1, 100_000);

/** The end of the year 9999. A later time has no ISO form of four digits, in which results say it. */
const WHEN_MAX = Date.UTC(10_000, 0, 1) - 1;

/** The end of a period: a time, or a date that is included. */
export const when = z
  .string()
  .transform((text, context) => {
    const end = endOf(text);
    if (end !== undefined && end <= WHEN_MAX) return end;
    if (end !== undefined) {
      context.addIssue("must be earlier than 9999-12-31");
      return z.NEVER;
    }
    context.addIssue(
      "must be a date such as 2027-01-31 (which includes that day in UTC) or a time with its offset such as 2027-01-31T12:00:00Z",
    );
    return z.NEVER;
  })
  .meta(usage("WHEN"));

/** The start of a day in milliseconds since 1970 UTC. */
export const day = z
  .string()
  .transform((text, context) => {
    const start = startOfDay(text);
    if (start !== undefined) return start;
    context.addIssue("must be a date such as 2027-01-31");
    return z.NEVER;
  })
  .meta(usage("DATE"));

/** A number of minutes, hours or days in milliseconds. */
export const duration = z
  .string()
  .transform((text, context) => {
    const [, count = "", unit] = /^(\d{1,5})(m|h|d)$/.exec(text === "0" ? "0m" : text) ?? [];
    const ms = Number(count) * { m: 60_000, h: HOUR_MS, d: DAY_MS }[unit as "m" | "h" | "d"];
    if (unit !== undefined && ms <= ROTATION_DAYS_MAX * DAY_MS) return ms;
    context.addIssue(
      `must be a duration such as 90m, 24h or 7d, or 0, of at most ${ROTATION_DAYS_MAX} days`,
    );
    return z.NEVER;
  })
  .meta(usage("DURATION"));

/** The id of a key, with the account that it contains. */
export const keyId = z
  .string()
  .transform((id, context) => {
    const account = accountOfKeyId(id);
    if (account !== undefined) return { id, account };
    context.addIssue("must be the id of a key, which starts with key_; key list shows the ids");
    return z.NEVER;
  })
  .meta(usage("id", true));

/** The id of a call, as `callRef` writes it. */
export const callId = z
  .string()
  .transform((id, context) => {
    const call = parseCallRef(id);
    if (call !== null) return { id, ...call };
    context.addIssue(
      "must be the id of a call, which begins with call_ and contains the account's id and the time; request ids (req_…) lead to it through the log",
    );
    return z.NEVER;
  })
  .meta(usage("id", true));

export const jobId = z
  .string()
  .refine(isJobId, "must be the id of a job; jobs list --dead shows the ids")
  .meta(usage("id", true));

const GRANT_ID_CHARS_MAX = 100;
/** With or without the prefix that `credits show` prints; without it here. */
export const newGrantId = z
  .string()
  .transform((text) => text.replace(/^operator:/, ""))
  .pipe(
    z
      .string()
      .regex(
        new RegExp(`^[\\x21-\\x7e]{1,${GRANT_ID_CHARS_MAX}}$`),
        `must have 1 to ${GRANT_ID_CHARS_MAX} visible ASCII characters`,
      ),
  )
  .meta(usage("ID"));

export const text = (value: string) => z.string().max(1_000).meta(usage(value));
export const names = z.array(z.string().max(100)).max(100).meta(usage("LIST"));

// Of results.
/** A time, which operations return in milliseconds since 1970 UTC. */
export const time = z.preprocess(
  (at: number | string) => (typeof at === "number" ? instant(at) : at),
  z.iso.datetime(),
);
export const timeOrNull = time.nullable();
export const count = z.int().min(0);
export const textOrNull = z.string().nullable();
export const grantKind = z.enum(GRANT_KINDS);
