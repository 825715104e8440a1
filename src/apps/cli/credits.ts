import { counted, formatNumber } from "#counted.ts";
import { clawBackCredits, grantCredits, showCredits } from "#operator/credits.ts";
import { commandOf } from "./command.ts";
import { minute, table } from "./text.ts";

export const CREDITS_COMMANDS = [
  commandOf(grantCredits, {
    details: [
      "WHEN is a date (2027-01-31: spendable to the end of that day in UTC) or a time with its offset (2027-01-31T12:00:00Z). Without --expires the credits never expire.",
      "Every run makes another grant. With --id the grant has that id, and repeating the command adds nothing.",
    ],
    example: "credits grant you@example.com 500 --expires 2099-12-31",
    positionals: ["email", "credits"],
    print({ granted, id, amount, email, expiresAt, balance }) {
      const expiry = expiresAt === null ? "no expiry" : `expiry on ${minute(expiresAt, "")} UTC`;
      return granted
        ? `Granted ${counted(amount, "credit")} to ${email}, with ${expiry}. The balance is ${formatNumber(balance)}.\n`
        : `The grant ${id} already exists. Nothing was added. The balance of ${email} is ${formatNumber(balance)}.\n`;
    },
  }),
  commandOf(clawBackCredits, {
    details: [
      "N is how many credits of the grant are taken back in total, so repeating the command changes nothing, and a later command with a larger N takes back more. Credits that are spent or expired stay as they are: the balance never falls below zero. If a call that the grant paid for is reversed later, its credits are taken back too, up to N.",
      "credits show lists the grants of an account. Without --account the command searches all accounts for the grant; at the edge the account is required.",
      "Credits that were bought are taken back by refunding the payment.",
    ],
    example: "credits clawback operator:H9F1mDaV0qVZTyQB 4500",
    positionals: ["grant", "credits"],
    print({ clawedBack, amount, id, spent, email, account, balance }, { credits }) {
      const rest = spent + clawedBack < amount ? ", and the rest expired" : "";
      const short =
        clawedBack < Math.min(credits, amount)
          ? ` ${counted(spent, "credit is", "credits are")} spent${rest}.`
          : "";
      return `${formatNumber(clawedBack)} of the ${counted(amount, "credit")} of ${id} are taken back.${short} The balance of ${email ?? account} is ${formatNumber(balance)}.\n`;
    },
  }),
  commandOf(showCredits, {
    details: [
      "Grants are listed in the order in which they are spent. Spent and expired grants come last, newest first.",
    ],
    example: "credits show you@example.com",
    positionals: ["email"],
    print({ balance, held = 0, grants }, { email }) {
      const running = held === 0 ? "" : ` Running calls hold ${formatNumber(held)} more.`;
      const heading = `The balance of ${email} is ${counted(balance, "credit")}.${running}\n`;
      if (grants.length === 0) return heading;
      const isExpired = (at: string | null) => at !== null && Date.parse(at) <= Date.now();
      const rows = grants.map(({ id, kind, amount, remaining, expiresAt }) => [
        ...[id, kind, amount, remaining],
        minute(expiresAt, "never") + (isExpired(expiresAt) ? ", expired" : ""),
      ]);
      return `${heading}\n${table(["grant", "kind", "amount", "remaining", "expires (UTC)"], rows)}`;
    },
  }),
];
