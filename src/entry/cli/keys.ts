import { accountOfKeyId, newKeyId } from "#ids.ts";
import { random } from "../node-house.ts";
import { accountOf } from "./accounts.ts";
import {
  type Call,
  type Command,
  command,
  type Outcome,
  Refusal,
  requiredOption,
  WrongUsage,
  word,
} from "./command.ts";
import { noteTold, statusOf, withDeployment } from "./deployment.ts";
import { instant, instantOrNull, minute, table } from "./text.ts";

/** `key …`: API keys. The key itself leaves this file once, when it is made. */
export const KEY_COMMANDS: readonly Command[] = [
  command({
    name: "key create",
    summary: "Make an API key; it is shown this once",
    details: [
      "The label tells keys apart, say production and staging. One key for each environment is a good habit.",
    ],
    example: "key create you@example.com --label production",
    takes: {
      email: word("<email>"),
      label: requiredOption("L", "a name that tells keys apart, as in --label production."),
    },
    run: create,
  }),
  command({
    name: "key list",
    summary: "List the keys of an account, revoked ones too",
    example: "key list you@example.com",
    takes: { email: word("<email>") },
    run: list,
  }),
  command({
    name: "key revoke",
    summary: "Revoke a key; its next call is refused (401)",
    details: ["The id is the one that key list shows. A revoked key cannot be made good again."],
    example: "key revoke key_5XkP0aZ81bQe7RtYw2MnLp",
    takes: { id: word("<id>", readKeyId) },
    run: revoke,
  }),
];

/** The word is not repeated where it is no id: it may be a whole key. */
function readKeyId(text: string): { id: string; account: string } {
  const account = accountOfKeyId(text);
  if (account !== undefined) return { id: text, account };
  throw new WrongUsage(
    "This is not the id of a key: ids begin with key_ and are shown by key list <email>.",
  );
}

async function create(call: Call, given: { email: string; label: string }): Promise<Outcome> {
  return withDeployment(call, async (deployment) => {
    const { account, email } = await accountOf(deployment, given.email);
    const { state } = await statusOf(call, deployment, account);
    const order = { account, id: newKeyId(account, random), label: given.label, now: call.now };
    const { id, key, told } = await deployment.client.createKey(order);
    noteTold(call, deployment, told);
    if (state === "suspended")
      call.note(`The account is suspended: the key works after account resume ${email}.`);
    return {
      json: { id, key },
      text: `${key}\n\nThis is the key ${id} of ${email}. It is shown this once: keep it now, it cannot be read again.\n`,
    };
  });
}

async function list(call: Call, given: { email: string }): Promise<Outcome> {
  return withDeployment(call, async (deployment) => {
    const { account, email } = await accountOf(deployment, given.email);
    const keys = await deployment.client.listKeys({ account });
    const rows = keys.map((key) => [
      key.id,
      `${key.start}…`,
      key.label,
      minute(key.createdAt, ""),
      minute(key.lastUsedAt, "never"),
      minute(key.revokedAt, "no"),
    ]);
    return {
      json: {
        email,
        keys: keys.map(({ id, start, label, createdAt, lastUsedAt, revokedAt }) => ({
          id,
          start,
          label,
          createdAt: instant(createdAt),
          lastUsedAt: instantOrNull(lastUsedAt),
          revokedAt: instantOrNull(revokedAt),
        })),
      },
      text:
        rows.length === 0
          ? `The account of ${email} has no keys. Make one: key create ${email} --label production\n`
          : table(
              ["id", "begins", "label", "made (UTC)", "last used (UTC)", "revoked (UTC)"],
              rows,
            ),
    };
  });
}

async function revoke(
  call: Call,
  { id: { id, account } }: { id: { id: string; account: string } },
): Promise<Outcome> {
  return withDeployment(call, async (deployment) => {
    const { found, revokedAt, told } = await deployment.client.revokeKey({
      account,
      id,
      now: call.now,
    });
    if (!found) throw new Refusal(`There is no key ${id}. See key list <email>.`);
    noteTold(call, deployment, told);
    return {
      json: { id, revokedAt: instantOrNull(revokedAt) },
      text: `The key ${id} is revoked: its next call is refused with 401.\n`,
    };
  });
}
