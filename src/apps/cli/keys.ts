import { accountOfKeyId, newKeyId } from "#ids.ts";
import { random } from "../node/app-context.ts";
import { type Command, ProblemDetails, WrongUsage } from "./command.ts";
import { command } from "./define-command.ts";
import { accountOf, recordNotified, statusOf } from "./deployment.ts";
import { requiredOption, word } from "./takes.ts";
import { instantOrNull, minute, table, withInstants } from "./text.ts";

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
    async run(given, session) {
      const { client, now, note } = session;
      const { account, email } = await accountOf(session, given.email);
      const { state } = await statusOf(session, account);
      const order = { account, id: newKeyId(account, random), label: given.label, now };
      const { id, key, told } = await client.createKey(order);
      recordNotified(session, told);
      if (state === "suspended")
        note(`The account is suspended: the key works after account resume ${email}.`);
      return {
        json: { id, key },
        text: `${key}\n\nThis is the key ${id} of ${email}. It is shown this once: keep it now, it cannot be read again.\n`,
      };
    },
  }),
  command({
    name: "key list",
    summary: "List the keys of an account, revoked ones too",
    example: "key list you@example.com",
    takes: { email: word("<email>") },
    async run(given, session) {
      const { account, email } = await accountOf(session, given.email);
      const keys = await session.client.listKeys({ account });
      const headings = ["id", "begins", "label", "made (UTC)", "last used (UTC)", "revoked (UTC)"];
      const rows = keys.map((key) => [
        ...[key.id, `${key.start}…`, key.label, minute(key.createdAt, "")],
        ...[minute(key.lastUsedAt, "never"), minute(key.revokedAt, "no")],
      ]);
      return {
        json: {
          email,
          keys: keys.map(({ account: _, sha256: __, ...key }) => withInstants(key)),
        },
        text:
          rows.length === 0
            ? `The account of ${email} has no keys. Make one: key create ${email} --label production\n`
            : table(headings, rows),
      };
    },
  }),
  command({
    name: "key revoke",
    summary: "Revoke a key; its next call is refused (401)",
    details: ["The id is the one that key list shows. A revoked key cannot be made good again."],
    example: "key revoke key_5XkP0aZ81bQe7RtYw2MnLp",
    takes: { key: word("<id>", readKeyId) },
    async run({ key: { id, account } }, session) {
      const { client, now } = session;
      const { found, revokedAt, told } = await client.revokeKey({ account, id, now });
      if (!found) throw new ProblemDetails(`There is no key ${id}. See key list <email>.`);
      recordNotified(session, told);
      return {
        json: { id, revokedAt: instantOrNull(revokedAt) },
        text: `The key ${id} is revoked: its next call is refused with 401.\n`,
      };
    },
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
