import { TooManyReads } from "#accounts/read-turns.ts";
import type {
  HourCount,
  ListedRequest,
  RequestFilter,
  RequestLogReads,
} from "#accounts/request-log.ts";
import { slugOf } from "#brand.ts";
import type { FieldError } from "#errors.ts";
import { pagesOf } from "#ledger/read-pages.ts";
import { createPlaceHider } from "#seal.ts";
import type { DashboardDeps } from "./dashboard-deps.ts";
import { DashboardError, retryAfter, tooManyRequests } from "./dashboard-error.ts";
import { csv, csvCell, downloadAs } from "./export.ts";
import { json, type RequestContext, readAsMember, requireMember } from "./request-context.ts";
import type { RequestSummaryView, RequestsView, RequestView } from "./shapes.ts";
import { dayOf } from "./usage.ts";

/** The request log of the account (`accounts/request-log.ts`). */

const REQUESTS_A_PAGE = 50;
const ROWS_AT_ONCE = 1_000;

export async function listRequests(context: RequestContext): Promise<Response> {
  const [, view] = await readAsMember(context, ({ account }) => readRequests(context, account));
  return json(view);
}

async function readRequests(context: RequestContext, account: string): Promise<RequestsView> {
  const { log, bounds } = requireLog(context.deps);
  const cursors = cursorsOf(context);
  const filter = readFilter(context.url, cursors);
  const order = { account, filter, max: REQUESTS_A_PAGE };
  const [{ requests, next }, keys] = await Promise.all([
    read(context, log.list(order)),
    context.deps.accountDeps.ledger.listKeys({ account }),
  ]);
  const named = new Set(requests.map(({ key }) => key));
  return {
    requests: requests.map(cursors.view),
    next: next && cursors.hide(next),
    keys: keys
      .filter(({ id }) => named.has(id))
      .map(({ id, label, start, revokedAt }) => ({ id, label, start, revokedAt })),
    ...bounds,
  };
}

export async function summarizeRequests(context: RequestContext): Promise<Response> {
  const [, tools] = await readAsMember(context, async ({ account }) => {
    const { log } = requireLog(context.deps);
    return read(
      context,
      log.summarize({ account, filter: readFilter(context.url, cursorsOf(context)) }),
    );
  });
  const view: RequestSummaryView = { tools };
  return json(view);
}

/** The requests that the filters select, as a file. The pages show the same, so it needs no fresh proof. */
export async function exportRequests(context: RequestContext): Promise<Response> {
  const { account } = await requireMember(context);
  const { log } = requireLog(context.deps);
  const name = `${slugOf(context.deps.settings.name)}-requests-${dayOf(context.now)}`;
  const filter = readFilter(context.url, cursorsOf(context));
  const read = (before: string | null) =>
    log.list({ account, filter: { ...filter, before: before ?? undefined }, max: ROWS_AT_ONCE });
  const pages = pagesOf(read, filter.before);
  return downloadAs(context, account, name, {
    csv: csv(COLUMNS, pages, ({ requests }) => requests.map(csvCells)),
    jsonl: requestLines(pages),
  });
}

const COLUMNS =
  "time,request_id,tool,status,code,key,via,credits,replayed,total_ms,body_ms,tool_ms,ledger_ms,received_bytes,sent_bytes,ip_address,detail,errors";

function csvCells({ times, bytes, ...request }: ListedRequest): string[] {
  const { at, id, tool, status, code, key, via, charged, replayed, address, detail, errors } =
    request;
  const { total, body, tool: ofTool, ledger } = times;
  const numbers = [total, body, ofTool, ledger, bytes.received, bytes.sent];
  return [
    ...[new Date(at).toISOString(), id, tool, String(status), code, key, via].map(csvCell),
    ...[charged, replayed, ...numbers].map((value) => (value === null ? "" : String(value))),
    ...[address, detail, errors?.map(errorText).join("; ") ?? null].map(csvCell),
  ];
}

const errorText = ({ pointer, parameter, header, detail }: FieldError): string =>
  `${pointer ?? parameter ?? header ?? ""}: ${detail}`;

async function* requestLines(
  pages: AsyncIterable<{ requests: readonly ListedRequest[] }>,
): AsyncGenerator<string> {
  for await (const { requests } of pages)
    yield requests
      .map(({ cursor: _, at, ...request }) => {
        const line = { at: new Date(at).toISOString(), ...request };
        return `${JSON.stringify(line)}\n`;
      })
      .join("");
}

