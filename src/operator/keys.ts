import * as z from "zod";
import { AccountError, createKey, rotateKey, runSteps } from "#accounts/accounts.ts";
import { keyStart } from "#accounts/key-format.ts";
import { type KeyLimitsForm, readKeyLimits } from "#accounts/key-limits.ts";
import { findOwnerToNotify } from "#accounts/notify-owner.ts";
import { quotedCommand } from "#command-line.ts";
import { newKeyId } from "#ids.ts";
import { budgetsAt, isSameLimits, isUnused } from "#ledger/key-limits.ts";
import type { Key, KeyLimits } from "#ledger/port.ts";
import { DAY_MS, GRANT_CREDITS_MAX } from "#limits.ts";
import { accountOf, type OperatorContext, statusOf } from "./context.ts";
import {
  count,
  credits,
  duration,
  email,
  keyId,
  names,
  text,
  time,
  timeOrNull,
  usage,
  when,
} from "./members.ts";
import { defineOperation, done, sayNotified } from "./operation.ts";

/** Operations on API keys. */

const rate = z
  .int("must be a whole number of calls per second")
  .min(1, "must be at least 1 call per second")
  .max(GRANT_CREDITS_MAX)
  .meta(usage("N"));
/** The limits that an operator can give a key. In a change, null removes a limit, and a missing member leaves it. */
const limits = {
  expires: when.nullish(),
  tools: names.nullish(),
  budgetDay: credits.nullish(),
  budgetMonth: credits.nullish(),
  budgetTotal: credits.nullish(),
  networks: names.nullish(),
  rate: rate.nullish(),
};
type LimitChange = z.output<z.ZodObject<typeof limits>>;

const budgetLeft = z
  .object({ credits: count, spent: count, remaining: count, resetsAt: timeOrNull })
  .nullable();
const limitsShown = z
  .object({
    expiresAt: timeOrNull,
    tools: z.array(z.string()).nullable(),
    networks: z.array(z.string()).nullable(),
    rate: count.nullable(),
    budgets: z.object({ day: budgetLeft, month: budgetLeft, total: budgetLeft }),
  })
  .nullable();
export const listedKey = z.object({
  ...{ id: z.string(), start: z.string(), label: z.string(), createdAt: time },
  ...{ lastUsedAt: timeOrNull, revokedAt: timeOrNull, limits: limitsShown },
  /** Until when the secret before the last rotation works. */
  previousUntil: timeOrNull,
  /** Whether it is old and was not used for long. */
  unused: z.boolean(),
});

export const viewKey = (key: Key, now: number): z.input<typeof listedKey> => ({
  ...{ ...key, limits: viewLimits(key, now) },
  previousUntil: key.previous?.until ?? null,
  unused: isUnused(key, now),
});

function viewLimits(key: Key, now: number): z.input<typeof limitsShown> {
  if (key.limits === null) return null;
  const { tools, networks, rate, expiresAt } = key.limits;
  return {
    ...{ rate, expiresAt, budgets: budgetsAt(key, now) },
    ...{ tools: tools && [...tools], networks: networks && [...networks] },
  };
}

export const createApiKey = defineOperation({
  name: "key create",
  summary: "Create an API key and show it once",
  input: z.strictObject({ email, label: text("L"), ...limits }),
  output: z.object({ id: z.string(), key: z.string() }),
  async find(context, input, order) {
    const { account, email } = await accountOf(context, input, order);
    return { account, email, id: newKeyId(account, order.random) };
  },
  action: { subject: ({ id }) => id },
  async run(context, { label, email: _, ...change }, order, { account, email, id }) {
    const { ledger, accountDeps, keyBounds, notify } = context;
    const { state } = await statusOf(context, account, order.now);
    const notifyOwner = await findOwnerToNotify(notify, account);
    const limits = readKeyLimits(changeLimits(null, change), keyBounds, order.now);
    const isAgain = (await ledger.listKeys({ account })).some((each) => each.id === id);
    const deps = { ...accountDeps, random: order.random };
    const { key } = await createKey(deps, account, label, order.now, id, limits);
    if (!isAgain) {
      const made = { label: label.trim(), start: keyStart(key) };
      sayNotified(order, await notifyOwner({ kind: "key_created", key: made }, order.now));
    }
    if (state === "suspended")
      order.say(
        `The account is suspended. To accept its calls, run ${quotedCommand("account resume", email)}.`,
      );
    return { id, key };
  },
});

export const listKeys = defineOperation({
  name: "key list",
  summary: "List the API keys of an account, including revoked keys",
  input: z.strictObject({ email }),
  output: z.object({ account: z.string(), email: z.string(), keys: z.array(listedKey) }),
  find: accountOf,
  action: null,
  async run({ ledger }, _, { now }, { account, email }) {
    const keys = await ledger.listKeys({ account });
    return { account, email, keys: keys.map((key) => viewKey(key, now)) };
  },
});

