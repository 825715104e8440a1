import { accountOfKeyId, newKeyId } from "#ids.ts";
import { random } from "../node/runtime.ts";
import { type Command, CommandError, positional, requiredOption, UsageError } from "./command.ts";
import { accountOf, command, logNotification, statusOf } from "./deployment.ts";
import { instantOrNull, minute, table, withInstants } from "./text.ts";

export const KEY_COMMANDS: readonly Command[] = [
  command({
    name: "key create",
    summary: "Create an API key and show it once",
    details: [
      "Labels tell keys apart. Create one key per environment, for example production and staging.",
    ],
    example: "key create you@example.com --label production",
    parameters: {
      email: positional("<email>"),
      label: requiredOption("L", "name the key, for example --label production."),
    },
    async run(args, session) {
      const { client, now, log } = session;
      const { account, email } = await accountOf(session, args.email);
      const { state } = await statusOf(session, account);
      const order = { account, id: newKeyId(account, random), label: args.label, now };
      const { id, key, notified } = await client.createKey(order);
      logNotification(session, notified);
      if (state === "suspended")
        log(`The account is suspended. The key works after account resume ${email}.`);
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
      const headings = [
        "id",
        "starts with",
        "label",
        "created (UTC)",
        "last used (UTC)",
        "revoked (UTC)",
      ];
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
          keys: keys.map(({ account: _, sha256: __, ...key }) => withInstants(key)),
        },
        text:
          rows.length === 0
            ? `The account of ${email} has no keys. To create one, run: key create ${email} --label production\n`
            : table(headings, rows),
      };
    },
  }),
  command({
    name: "key revoke",
    summary: "Revoke an API key, so that its calls get 401",
    details: ["Run key list for the id. A revoked key cannot be restored; create another key."],
    example: "key revoke key_5XkP0aZ81bQe7RtYw2MnLp",
    parameters: { key: positional("<id>", readKeyId) },
    async run({ key: { id, account } }, session) {
      const { client, now } = session;
      const { found, revokedAt, notified } = await client.revokeKey({ account, id, now });
      if (!found) {
        throw new CommandError(`There is no key ${id}. Run key list <email> to see the keys.`);
      }
      logNotification(session, notified);
      return {
        json: { id, revokedAt: instantOrNull(revokedAt) },
        text: `Revoked key ${id}. Its calls now get 401.\n`,
      };
    },
  }),
];

/** The message does not repeat the text, which may be a complete key. */
function readKeyId(text: string): { id: string; account: string } {
  const account = accountOfKeyId(text);
  if (account !== undefined) return { id: text, account };
  throw new UsageError(
    "This is not the id of a key. Ids start with key_; run key list <email> to see them.",
  );
}
