import type * as z from "zod";
import { commandLine } from "#command-line.ts";
import { counted, formatNumber } from "#counted.ts";
import { KEY_UNUSED_DAYS, ROTATION_DAYS_MAX } from "#limits.ts";
import {
  createApiKey,
  limitKey,
  type listedKey,
  listKeys,
  revokeKey,
  rotateApiKey,
} from "#operator/keys.ts";
import { commandOf } from "./command.ts";
import { minute, table } from "./text.ts";

type Key = z.infer<typeof listedKey>;

const LIMITS =
  "WHEN is a date (2027-01-31: the key works to the end of that day in UTC) or a time with its offset. --tools and --networks take lists without spaces, such as hash,uuid and 203.0.113.0/24,2001:db8::/48. Budgets are in credits per UTC day, per UTC month and in total; they count from now on. --rate is in calls per second, below the limit of the account.";
const EXAMPLE_ID = "key_5XkP0aZ81bQe7RtYw2MnLp";

export const KEY_COMMANDS = [
  commandOf(createApiKey, {
    details: [
      "Labels tell keys apart. Create one key per environment, for example production and staging.",
      LIMITS,
    ],
    example: "key create you@example.com --label production --tools hash,uuid --budget-day 500",
    positionals: ["email"],
    print: ({ id, key }, { email }) =>
      `${key}\n\nCreated key ${id} for ${email}. Store the key now, because it cannot be shown again.\n`,
  }),
  commandOf(listKeys, {
    example: "key list you@example.com",
    positionals: ["email"],
    print({ email, keys }) {
      if (keys.length === 0)
        return `The account of ${email} has no keys. To create one, run:\n  ${commandLine("key create", email, "--label", "production")}\n`;
      const unused = keys.filter((key) => key.unused).map(({ id }) => id);
      return keyTable(keys, "starts with") + unusedText(unused);
    },
  }),
  commandOf(limitKey, {
    details: [
      LIMITS,
      "The value none removes a limit, and --clear removes all limits that the command does not name. What a budget has spent stays, unless no budget is left.",
    ],
    example: `key limit ${EXAMPLE_ID} --budget-month 10000 --expires none`,
    positionals: ["id"],
    print({ id, limits }) {
      const described = describeLimits({ limits, previousUntil: null });
      return described.length === 0
        ? `Key ${id} now has no limits.\n`
        : `Key ${id} is now limited: ${described.join("; ")}.\n`;
    },
  }),
  commandOf(rotateApiKey, {
    details: [
      `DURATION is a number of minutes, hours or days, such as 90m, 24h or 7d: how long the old secret keeps working, at most ${ROTATION_DAYS_MAX} days. Without --keep it is 24 hours. If the old secret has leaked, use --keep 0.`,
      "The key keeps its id, label, limits and usage. If the key was rotated before and that secret still works, it stops working now.",
      "--again repeats the last rotation, whose new secret you did not get to see: only that secret is replaced, and the old one still stops when planned.",
    ],
    example: `key rotate ${EXAMPLE_ID} --keep 7d`,
    positionals: ["id"],
    print: ({ id, key, previousUntil }, { keep }) =>
      `${key}\n\nRotated key ${id}. ${keep === "0" ? "The old secret no longer works." : `The old secret works until ${minute(previousUntil, "")} UTC.`} Store the new one now, because it cannot be shown again.\n`,
  }),
  commandOf(revokeKey, {
    details: ["key list shows the ids. A revoked key cannot be restored; create another key."],
    example: `key revoke ${EXAMPLE_ID}`,
    positionals: ["id"],
    print: ({ id }) => `Revoked key ${id}. Its calls now get 401.\n`,
  }),
];

export const keyTable = (keys: readonly Key[], startsWith: string | null): string =>
  table(
    [
      ...["id", ...(startsWith === null ? [] : [startsWith]), "label"],
      ...["created (UTC)", "last used (UTC)", "revoked (UTC)", "limits"],
    ],
    keys.map((key) => [
      ...[key.id, ...(startsWith === null ? [] : [`${key.start}…`]), key.label],
      ...[minute(key.createdAt, ""), minute(key.lastUsedAt, "never"), minute(key.revokedAt, "no")],
      describeLimits(key).join("; ") || "none",
    ]),
  );

const unusedText = (ids: readonly string[]) =>
  ids.length === 0
    ? ""
    : `\n${counted(ids.length, "key")} older than ${KEY_UNUSED_DAYS} days and not used in that time: ${ids.join(", ")}. To revoke the first, run:\n  ${commandLine("key revoke", ids[0] as string)}\n`;

/** Says what limits allow, in a few words for each. */
function describeLimits({ limits, previousUntil }: Pick<Key, "limits" | "previousUntil">) {
  const parts: string[] = [];
  const isAhead = (at: string) => Date.parse(at) > Date.now();
  if (previousUntil !== null && isAhead(previousUntil))
    parts.push(`old secret until ${minute(previousUntil, "")}`);
  if (limits === null) return parts;
  const { expiresAt, tools, networks, rate, budgets } = limits;
  if (expiresAt !== null)
    parts.push(`${isAhead(expiresAt) ? "expires" : "expired"} ${minute(expiresAt, "")}`);
  if (tools !== null) parts.push(`tools ${tools.join(", ")}`);
  for (const [left, period] of [
    [budgets.day, "per day"],
    [budgets.month, "per month"],
    [budgets.total, "in total"],
  ] as const)
    if (left !== null)
      parts.push(
        `${counted(left.credits, "credit")} ${period} (${formatNumber(left.remaining)} left)`,
      );
  if (networks !== null) parts.push(`networks ${networks.join(", ")}`);
  if (rate !== null) parts.push(`${counted(rate, "call")} per second`);
  return parts;
}
