import * as z from "zod";
import { AccountError } from "#accounts/accounts.ts";
import { quotedCommand } from "#command-line.ts";
import { OWN_PRICES_MAX } from "#limits.ts";
import { accountOf, type FoundAccount, type OperatorContext, statusOf } from "./context.ts";
import { count, email, price, text, usage } from "./members.ts";
import { defineOperation, done, type Order, unchanged } from "./operation.ts";

/** Operations on the prices that an account has of its own. */

const account = email.meta(usage("EMAIL"));
const find = (context: OperatorContext, { account: email }: { account: string }, order: Order) =>
  accountOf(context, { email }, order);
const subject = (target: FoundAccount) => target.account;

export const ownPrices = z.array(z.object({ tool: z.string(), credits: count }));

/** By the names of the tools. */
export const viewPrices = (prices: Readonly<Record<string, number>>): z.infer<typeof ownPrices> =>
  Object.entries(prices)
    .map(([tool, credits]) => ({ tool, credits }))
    .sort((one, other) => (one.tool < other.tool ? -1 : 1));

export const setPrice = defineOperation({
  name: "price set",
  summary: "Set what a call of a tool costs an account, from its next call on",
  input: z.strictObject({ tool: text("tool"), credits: price, account }),
  output: z.object({
    ...{ email: z.string(), tool: z.string(), credits: count },
    /** The account's own price before; null if it had none. */
    before: count.nullable(),
  }),
  find,
  action: {
    subject,
    end: ({ tool, credits, before }) =>
      credits === before
        ? unchanged(`${tool} already costs ${credits}`)
        : done(`${tool} costs ${credits}${before === null ? "" : ` instead of ${before}`}`),
  },
  async run(context, { tool, credits }, order, target) {
    const { tools } = context.keyBounds;
    if (!tools.includes(tool))
      throw new AccountError(`There is no tool "${tool}". The tools are ${tools.join(", ")}.`);
    const prices = await pricesOf(context, order, target);
    if (priceIn(prices, tool) === null && Object.keys(prices).length >= OWN_PRICES_MAX)
      throw new AccountError(
        `The account of ${target.email} already has ${OWN_PRICES_MAX} prices of its own, the maximum. Remove one first.`,
      );
    await change(context, order, target, tool, credits);
    return { email: target.email, tool, credits, before: priceIn(prices, tool) };
  },
});

export const removePrice = defineOperation({
  name: "price remove",
  summary: "Remove an account's own price for a tool, so that the tool's price applies again",
  input: z.strictObject({ tool: text("tool"), account }),
  output: z.object({ email: z.string(), tool: z.string(), before: count.nullable() }),
  find,
  action: {
    subject,
    end: ({ tool, before }) =>
      before === null ? unchanged(`no price for ${tool}`) : done(`${tool} cost ${before}`),
  },
  async run(context, { tool }, order, target) {
    const before = priceIn(await pricesOf(context, order, target), tool);
    if (before !== null) await change(context, order, target, tool, null);
    return { email: target.email, tool, before };
  },
});

export const listPrices = defineOperation({
  name: "price list",
  summary: "List an account's own prices",
  input: z.strictObject({ account }),
  output: z.object({
    email: z.string(),
    prices: ownPrices,
  }),
  find,
  action: null,
  async run(context, _, order, target) {
    return { email: target.email, prices: viewPrices(await pricesOf(context, order, target)) };
  },
});

async function pricesOf(context: OperatorContext, { now }: Order, { account }: FoundAccount) {
  const { prices } = await statusOf(context, account, now);
  return prices;
}

const priceIn = (prices: Readonly<Record<string, number>>, tool: string): number | null =>
  Object.hasOwn(prices, tool) ? (prices[tool] ?? null) : null;

async function change(
  { ledger }: OperatorContext,
  { now }: Order,
  { account, email }: FoundAccount,
  tool: string,
  credits: number | null,
): Promise<void> {
  const { found } = await ledger.changeAccount({ account, price: { tool, credits }, now });
  if (!found)
    throw new AccountError(
      `The account of ${email} is closed. To see all accounts, run ${quotedCommand("account list")}.`,
    );
}
