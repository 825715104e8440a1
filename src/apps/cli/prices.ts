import { commandLine } from "#command-line.ts";
import { counted, formatNumber } from "#counted.ts";
import { listPrices, removePrice, setPrice } from "#operator/prices.ts";
import { commandOf } from "./command.ts";
import { table } from "./text.ts";

export const PRICE_COMMANDS = [
  commandOf(setPrice, {
    details: [
      "N is what a successful call costs the account, from 0 to 1,000,000 credits. It replaces the price of the tool, even one that depends on the input, from the next call on, on every server.",
    ],
    example: "price set hash 3 --account you@example.com",
    positionals: ["tool", "credits"],
    print: ({ email, tool, credits, before }) =>
      `A call of ${tool} now costs ${email} ${counted(credits, "credit")}${before === null || before === credits ? "" : `, instead of ${formatNumber(before)}`}.\n`,
  }),
  commandOf(listPrices, {
    details: ["Other tools cost the account the same as every account."],
    example: "price list --account you@example.com",
    print: ({ email, prices }) =>
      prices.length === 0
        ? `${email} has no prices of its own. To set one, run for example:\n  ${commandLine("price set", "hash", "3", "--account", email)}\n`
        : table(
            ["tool", "credits per call"],
            prices.map(({ tool, credits }) => [tool, credits]),
          ),
  }),
  commandOf(removePrice, {
    example: "price remove hash --account you@example.com",
    positionals: ["tool"],
    print: ({ email, tool, before }) =>
      before === null
        ? `${email} had no price of its own for ${tool}. Nothing was changed.\n`
        : `A call of ${tool} now costs ${email} the price of the tool, instead of ${counted(before, "credit")}.\n`,
  }),
];
