import type { OutcomeOf } from "#operator/operations.ts";
import type { Outcome, Session } from "./command.ts";
import { accountOf, statusOf } from "./deployment.ts";
import { describeLimits } from "./key-limits.ts";
import { counted, instant, instantOrNull, integer, minute, table } from "./text.ts";

/** Shows what an operator needs to help the owner of an account. */
export async function showAccount(typed: string, session: Session): Promise<Outcome> {
  const { client, now } = session;
  const { account: id, email } = await accountOf(session, typed);
  const [status, keys, credits, { owner, starter }] = await Promise.all([
    statusOf(session, id),
    client.listKeys({ account: id }),
    client.credits({ account: id, now, max: 0 }),
    client.findOwner({ account: id }),
  ]);
  const { state, createdAt, balance, lifetime, freeCall, lowBalance } = status;
  const { nextExpiry } = credits;
  const plan = lifetime ? "lifetime" : "credits";
  const shownKeys = keys.map(({ id, label, start, createdAt, lastUsedAt, revokedAt }) => ({
    ...{ id, label, start, createdAt: instant(createdAt) },
    lastUsedAt: instantOrNull(lastUsedAt),
    revokedAt: instantOrNull(revokedAt),
  }));
  const lines: [name: string, value: string][] = [
    ["email", email],
    ["account", id],
    ["state", state],
    ["created", minute(createdAt, "")],
    ["plan", lifetime ? "lifetime: credits do not expire" : "credits"],
    ["balance", `${counted(balance, "credit")}${expiryText(nextExpiry)}`],
    ["free call", FREE_CALL[freeCall]],
    ["starter credits", starter === null ? "never asked for" : STARTER[starter.outcome]],
    ["owner", ownerText(owner)],
    ...(owner === null ? [] : [["sessions", integer(owner.sessions)] as [string, string]]),
  ];
  return {
    json: {
      ...{ id, email, state, createdAt: instant(createdAt), plan, balance },
      nextExpiry: nextExpiry && { credits: nextExpiry.credits, at: instant(nextExpiry.at) },
      ...{ freeCall, lowBalance },
      starter: starter && { outcome: starter.outcome, at: instant(starter.at) },
      owner: owner && {
        ...owner,
        createdAt: instant(owner.createdAt),
        signIns: owner.signIns.map(({ at, kind, address, browser, times }) => ({
          ...{ at: instant(at), kind, address, browser, times },
        })),
      },
      keys: shownKeys,
    },
    text: [
      linesText(lines),
      keys.length === 0 ? "\nNo keys.\n" : `\n${keyTable(keys, now)}`,
      owner === null || owner.signIns.length === 0 ? "" : `\n${signInTable(owner.signIns)}`,
    ].join(""),
  };
}

type Owner = OutcomeOf<"findOwner">["owner"];

const FREE_CALL = {
  open: "not used yet",
  used: "used",
  withheld: "none: the address had an account before",
};

const STARTER: Record<NonNullable<OutcomeOf<"findOwner">["starter"]>["outcome"], string> = {
  granted: "granted",
  address_used: "none: another account of this person had them",
  disposable: "none: the address is of a disposable provider",
  network_full: "none: the budget of the network for that day was exhausted",
  day_full: "none: the budget of that day was exhausted",
};

const expiryText = (next: OutcomeOf<"credits">["nextExpiry"]) =>
  next === null ? "" : `, of which ${integer(next.credits)} expire on ${minute(next.at, "")}`;

function ownerText(owner: Owner): string {
  if (owner === null) return "nobody has signed up with this address";
  const { createdAt, logins, passkeys, demandsPasskey } = owner;
  const passkeysText = `${counted(passkeys, "passkey")}${demandsPasskey ? ", which is demanded" : ""}`;
  const ways = ["codes by email", ...logins, ...(passkeys === 0 ? [] : [passkeysText])];
  return `signed up ${minute(createdAt, "")}; ${ways.join(", ")}`;
}

const linesText = (lines: readonly [string, string][]) => {
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  return lines.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join("");
};

const keyTable = (keys: OutcomeOf<"listKeys">, now: number) =>
  table(
    ["key", "label", "created (UTC)", "last used (UTC)", "revoked (UTC)", "limits"],
    keys.map((key) => [
      key.id,
      key.label,
      minute(key.createdAt, ""),
      minute(key.lastUsedAt, "never"),
      minute(key.revokedAt, "no"),
      describeLimits(key, now).join("; ") || "none",
    ]),
  );

const signInTable = (events: NonNullable<Owner>["signIns"]) =>
  table(
    ["sign-in (UTC)", "kind", "from", "browser"],
    events.map(({ at, kind, times, address, browser }) => [
      minute(at, ""),
      `${kind.replaceAll("_", " ")}${times > 1 ? ` (${times} times)` : ""}`,
      address ?? "",
      browser ?? "",
    ]),
  );
