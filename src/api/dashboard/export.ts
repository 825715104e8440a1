import type { ActivityEvent } from "#accounts/activity-log.ts";
import { entryLines, personalData } from "#accounts/personal-data.ts";
import { inReadTurn } from "#accounts/read-turns.ts";
import { slugOf } from "#brand.ts";
import { pagesOf } from "#ledger/read-pages.ts";
import { DashboardError } from "./dashboard-error.ts";
import { requireFreshProof } from "./fresh-proof.ts";
import {
  json,
  type Member,
  type RequestContext,
  recordEvent,
  requireMember,
} from "./request-context.ts";
import { dayOf } from "./usage.ts";

/** Downloads of what is stored about a user. They are streams, because an account can have millions of entries. */

const ROWS_AT_ONCE = 500;
const ENTRIES_AT_ONCE = 1_000;

/** Everything about the user and the account in one JSON document (`accounts/personal-data.ts`). */
export async function exportData(context: RequestContext): Promise<Response> {
  const member = await requireExporter(context);
  const { account } = member;
  const { deps, now } = context;
  const order = { account, service: deps.settings.publicUrl, now };
  const name = `${slugOf(deps.settings.name)}-${dayOf(now)}`;
  const stores = {
    ledger: deps.accountDeps.ledger,
    activityLog: deps.activityLog,
    purchases: deps.sales.purchases,
    requests: deps.requests?.log ?? null,
  };
  const inTurn: Parameters<typeof personalData>[2] = (read) =>
    inReadTurn(deps.readTurns, account, read);
  const pieces = recorded(context, member, null, personalData(stores, order, inTurn));
  return download(context, account, name, "json", pieces);
}

/** The account's ledger entries as JSON lines: every call that is not rolled up yet, every grant and every expiry. */
export async function exportEntries(context: RequestContext): Promise<Response> {
  const member = await requireExporter(context);
  const { account } = member;
  const { deps, now } = context;
  const { ledger } = deps.accountDeps;
  const read = (after: string | null) =>
    inReadTurn(deps.readTurns, account, () =>
      ledger.entries({ account, after, max: ENTRIES_AT_ONCE, now }),
    );
  const name = `${slugOf(deps.settings.name)}-entries-${dayOf(now)}`;
  const pieces = recorded(context, member, "ledger entries", entryLines(account, read));
  return download(context, account, name, "jsonl", pieces);
}

/** An export is recorded, and its owner told, before its first piece is read: HEAD reads none, nor does a download that cannot begin. */
async function* recorded(
  context: RequestContext,
  { user }: Member,
  detail: string | null,
  pieces: AsyncGenerator<string>,
): AsyncGenerator<string> {
  await recordEvent(context, user, "data_exported", detail);
  yield* pieces;
}

/** Whether an export would start now. The page asks first, because a download cannot ask the user for a fresh proof. */
export async function checkExport(context: RequestContext): Promise<Response> {
  const { account } = await requireExporter(context);
  context.deps.downloads.check(account, context.now);
  return json({});
}

/** The same for the other downloads, whose errors a browser would not show. */
export async function checkDownload(context: RequestContext): Promise<Response> {
  const { account } = await requireMember(context);
  context.deps.downloads.check(account, context.now);
  return json({});
}

/** Someone with a stolen session alone must not get everything at once. */
async function requireExporter(context: RequestContext): Promise<Member> {
  const member = await requireMember(context);
  requireFreshProof(context, member);
  return member;
}

/** The user's activity log as CSV or JSON, newest first. The page shows the same entries, so it needs no fresh proof. */
export async function exportEvents(context: RequestContext): Promise<Response> {
  const { account, user } = await requireMember(context);
  const { deps, now } = context;
  const pages = pagesOf((after) =>
    inReadTurn(deps.readTurns, account, () =>
      deps.activityLog.listEvents({ user: user.id, after, max: ROWS_AT_ONCE }),
    ),
  );
  return downloadAs(context, account, `${slugOf(deps.settings.name)}-activity-${dayOf(now)}`, {
    csv: csv("time,event,times,detail,ip_address,browser", pages, ({ events }) =>
      events.map(({ at, kind, times, detail, address, browser }) =>
        [new Date(at).toISOString(), kind, String(times), detail, address, browser].map(csvCell),
      ),
    ),
    json: eventJson(pages),
  });
}

type EventPages = AsyncIterable<{ events: ActivityEvent[] }>;

async function* eventJson(pages: EventPages): AsyncGenerator<string> {
  yield '{ "events": [';
  let separator = "\n  ";
  for await (const { events } of pages) {
    for (const { id: _, at, ...event } of events) {
      yield separator + JSON.stringify({ at: new Date(at).toISOString(), ...event });
      separator = ",\n  ";
    }
  }
  yield "\n] }\n";
}

/** A table with the names of its columns. `rowsOf`: the cells of the rows of a page. */
export async function* csv<Page>(
  names: string,
  pages: AsyncIterable<Page>,
  rowsOf: (page: Page) => string[][],
): AsyncGenerator<string> {
  // Without a byte order mark, spreadsheets assume a legacy encoding.
  yield `\ufeff${names}\r\n`;
  for await (const page of pages)
    yield rowsOf(page)
      .map((cells) => `${cells.join(",")}\r\n`)
      .join("");
}

/** A cell of RFC 4180. Text that a spreadsheet would read as a formula starts with an apostrophe. */
export function csvCell(value: string | null): string {
  const text = /^[=+\-@\t\r]/.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const TYPES = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  jsonl: "application/jsonl",
};
type Format = keyof typeof TYPES;

/** The file in the format that the request names. */
export function downloadAs(
  context: RequestContext,
  account: string,
  name: string,
  formats: Partial<Record<Format, AsyncGenerator<string>>>,
): Response {
  const format = (context.url.searchParams.get("format") ?? "") as Format;
  const pieces = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (pieces !== undefined) return download(context, account, name, format, pieces);
  throw new DashboardError(
    "invalid_request",
    `\`format\` must be ${Object.keys(formats).join(" or ")}.`,
  );
}

/**
 * Reads the next piece when the client has taken the one before, so that a slow client costs no memory. Throws if too many downloads
 * are running (`downloads.ts`). A download that fails is cut off: the client must not take its part for the whole.
 */
export function download(
  { deps, requestId, now }: RequestContext,
  account: string,
  name: string,
  format: Format,
  pieces: AsyncGenerator<string>,
): Response {
  const encoder = new TextEncoder();
  let cutOff: (cause: Error) => void = () => {};
  const place = deps.downloads.begin(account, now, (cause) => cutOff(cause));
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        cutOff = (cause) => {
          controller.error(cause);
          void pieces.return(undefined).catch(() => {});
        };
      },
      async pull(controller) {
        place.touch(deps.now());
        try {
          const { done, value } = await pieces.next();
          if (done !== true) return controller.enqueue(encoder.encode(value));
          place.end();
          controller.close();
        } catch (cause) {
          place.end();
          deps.logError("A download was cut off", { requestId, cause });
          controller.error(cause);
        }
      },
      async cancel() {
        place.end();
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "Content-Type": TYPES[format],
      "Content-Disposition": `attachment; filename="${name}.${format}"`,
    },
  });
}
