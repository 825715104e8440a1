import type { Ledger, LedgerOperations } from "#ledger/port.ts";
import { actInSteps } from "./act-in-steps.ts";
import type { Directory, DirectoryOperations } from "./directory.ts";
import { keyStart } from "./key-format.ts";
import { closeAccount, createKey, type Desk, DeskRefusal, openAccount } from "./people.ts";
import { personToTell, type TellWiring, type Told } from "./tell-person.ts";

/**
 * What operators read of one account and do to it: the command line beside the data, and the operator's door of a
 * deployed service, do the same. Orders and outcomes are plain data.
 *
 * An order that changes something names what it makes and its own time, so that it may be sent again where its answer
 * was lost: it is carried out once.
 */
export type OperatorOperations = {
  findAddress: DirectoryOperations["findByEmail"];
  listAddresses: DirectoryOperations["listAddresses"];
  findAccount: LedgerOperations["findAccount"];
  listKeys: LedgerOperations["listKeys"];
  credits: LedgerOperations["credits"];

  /** For an address that counts as verified; `credits` become a grant of that id without expiry. */
  openAccount: [
    {
      account: string;
      email: string;
      credits: { grant: string; amount: number } | null;
      now: number;
    },
    { account: string; email: string },
  ];
  suspendAccount: LedgerOperations["suspendAccount"];
  resumeAccount: LedgerOperations["resumeAccount"];
  closeAccount: [
    { account: string; email: string; now: number },
    { account: string; forfeited: number; told: Told },
  ];
  /** The key leaves once: the order sent again is refused, and the key has to be revoked. */
  createKey: [
    { account: string; id: string; label: string; now: number },
    { id: string; key: string; told: Told },
  ];
  revokeKey: [
    { account: string; id: string; now: number },
    { found: boolean; revokedAt: number | null; told: Told },
  ];
  relabelKey: LedgerOperations["relabelKey"];
  grant: LedgerOperations["grant"];
};

export type OperatorDesk = {
  [Name in keyof OperatorOperations]: (
    order: OperatorOperations[Name][0],
  ) => Promise<OperatorOperations[Name][1]>;
};

export type OperatorDeskWiring = {
  ledger: Ledger;
  directory: Directory;
  /** With the secrets, for what makes keys or hashes addresses. */
  desk(): Promise<Desk>;
  tell: TellWiring;
};

export function createOperatorDesk(wiring: OperatorDeskWiring): OperatorDesk {
  const { ledger, directory } = wiring;
  return {
    findAddress: directory.findByEmail,
    listAddresses: directory.listAddresses,
    findAccount: ledger.findAccount,
    listKeys: ledger.listKeys,
    credits: ledger.credits,
    suspendAccount: ledger.suspendAccount,
    resumeAccount: ledger.resumeAccount,
    relabelKey: ledger.relabelKey,
    grant: ledger.grant,
    openAccount: (order) => actInSteps(() => open(wiring, order)),
    closeAccount: (order) => close(wiring, order),
    createKey: (order) => makeKey(wiring, order),
    revokeKey: (order) => revoke(wiring, order),
  };
}

type Order<Name extends keyof OperatorOperations> = OperatorOperations[Name][0];
type Outcome<Name extends keyof OperatorOperations> = Promise<OperatorOperations[Name][1]>;

async function open(
  { ledger, desk }: OperatorDeskWiring,
  { account: fresh, email: address, credits, now }: Order<"openAccount">,
): Outcome<"openAccount"> {
  const { account, email } = await openAccount(await desk(), address, now, fresh);
  if (credits !== null) {
    const { grant: id, amount } = credits;
    await ledger.grant({ account, id, kind: "operator", amount, expiresAt: null, now });
  }
  return { account, email };
}

async function close(
  { ledger, directory, desk, tell }: OperatorDeskWiring,
  { account, email, now }: Order<"closeAccount">,
): Outcome<"closeAccount"> {
  const before = await ledger.findAccount({ account, now });
  const found = await directory.findByEmail({ email });
  const isItself = found?.account === account;
  const wasClosed = before?.state === "closed";
  if (!isItself && !(found === null && wasClosed))
    throw new DeskRefusal(`There is no account for ${email}.`);
  const tellPerson = await personToTell(tell, account);
  const own = await desk();
  return actInSteps(async () => {
    const closed = isItself ? await closeAccount(own, email, now) : { forfeited: 0 };
    const told = isItself ? await tellPerson({ kind: "account_closed" }, now) : null;
    const forfeited = wasClosed ? await forfeitedOf(ledger, account, now) : closed.forfeited;
    return { account, forfeited, told };
  });
}

/** What the closing of an account has voided: nothing can have come after it. */
async function forfeitedOf(ledger: Ledger, account: string, now: number): Promise<number> {
  const { entries } = await ledger.entries({ account, after: null, max: 1_000, now });
  return entries.reduce((sum, { kind, credits }) => sum - (kind === "void" ? credits : 0), 0);
}

async function makeKey(
  { ledger, desk, tell }: OperatorDeskWiring,
  { account, id, label, now }: Order<"createKey">,
): Outcome<"createKey"> {
  const find = async () => (await ledger.listKeys({ account })).find((one) => one.id === id);
  if ((await find()) !== undefined) throw answerLost(id);
  const tellPerson = await personToTell(tell, account);
  const own = await desk();
  const { key } = await createKey(own, account, label, now, id);
  // Of two such orders at once one alone has made the key that is kept.
  const kept = await actInSteps(find);
  if (kept?.sha256 !== (await own.hashKey(key))) throw answerLost(id);
  const told = await tellPerson(
    { kind: "key_created", key: { label: kept.label, start: keyStart(key) } },
    now,
  );
  return { id, key, told };
}

const answerLost = (id: string) =>
  new DeskRefusal(
    `The key ${id} was made, but the answer with it was lost on the way, and it cannot be shown again. Revoke it (key revoke ${id}) and make another.`,
  );

async function revoke(
  { ledger, tell }: OperatorDeskWiring,
  { account, id, now }: Order<"revokeKey">,
): Outcome<"revokeKey"> {
  const before = (await ledger.listKeys({ account })).find((one) => one.id === id);
  const tellPerson = await personToTell(tell, account);
  const { found } = await ledger.revokeKey({ account, id, now });
  if (!found || before === undefined) return { found, revokedAt: null, told: null };
  if (before.revokedAt !== null) return { found, revokedAt: before.revokedAt, told: null };
  const { label, start } = before;
  const told = await tellPerson({ kind: "key_revoked", key: { label, start } }, now);
  return { found, revokedAt: now, told };
}
