import * as z from "zod";
import { AccountError, readEmail, runSteps } from "#accounts/accounts.ts";
import { isStartUnder } from "#accounts/key-format.ts";
import { entryLines, personalData } from "#accounts/personal-data.ts";
import { createRecordActivity } from "#accounts/record-activity.ts";
import { recordToPurchase } from "#billing/purchase-store.ts";
import { faultOfRecord } from "#ledger/transfer/lines.ts";
import { type TransferRecord, transferRecord } from "#ledger/transfer/records.ts";
import { cursor, cursorAfter, totals } from "./audit.ts";
import { accountOf, type OperatorContext } from "./context.ts";
import { count, email, textOrNull } from "./members.ts";
import {
  defineFile,
  defineOperation,
  done,
  type Order,
  unchanged,
  wholeService,
} from "./operation.ts";

/** Operations on all the data: backups, exports and imports, and the export of one person's data. */

export const backupData = defineFile({
  name: "backup",
  summary: "Copy the data folder's database to a file; the server can keep running",
  input: z.strictObject({ withSecret: z.boolean().default(false) }),
  output: z.object({
    ...{ ok: z.boolean(), bytes: count, accounts: count.nullable(), totals: totals.nullable() },
    ...{ schemaVersion: count, secretIncluded: z.boolean(), faults: z.array(z.string()) },
  }),
  find: wholeService,
  action: null,
  async open({ backup, keptSecrets }, { withSecret }, order) {
    if (typeof backup === "string") throw new AccountError(backup);
    if (withSecret) requireLocal(order);
    const isKept = (await keptSecrets()) !== null;
    const copy = await backup({ withSecret: withSecret && isKept });
    const { audit, damage, bytes, schemaVersion, secretIncluded, pieces } = copy;
    const faults = [...damage, ...(audit?.faults ?? [])];
    if (!secretIncluded)
      order.say(
        `The secret is not included. Keep ${isKept ? "a copy of DATA_DIR/secret" : "the value of SECRET"} in another safe place: without it a restored service rejects every key.`,
      );
    return {
      result: {
        ...{ ok: faults.length === 0, bytes, schemaVersion, secretIncluded },
        faults: firstOf(faults),
        ...{ accounts: audit?.accounts ?? null, totals: audit?.totals ?? null },
      },
      pieces,
    };
  },
});

/** Clients take headers of 16 KB in all, and the result of a file is one. */
const FAULTS_SENT = 20;
const FAULT_CHARS_MAX = 200;

function firstOf(faults: readonly string[]): string[] {
  const sent = faults.slice(0, FAULTS_SENT).map((fault) => fault.slice(0, FAULT_CHARS_MAX));
  const more = faults.length - sent.length;
  return more === 0 ? sent : [...sent, `and ${more} more, which audit lists`];
}

/** A service never sends its secret over the network. */
function requireLocal({ isLocal }: Order): void {
  if (isLocal) return;
  throw new AccountError(
    "A service never sends its secret over the network. Leave out --with-secret, and copy the secret on the server itself.",
  );
}

export const exportLedger = defineFile({
  name: "export",
  summary: "Export the ledger as JSON lines, to a file or to standard output",
  input: z.strictObject({ withSecret: z.boolean().default(false), after: cursor }),
  output: z.object({}),
  find: wholeService,
  action: null,
  async open({ exportRecords, keptSecrets }, { withSecret, after = null }, order) {
    if (withSecret) requireLocal(order);
    const secrets = withSecret ? await keptSecrets() : null;
    if (withSecret && secrets === null)
      order.say("The secret is not included, because the service has the setting SECRET.");
    const pages = exportRecords(after);
    // Read before the response begins, so that an error is a response of its own.
    const first = await pages.next();
    return { result: {}, pieces: recordLines(first, pages, secrets) };
  },
});

type Pages = ReturnType<OperatorContext["exportRecords"]>;

/**
 * Records as lines of JSON. The last line says where the next request continues, or what is wrong with a record: without it, the lines
 * were cut off.
 */
async function* recordLines(
  first: Awaited<ReturnType<Pages["next"]>>,
  pages: Pages,
  secrets: readonly string[] | null,
): AsyncGenerator<string> {
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  try {
    let page = first;
    for (; !page.done; page = await pages.next()) {
      // Fail now rather than when somebody needs to import the data.
      const fault = page.value.map(faultOfRecord).find((found) => found !== null);
      if (fault !== undefined) return yield line({ record: "fault", fault });
      yield page.value.map(line).join("");
    }
    if (secrets !== null) yield line({ record: "secret", value: secrets.join(",") });
    yield line({ record: "page", next: cursorAfter(page.value) });
  } finally {
    await pages.return(null);
  }
}