/** The newest errors of an account; null where there is no log, or where it cannot be read now. */
export async function lastErrors(
  context: Pick<RequestContext, "deps" | "requestId">,
  account: string,
  max: number,
): Promise<RequestView[] | null> {
  const order = { account, filter: { status: "errors" as const }, max };
  const page = await unlessUnreadable(context, (log) => log.list(order));
  return page?.requests.map(cursorsOf(context).view) ?? null;
}

/** Requests and errors by hour and tool; null where there is no log, or where it cannot be read now. */
export const requestCounts = (
  context: Pick<RequestContext, "deps" | "requestId">,
  account: string,
  from: number,
): Promise<HourCount[] | null> => unlessUnreadable(context, (log) => log.counts({ account, from }));

/** A page that shows more than the log does not fail with it. */
async function unlessUnreadable<Result>(
  { deps, requestId }: Pick<RequestContext, "deps" | "requestId">,
  ask: (log: RequestLogReads) => Promise<Result>,
): Promise<Result | null> {
  if (deps.requests === null) return null;
  return ask(deps.requests.log).catch((cause) => {
    if (!(cause instanceof TooManyReads)) deps.logError(UNREADABLE, { requestId, cause });
    return null;
  });
}

const UNREADABLE = "The request log could not be read";

async function read<Result>(
  { deps, requestId }: RequestContext,
  result: Promise<Result>,
): Promise<Result> {
  try {
    return await result;
  } catch (cause) {
    if (cause instanceof TooManyReads) throw tooManyRequests(2_000);
    deps.logError(UNREADABLE, { requestId, cause });
    throw new DashboardError(
      "unavailable",
      "The request log is temporarily unavailable. Your calls are not affected. Try again in a moment.",
      retryAfter(2_000),
    );
  }
}

function requireLog({ requests }: DashboardDeps): NonNullable<DashboardDeps["requests"]> {
  if (requests !== null) return requests;
  throw new DashboardError("not_found", "This service keeps no request log.");
}

/**
 * The cursors that clients see. Those of the log contain numbers that count the chunks of all accounts, and comparing two of one's own
 * would tell how much the others call.
 */
function cursorsOf({ deps }: Pick<RequestContext, "deps">) {
  const places = createPlaceHider(deps.accountDeps.secrets, "request log");
  const hide = (cursor: string): string => {
    const [no = 0, index = 0] = cursor.split(".").map(Number);
    return places.hide({ no, index });
  };
  return {
    hide,
    /** Returns undefined for text that is none of these cursors. */
    reveal(text: string): string | undefined {
      const place = places.reveal(text);
      return place === null ? undefined : `${place.no}.${place.index}`;
    },
    view: (request: ListedRequest): RequestView => ({ ...request, cursor: hide(request.cursor) }),
  };
}
type Cursors = ReturnType<typeof cursorsOf>;

/** Texts that can occur in the log. */
const TEXT = /^[\w.:=+/-]{1,128}$/;

function readFilter({ searchParams }: URL, cursors: Cursors): RequestFilter {
  const given = (name: string) => searchParams.get(name) || undefined;
  const text = (name: string, what: string) => {
    const value = given(name);
    if (value === undefined || TEXT.test(value)) return value;
    throw wrong(name, `${what}: 1 to 128 letters, digits and the characters . : = + / _ -`);
  };
  const time = (name: string) => {
    const value = given(name);
    if (value === undefined || /^\d{1,15}$/.test(value)) return value && Number(value);
    throw wrong(name, "a time in milliseconds since 1970, such as 1795400000000");
  };
  const cursor = (name: string) => {
    const value = given(name);
    if (value === undefined) return undefined;
    const found = cursors.reveal(value);
    if (found !== undefined) return found;
    throw wrong(name, "the `cursor` of a request");
  };
  const filter: RequestFilter = {
    tool: text("tool", "the name of a tool"),
    key: text("key", "the id of an API key"),
    status: readStatus(given("status")),
    code: text("code", "an error code"),
    id: text("id", "a request id"),
    from: time("from") || undefined,
    to: time("to") || undefined,
    before: cursor("before"),
    after: cursor("after"),
  };
  if (filter.from !== undefined && filter.to !== undefined && filter.from >= filter.to)
    throw new DashboardError("invalid_request", "`from` must be earlier than `to`.");
  return filter;
}

function readStatus(value: string | undefined): RequestFilter["status"] {
  if (value === undefined || value === "ok" || value === "errors") return value;
  if (/^[1-5]\d\d$/.test(value)) return Number(value);
  throw wrong("status", "`ok`, `errors` or a status such as 429");
}

const wrong = (name: string, rule: string) =>
  new DashboardError("invalid_request", `\`${name}\` must be ${rule}.`);
