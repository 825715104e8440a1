import { accountOfKeyId, newKeyId } from "#ids.ts";
import { accountOf } from "./cli-accounts.ts";
import { noteTold, standingOf, withBooks } from "./cli-books.ts";
import { type Call, type Command, type Outcome, Refusal, WrongUsage } from "./cli-command.ts";
import { instant, instantOrNull, minute, table } from "./cli-text.ts";

/** `key …`: API keys. The key itself leaves this file once, when it is made. */
export const KEY_COMMANDS: readonly Command[] = [
  {
    name: "key create",
    form: "<email> --label L",
    summary: "Make an API key; it is shown this once",
    details: [
      "The label tells keys apart, say production and staging. One key for each environment is a good habit.",
    ],
    example: "key create you@example.com --label production",
    words: ["<email>"],
    options: { label: { type: "string" } },
    run: create,
  },
  {
    name: "key list",
    form: "<email>",
    summary: "List the keys of an account, revoked ones too",
    example: "key list you@example.com",
    words: ["<email>"],
    run: list,
  },
  {
    name: "key revoke",
    form: "<id>",
    summary: "Revoke a key; its next call is refused (401)",
    details: ["The id is the one that key list shows. A revoked key cannot be made good again."],
    example: "key revoke key_5XkP0aZ81bQe7RtYw2MnLp",
    words: ["<id>"],
    run: revoke,
  },
];

async function create(call: Call): Promise<Outcome> {
  const label = call.option("label");
  if (label === undefined) {
    throw new WrongUsage(
      "--label is needed: a name that tells keys apart, as in --label production.",
    );
  }
  return withBooks(call, async (books) => {
    const { account, email } = await accountOf(books, call.words[0] as string);
    const { state } = await standingOf(call, books, account);
    const order = { account, id: newKeyId(account, books.random), label, now: call.now };
    const { id, key, told } = await books.desk.createKey(order);
    noteTold(call, books, told);
    if (state === "suspended")
      call.note(`The account is suspended: the key works after account resume ${email}.`);
    return {
      json: { id, key },
      text: `${key}\n\nThis is the key ${id} of ${email}. It is shown this once: keep it now, it cannot be read again.\n`,
    };
  });
}

async function list(call: Call): Promise<Outcome> {
  return withBooks(call, async (books) => {
    const { account, email } = await accountOf(books, call.words[0] as string);
    const keys = await books.desk.listKeys({ account });
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

async function revoke(call: Call): Promise<Outcome> {
  const id = call.words[0] as string;
  const account = accountOfKeyId(id);
  if (account === undefined) {
    // The word is not repeated: it may be a whole key.
    throw new WrongUsage(
      "This is not the id of a key: ids begin with key_ and are shown by key list <email>.",
    );
  }
  return withBooks(call, async (books) => {
    const { found, revokedAt, told } = await books.desk.revokeKey({ account, id, now: call.now });
    if (!found) throw new Refusal(`There is no key ${id}. See key list <email>.`);
    noteTold(call, books, told);
    return {
      json: { id, revokedAt: instantOrNull(revokedAt) },
      text: `The key ${id} is revoked: its next call is refused with 401.\n`,
    };
  });
}
