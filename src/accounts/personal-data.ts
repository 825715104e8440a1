import { callOfEntry } from "#ledger/entries.ts";
import type { Ledger, Outcome } from "#ledger/port.ts";
import { grantPages, pagesOf, usagePages } from "#ledger/read-pages.ts";
import type { ActivityLog } from "./activity-log.ts";
import { type RequestLogReads, requestsPage } from "./request-log.ts";

/** A page of a list; `next` is the `after` of the next page, null on the last one. */
type Page = { rows: readonly object[]; next: string | null };

/** Where the data of an account is read from. */
type PersonalStores = {
  ledger: Pick<Ledger, "findAccount" | "listKeys" | "credits" | "usage">;
  activityLog: Pick<ActivityLog, "readUser" | "listEvents">;
  purchases: {
    list(order: {
      account: string;
      after: string | null;
      max: number;
    }): Promise<readonly { id: string }[]>;
  };
  /** Null without a request log. */
  requests: Pick<RequestLogReads, "list"> | null;
};

const ROWS_AT_ONCE = 500;

/** Runs a read of a list when it is its turn. */
type InTurn = <Result>(read: () => Promise<Result>) => Promise<Result>;

const EXPORT_FORMAT = "personal-data";
const EXPORT_VERSION = 1;

/**
 * Everything that is stored about the owner of an account, as the text of one JSON document in pieces. It holds one page of
 * one list at a time. Of the ledger's calls it has the usage by hour, because an account can have millions of them; `entryLines` has
 * each. The request log is bounded. Hashes and secrets are left out. Times are ISO 8601 in UTC.
 *
 * The last member is `complete`: a document without it was cut off.
 */
export async function* personalData(
  { ledger, activityLog, purchases, requests }: PersonalStores,
  { account, service, now }: { account: string; service: string; now: number },
  inTurn: InTurn = (read) => read(),
): AsyncGenerator<string> {
  const max = ROWS_AT_ONCE;
  const lists: Pick<Ledger, "credits" | "usage"> = {
    credits: (order) => inTurn(() => ledger.credits(order)),
    usage: (order) => inTurn(() => ledger.usage(order)),
  };
  const [status, user, keys, credits] = await Promise.all([
    ledger.findAccount({ account, now }),
    activityLog.readUser({ account }),
    ledger.listKeys({ account }),
    lists.credits({ account, now, max: 0 }),
  ]);
  const head = {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    service,
    exportedAt: now,
    // In a list, because the name of a tool may look like that of a secret.
    account: status === null ? { account } : { ...status, prices: ownPrices(status.prices) },
    profile: user && {
      email: user.email,
      createdAt: user.createdAt,
    },
    logins: user?.logins ?? [],
    passkeys: user?.passkeys ?? [],
    requiresPasskey: user?.requiresPasskey ?? false,
    sessions: user?.sessions ?? [],
    emailChoices: user?.emailChoices ?? null,
    emailsWaiting: user?.emailsWaiting ?? [],
    webhookEndpoints: user?.endpoints ?? [],
    apiKeys: keys.map(({ previous, spent: _, ...key }) => ({
      ...key,
      oldKeyEndsAt: previous?.until ?? null,
    })),
    balance: credits.balance,
  };
  // Without the closing brace.
  yield textOf(head).slice(0, -2);
  yield* list("grants", grantPages(lists, { account, now }));
  yield* list(
    "purchases",
    pages(async (after) => {
      const rows = await inTurn(() => purchases.list({ account, after, max }));
      return { rows, next: rows.length < max ? null : (rows.at(-1)?.id ?? null) };
    }),
  );
  yield* list("usage", usageOf(lists, account));
  yield* list(
    "activity",
    user === null
      ? noPages()
      : pages(async (after) => {
          const order = { user: user.id, after, max };
          const { events, next } = await inTurn(() => activityLog.listEvents(order));
          // The number of an event counts those of all users.
          return { rows: events.map(({ id: _, ...event }) => event), next };
        }),
  );
  // A search takes turns by itself.
  yield* list(
    "requests",
    pages((before) => requestsPage(requests, account, before, max)),
  );
  yield ',\n  "complete": true\n}\n';
}

/** Every ledger entry of an account, newest first, one JSON object per line, with the id of its call; the last line is `{"complete":true}`. */
export async function* entryLines(
  account: string,
  read: (after: string | null) => Promise<Outcome<"entries">>,
): AsyncGenerator<string> {
  for await (const { entries } of pagesOf(read))
    yield entries
      .map((entry) => ({ ...entry, callId: callOfEntry(account, entry.id) }))
      .map((entry) => `${JSON.stringify(entry, publicMember)}\n`)
      .join("");
  yield '{"complete":true}\n';
}

async function* list(
  name: string,
  rowPages: AsyncIterable<readonly object[]>,
): AsyncGenerator<string> {
  yield `,\n  "${name}": [`;
  let separator = "\n    ";
  for await (const rows of rowPages) {
    if (rows.length === 0) continue;
    yield rows
      .map((row) => {
        const text = separator + JSON.stringify(row, publicMember);
        separator = ",\n    ";
        return text;
      })
      .join("");
  }
  yield "]";
}

async function* noPages(): AsyncGenerator<readonly object[]> {}

async function* pages(read: (after: string | null) => Promise<Page>) {
  for await (const { rows } of pagesOf(read)) yield rows;
}

async function* usageOf(ledger: Pick<Ledger, "usage">, account: string) {
  const order = { account, from: 0, to: Number.MAX_SAFE_INTEGER };
  for await (const rows of usagePages(ledger, order))
    yield rows.map(({ account: _, ...row }) => row);
}

const textOf = (value: object) => JSON.stringify(value, publicMember, 2);

const ownPrices = (prices: Readonly<Record<string, number>>) =>
  Object.entries(prices).map(([tool, credits]) => ({ tool, credits }));

/** Hashes and secrets are not for the owner either: a stolen export must not help a thief. */
const HIDDEN = /sha256|hash|secret|^token$/i;

/** A replacer for `JSON.stringify`: leaves out hashes and secrets, and writes times as ISO 8601. */
function publicMember(name: string, value: unknown): unknown {
  if (HIDDEN.test(name)) return undefined;
  const isTime = name === "at" || name === "hour" || name.endsWith("At");
  return isTime && typeof value === "number" ? new Date(value).toISOString() : value;
}
