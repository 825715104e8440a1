import { commandLine, quotedCommand } from "#command-line.ts";
import { accountOfKeyId, newKeyId } from "#ids.ts";
import { isUnused } from "#ledger/key-limits.ts";
import { DAY_MS, HOUR_MS, KEY_UNUSED_DAYS, ROTATION_DAYS_MAX } from "#limits.ts";
import { random } from "../node/runtime.ts";
import {
  type Command,
  CommandError,
  flag,
  option,
  positional,
  requiredOption,
  type Session,
  UsageError,
} from "./command.ts";
import { accountOf, command, logNotification, statusOf } from "./deployment.ts";
import {
  changeLimits,
  describeLimits,
  isEmptyChange,
  LIMIT_DETAILS,
  LIMIT_PARAMETERS,
  viewLimits,
} from "./key-limits.ts";
import { counted, instantOrNull, minute, table, withInstants } from "./text.ts";

export const KEY_COMMANDS: readonly Command[] = [
  command({
    name: "key create",
    summary: "Create an API key and show it once",
    details: [
      "Labels tell keys apart. Create one key per environment, for example production and staging.",
      ...LIMIT_DETAILS,
    ],
    example: "key create you@example.com --label production --tools hash,uuid --budget-day 500",
    parameters: {
      email: positional("<email>"),
      label: requiredOption("L", "name the key, for example --label production."),
      ...LIMIT_PARAMETERS,
    },
    async run({ label, ...args }, session) {
      const { client, now, log } = session;
      const { account, email } = await accountOf(session, args.email);
      const { state } = await statusOf(session, account);
      const { email: _, ...change } = args;
      const limits = isEmptyChange(change) ? null : changeLimits(null, change);
      const order = { account, id: newKeyId(account, random), label, limits, now };
      const { id, key, notified } = await client.createKey(order);
      logNotification(session, notified);
      if (state === "suspended")
        log(
          `The account is suspended. To accept its calls, run ${quotedCommand("account resume", email)}.`,
        );
      return {
        json: { id, key },
        text: `${key}\n\nCreated key ${id} for ${email}. Store the key now, because it cannot be shown again.\n`,
      };
    },
  }),
  command({
    name: "key list",
    summary: "List the API keys of an account, including revoked keys",
    example: "key list you@example.com",
    parameters: { email: positional("<email>") },
    async run(args, session) {
      const { account, email } = await accountOf(session, args.email);
      const keys = await session.client.listKeys({ account });
      const { now } = session;
      const headings = [
        "id",
        "starts with",
        "label",
        "created (UTC)",
        "last used (UTC)",
        "revoked (UTC)",
        "limits",
      ];
      const rows = keys.map((key) => [
        key.id,
        `${key.start}…`,
        key.label,
        minute(key.createdAt, ""),
        minute(key.lastUsedAt, "never"),
        minute(key.revokedAt, "no"),
        describeLimits(key, now).join("; ") || "none",
      ]);
      const unused = keys.filter((key) => isUnused(key, now)).map(({ id }) => id);
      return {
        json: {
          email,
          keys: keys.map(({ account: _, sha256: __, spent, previous, limits, ...key }) => ({
            ...withInstants(key),
            limits: viewLimits({ limits, spent }, now),
            previousUntil: instantOrNull(previous?.until ?? null),
            unused: unused.includes(key.id),
          })),
        },
        text:
          rows.length === 0
            ? `The account of ${email} has no keys. To create one, run:\n  ${commandLine("key create", email, "--label", "production")}\n`
            : `${table(headings, rows)}${unusedText(unused)}`,
      };
    },
  }),
  command({
    name: "key limit",
    summary: "Change the limits of an API key; limits that are not named stay",
    details: [
      ...LIMIT_DETAILS,
      "The value none removes a limit, and --clear removes all limits that the command does not name. What a budget has spent stays, unless no budget is left.",
    ],
    example: "key limit key_5XkP0aZ81bQe7RtYw2MnLp --budget-month 10000 --expires none",
    parameters: {
      key: positional("<id>", readKeyId),
      ...LIMIT_PARAMETERS,
      clear: flag,
    },
    async run({ key: { id, account }, clear, ...change }, session) {
      if (!clear && isEmptyChange(change)) {
        throw new UsageError("key limit requires a limit, for example --budget-day 500.");
      }
      const { client, now } = session;
      const before = await findKey(session, account, id);
      const limits = changeLimits(clear ? null : before.limits, change);
      const { found, notified } = await client.limitKey({ account, id, limits, now });
      if (!found) {
        throw new CommandError(
          `Key ${id} is revoked, or its account is closed. Nothing was changed.`,
        );
      }
      logNotification(session, notified);
      const key = await findKey(session, account, id);
      const described = describeLimits(key, now);
      return {
        json: { id, limits: viewLimits(key, now) },
        text:
          described.length === 0
            ? `Key ${id} has no limits now.\n`
            : `Key ${id} is limited now: ${described.join("; ")}.\n`,
      };
    },
  }),
  command({
    name: "key rotate",
    summary: "Give an API key a new secret and show it once, while the old one keeps working",
    details: [
      `DURATION is a number of minutes, hours or days, such as 90m, 24h or 7d: how long the old secret keeps working, at most ${ROTATION_DAYS_MAX} days. Without --keep it is 24 hours. If the old secret has leaked, use --keep 0.`,
      "The key keeps its id, label, limits and usage. If the key was rotated before and that secret still works, it stops working now.",
      "--again repeats the last rotation, whose new secret you did not get to see: only that secret is replaced, and the old one keeps its end.",
    ],
    example: "key rotate key_5XkP0aZ81bQe7RtYw2MnLp --keep 7d",
    parameters: {
      key: positional("<id>", readKeyId),
      keep: option("DURATION", readDuration),
      again: flag,
    },
    async run({ key: { id, account }, keep, again }, session) {
      const { client, now } = session;
      if (again && keep !== undefined)
        throw new UsageError("--again and --keep exclude each other");
      const previous = again ? (await findKey(session, account, id)).previous : null;
      if (again && (previous === null || previous.until <= now)) {
        throw new CommandError(
          `Key ${id} has no old secret that works. Rotate it without --again.`,
        );
      }
      const previousUntil = previous?.until ?? now + (keep ?? DAY_MS);
      const { key, notified } = await client.rotateKey({ account, id, previousUntil, now });
      logNotification(session, notified);
      const old =
        previousUntil <= now
          ? "The old secret no longer works."
          : `The old secret works until ${minute(previousUntil, "")} UTC.`;
      return {
        json: { id, key, previousUntil: instantOrNull(previousUntil) },
        text: `${key}\n\nRotated key ${id}. ${old} Store the new one now, because it cannot be shown again.\n`,
      };
    },
  }),
  command({
    name: "key revoke",
    summary: "Revoke an API key, so that its calls get 401",
    details: ["key list shows the ids. A revoked key cannot be restored; create another key."],
    example: "key revoke key_5XkP0aZ81bQe7RtYw2MnLp",
    parameters: { key: positional("<id>", readKeyId) },
    async run({ key: { id, account } }, session) {
      const { client, now } = session;
      const { found, revokedAt, notified } = await client.revokeKey({ account, id, now });
      if (!found) throw noSuchKey(id);
      logNotification(session, notified);
      return {
        json: { id, revokedAt: instantOrNull(revokedAt) },
        text: `Revoked key ${id}. Its calls now get 401.\n`,
      };
    },
  }),
];