export const limitKey = defineOperation({
  name: "key limit",
  summary: "Change the limits of an API key; limits that you do not name stay",
  input: z
    .strictObject({ id: keyId, ...limits, clear: z.boolean().optional() })
    .refine(
      ({ id: _, ...change }) => Object.values(change).some((value) => value !== undefined),
      "requires a limit, for example --budget-day 500",
    ),
  output: z.object({ id: z.string(), limits: limitsShown }),
  find: findKey,
  action: { subject: ({ key }) => key.id },
  async run({ ledger, keyBounds, notify }, { id: _, clear, ...change }, order, { account, key }) {
    const { id } = key;
    const { now } = order;
    const form = changeLimits(clear === true ? null : key.limits, change);
    const limits = readKeyLimits(form, keyBounds, now, key.limits);
    const notifyOwner = await findOwnerToNotify(notify, account);
    const { found } = await ledger.changeKey({ account, id, limits, now });
    if (!found)
      throw new AccountError(
        `Key ${id} is revoked, or its account is closed. Nothing was changed.`,
      );
    if (!isSameLimits(limits, key.limits))
      sayNotified(order, await notifyOwner({ kind: "key_limited", key }, now));
    const keys = await runSteps(() => ledger.listKeys({ account }));
    const after = keys.find((each) => each.id === id) ?? key;
    return { id, limits: viewLimits(after, now) };
  },
});

export const rotateApiKey = defineOperation({
  name: "key rotate",
  summary: "Give an API key a new secret and show it once, while the old one keeps working",
  input: z
    .strictObject({ id: keyId, keep: duration.optional(), again: z.boolean().optional() })
    .refine(
      ({ keep, again }) => again !== true || keep === undefined,
      "--again and --keep exclude each other",
    ),
  output: z.object({ id: z.string(), key: z.string(), previousUntil: time }),
  find: findKey,
  action: {
    subject: ({ key }) => key.id,
    end: ({ previousUntil }) => done(`the old secret works until ${previousUntil}`),
  },
  async run({ accountDeps, notify }, { keep = DAY_MS, again }, order, { account, key: before }) {
    const { id, previous } = before;
    const { now } = order;
    if (again === true && (previous === null || previous.until <= now))
      throw new AccountError(`Key ${id} has no old secret that works. Rotate it without --again.`);
    const previousUntil = again === true && previous !== null ? previous.until : now + keep;
    const notifyOwner = await findOwnerToNotify(notify, account);
    const deps = { ...accountDeps, random: order.random };
    const { key } = await rotateKey(deps, { account, id, previousUntil, now });
    const rotated = { label: before.label, start: keyStart(key), previousUntil };
    // The order was sent again, because its response was lost.
    const isAgain = before.sha256 === (await accountDeps.hashKey(key));
    if (!isAgain) sayNotified(order, await notifyOwner({ kind: "key_rotated", key: rotated }, now));
    const until = isAgain ? (previous?.until ?? previousUntil) : previousUntil;
    return { id, key, previousUntil: until };
  },
});

export const revokeKey = defineOperation({
  name: "key revoke",
  summary: "Revoke an API key, so that its calls get 401",
  input: z.strictObject({ id: keyId }),
  output: z.object({ id: z.string(), revokedAt: time }),
  find: findKey,
  action: { subject: ({ key }) => key.id },
  async run({ ledger, notify }, _, order, { account, key }) {
    const { id, revokedAt } = key;
    if (revokedAt !== null) return { id, revokedAt };
    const notifyOwner = await findOwnerToNotify(notify, account);
    await ledger.revokeKey({ account, id, now: order.now });
    sayNotified(order, await notifyOwner({ kind: "key_revoked", key }, order.now));
    return { id, revokedAt: order.now };
  },
});

async function findKey(
  { ledger }: Pick<OperatorContext, "ledger">,
  { id: { id, account } }: { id: { id: string; account: string } },
): Promise<{ account: string; key: Key }> {
  const key = (await ledger.listKeys({ account })).find((each) => each.id === id);
  if (key !== undefined) return { account, key };
  throw new AccountError(
    `There is no key ${id}. To see the keys of its account, run ${quotedCommand("key list", account)}.`,
  );
}

/** Returns the limits after a change. What the change does not name stays. */
function changeLimits(before: KeyLimits | null, change: LimitChange): KeyLimitsForm {
  const changed = <Value>(value: Value | null | undefined, old: Value | null | undefined) =>
    value === undefined ? (old ?? null) : value;
  const { budgets } = before ?? {};
  return {
    expiresAt: changed(change.expires, before?.expiresAt),
    tools: changed(change.tools, before?.tools && [...before.tools]),
    networks: changed(change.networks, before?.networks && [...before.networks]),
    rate: changed(change.rate, before?.rate),
    budgets: {
      day: changed(change.budgetDay, budgets?.day),
      month: changed(change.budgetMonth, budgets?.month),
      total: changed(change.budgetTotal, budgets?.total),
    },
  };
}