export const importRecords = defineOperation({
  name: "import",
  summary: "Import lines that export wrote, into accounts that do not exist yet",
  input: z.strictObject({
    /** The account that all records belong to: `begin` marks its first page, `finish` its last one. */
    account: z
      .strictObject({ id: z.string(), createdAt: count, begin: z.boolean(), finish: z.boolean() })
      .nullable(),
    records: z.array(transferRecord).max(10_000),
  }),
  output: z.object({
    /**
     * `taken`: more pages follow. `opened_before`: the account was imported by an earlier run. `exists`: the service has the account,
     * which was not imported, and nothing was changed.
     */
    outcome: z.enum(["taken", "opened", "opened_before", "exists"]),
    /** Imported keys that were made with a secret that the service does not have. */
    unknownKeys: count,
    /** Accounts whose address belongs to another account here; `by` is null if the account has another address. */
    refused: z.array(z.object({ account: z.string(), by: textOrNull })),
  }),
  find: async (_, { account }) => account,
  action: {
    subject: (account) => account?.id ?? null,
    end({ outcome }, account) {
      if (outcome === "opened_before") return unchanged("imported before");
      if (outcome === "exists") return unchanged("the account exists");
      if (account === null || account.finish) return done(account === null ? "records" : "opened");
      return account.begin ? done("import begun") : null;
    },
  },
  run: (context, { account, records }, { now }) =>
    runSteps(async () => {
      const { secrets } = context.accountDeps;
      const starts = records.flatMap((record) =>
        record.record === "key" && record.revokedAt === null ? [record.start] : [],
      );
      const unknownKeys = starts.filter((start) => !isStartUnder(start, secrets)).length;
      if (account !== null) {
        const outcome = await importPage(context, account, records, now);
        return { outcome, unknownKeys: outcome === "exists" ? 0 : unknownKeys, refused: [] };
      }
      return {
        outcome: "taken" as const,
        unknownKeys,
        refused: await importOthers(context, records, now),
      };
    }),
});

async function importPage(
  { index, imports }: OperatorContext,
  {
    id: account,
    createdAt,
    begin,
    finish,
  }: { id: string; createdAt: number; begin: boolean; finish: boolean },
  records: readonly TransferRecord[],
  now: number,
): Promise<"taken" | "opened" | "opened_before" | "exists"> {
  if (begin) {
    // Comes first, so that the index lists every account.
    await index.record({ account, now: createdAt });
    const { outcome } = await imports.beginImport({ account });
    if (outcome === "finished_before") return "opened_before";
    if (outcome === "exists") return "exists";
  }
  const { taken } = await imports.importRecords({ account, records });
  if (taken === 0) return "opened_before";
  if (!finish) return "taken";
  const { ok, faults } = await imports.finishImport({ account, now });
  if (ok) return "opened";
  throw new AccountError(
    `The account ${account} was imported, but its records do not reconcile, so it accepts no calls: ${faults.slice(0, 3).join("; ")}.`,
  );
}

/** Imports records that belong to no ledger: addresses, who had an account or starter credits before, and purchases. */
async function importOthers(
  { directory, ledger, purchases }: OperatorContext,
  records: readonly TransferRecord[],
  now: number,
): Promise<{ account: string; by: string | null }[]> {
  const refused: { account: string; by: string | null }[] = [];
  for (const record of records) {
    if (record.record === "closedAddress")
      await directory.recordClosed({ emailHash: record.emailHash, now: record.closedAt });
    else if (record.record === "starterClaim") {
      const { record: _, ...claim } = record;
      await directory.recordStarter(claim);
    } else if (record.record === "purchase") await purchases.add(recordToPurchase(record));
    else if (record.record === "address") {
      const { account, createdAt } = record;
      // An account that was closed after an earlier run of the import stays closed, without personal data.
      if ((await ledger.findAccount({ account, now }))?.state === "closed") continue;
      const email = readEmail(record.email);
      const { outcome } = await directory.register({ email, account, createdAt });
      if (outcome !== "taken") continue;
      refused.push({ account, by: (await directory.findByEmail({ email }))?.account ?? null });
    } else throw new AccountError(`A record of kind "${record.record}" needs its account.`);
  }
  return refused;
}

const ENTRIES_AT_ONCE = 1_000;
const ofOwner = z.object({ id: z.string(), email: z.string() });

export const exportAccount = defineFile({
  name: "account export",
  summary: "Export everything that is stored about an account's owner, as one JSON document",
  input: z.strictObject({ email }),
  output: ofOwner,
  find: accountOf,
  action: { subject: ({ account }) => account },
  async open(context, _, { now }, { account, email }) {
    const { ledger, purchases, requests, notify } = context;
    const { activityLog, publicUrl } = notify;
    const user = await activityLog.readUser({ account });
    if (user !== null)
      await createRecordActivity(notify)({
        ...({ user: user.id, at: now, kind: "data_exported", detail: "by the operator" } as const),
        ...{ address: null, userAgent: null, byOperator: true },
        // The owner asked for it, or the law does; the operator can read the data in any case.
        withoutEmail: true,
      });
    const stores = { ledger, activityLog, purchases, requests };
    const pieces = personalData(stores, { account, service: publicUrl, now });
    return { result: { id: account, email }, pieces };
  },
});

export const exportEntries = defineFile({
  name: "account entries",
  summary: "Export every ledger entry of an account as JSON lines, newest first",
  input: z.strictObject({ email }),
  output: ofOwner,
  find: accountOf,
  action: null,
  async open({ ledger }, _, { now }, { account, email }) {
    const read = (after: string | null) =>
      ledger.entries({ account, after, max: ENTRIES_AT_ONCE, now });
    return { result: { id: account, email }, pieces: entryLines(account, read) };
  },
});