async function findKey({ client }: Session, account: string, id: string) {
  const key = (await client.listKeys({ account })).find((each) => each.id === id);
  if (key !== undefined) return key;
  throw noSuchKey(id);
}

const noSuchKey = (id: string) =>
  new CommandError(
    `There is no key ${id}. To see the keys of its account, run ${quotedCommand("key list", accountOfKeyId(id) ?? "")}.`,
  );

const unusedText = (ids: readonly string[]) =>
  ids.length === 0
    ? ""
    : `\n${counted(ids.length, "key")} older than ${KEY_UNUSED_DAYS} days and not used for as long: ${ids.join(", ")}. To revoke the first, run:\n  ${commandLine("key revoke", ids[0] as string)}\n`;

/** Reads a duration such as 90m, 24h or 7d in milliseconds. */
function readDuration(text: string, name: string): number {
  const [, count, unit = ""] = /^(\d{1,5})(m|h|d)?$/.exec(text) ?? [];
  const ms = Number(count) * ({ m: 60_000, h: HOUR_MS, d: DAY_MS }[unit] ?? 0);
  if (
    count !== undefined &&
    (unit !== "" || ms === Number(count)) &&
    ms <= ROTATION_DAYS_MAX * DAY_MS
  )
    return ms;
  throw new UsageError(
    `${name} must be a duration such as 90m, 24h or 7d, or 0, of at most ${ROTATION_DAYS_MAX} days; got "${text}".`,
  );
}

/** The message does not repeat the text, which may be a complete key. */
function readKeyId(text: string): { id: string; account: string } {
  const account = accountOfKeyId(text);
  if (account !== undefined) return { id: text, account };
  throw new UsageError(
    `This is not the id of a key. Ids start with key_, and key list shows them. For help, run ${quotedCommand("key list --help")}.`,
  );
}
