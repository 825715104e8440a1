import { Button, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import type { RequestsView, RequestView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { screenOf } from "../frame/screen-of.ts";
import { DownloadLink } from "../parts/download.tsx";
import { Empty } from "../parts/empty-state.tsx";
import { useFilters } from "../parts/filters.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { useVisitor } from "../queries.ts";
import { FilterBar } from "./filter-bar.tsx";
import {
  CLEARED,
  isFiltered,
  isOpenEnded,
  queryOf,
  readFilters,
  type Search,
  withChange,
} from "./filters.ts";
import { useRequestLog, useRequestSummary } from "./live.ts";
import { allKeys, allRequests } from "./new-requests.ts";
import { RequestTable } from "./request-table.tsx";
import { SummaryStrip } from "./summary-strip.tsx";
import "./requests.css";

/** Loaded after the list, before a user can have chosen a request. */
const RequestPanel = screenOf(() => import("./request-panel.tsx"));

/** Every call of the last days, with its errors. */
export default function RequestsScreen() {
  const visitor = useVisitor().data;
  return visitor?.requestLog === false ? <NotKept /> : <RequestLog />;
}

const NotKept = () => (
  <>
    <PageTitle title="Requests" />
    <Empty
      title="This service keeps no request log"
      action={
        <Button component={Link} to="/usage">
          View usage
        </Button>
      }
    >
      Each response still says what happened: an error has a code, a cause and a request ID. Your
      successful calls are on the Usage page.
    </Empty>
  </>
);

function RequestLog() {
  const [search, choose] = useFilters<Search>("/requests", withChange);
  const [isPaused, setPaused] = useState(false);
  const filters = readFilters(search);
  const id = JSON.stringify(filters);
  // The start of "Last hour" is fixed until a filter changes, so that the pages of the list fit together.
  const { query, isOpen } = useMemo(() => {
    const now = Date.now();
    return { query: queryOf(filters, now).toString(), isOpen: isOpenEnded(filters, now) };
  }, [id]);
  const isLive = isOpen && !isPaused;
  const { log, fresh, isMore, showNew } = useRequestLog(query, isLive);
  const summary = useRequestSummary(query, isLive);
  useEffect(() => void RequestPanel.preload(), []);
  const requests = allRequests(log.data);
  const keys = allKeys(log.data);
  const [open, setOpen] = useState<RequestView | null>(null);
  useOpenById(filters.id, requests, setOpen);
  const list = useRef<HTMLDivElement>(null);
  useShowNew(list, fresh, open !== null, showNew);

  return (
    <>
      <PageTitle title="Requests">
        <Group gap={8} justify="flex-end">
          {isOpen && log.data !== undefined && (
            <LiveSwitch isPaused={isPaused} onSwitch={() => setPaused(!isPaused)} />
          )}
          {requests.length > 0 && (
            <DownloadLink path={exportPath(query, "csv")} button={{ size: "compact-sm" }}>
              Download CSV
            </DownloadLink>
          )}
        </Group>
      </PageTitle>
      <FilterBar search={search} filters={filters} keys={keys} onChoose={choose} />
      <QueryResult query={log} loading={<LogLoading />}>
        {({ pages: [first] }) =>
          requests.length === 0 && !isFiltered(filters) ? (
            <NoRequests />
          ) : (
            <>
              {requests.length > 0 && (
                <SummaryStrip query={summary} filters={filters} onChoose={choose} />
              )}
              <div ref={list} className="tb-log-list">
                <NewRequests
                  count={fresh.length}
                  isMore={isMore}
                  onShow={() => {
                    showNew();
                    list.current?.scrollIntoView({ block: "nearest" });
                  }}
                />
                {requests.length === 0 ? (
                  <NoMatch
                    id={filters.id}
                    isPartial={log.hasNextPage}
                    keptDays={first?.keptDays}
                    onClear={() => choose(CLEARED)}
                  />
                ) : (
                  <RequestTable requests={requests} keys={keys} onOpen={setOpen} />
                )}
                <ShowOlder
                  query={log}
                  label={requests.length === 0 ? "Search older requests" : "Show older"}
                />
              </div>
              {first !== undefined && <Kept view={first} />}
              {requests.length > 0 && <Downloads query={query} />}
            </>
          )
        }
      </QueryResult>
      {open !== null && (
        <Suspense>
          <RequestPanel
            request={open}
            keys={keys}
            requests={requests}
            onOpen={setOpen}
            onChoose={(change) => {
              setOpen(null);
              choose(change);
            }}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </>
  );
}

/** A link with a request id opens that request, once. */
function useOpenById(
  id: string | null,
  requests: RequestView[],
  open: (request: RequestView) => void,
) {
  const opened = useRef<string | null>(null);
  const found = id === null ? undefined : requests.find((request) => request.id === id);
  useEffect(() => {
    if (id === null) opened.current = null;
    if (found === undefined || opened.current === found.id) return;
    opened.current = found.id;
    open(found);
  }, [id, found, open]);
}

/**
 * Shows new requests at once if that moves nothing that is being read: the top of the list is in view, and neither the pointer
 * nor the focus is in the list. Otherwise the button says how many there are.
 */
function useShowNew(
  list: { current: HTMLElement | null },
  fresh: RequestView[],
  isPanelOpen: boolean,
  showNew: () => void,
) {
  useEffect(() => {
    if (fresh.length === 0 || isPanelOpen) return;
    const element = list.current;
    const isRead =
      element !== null &&
      (element.getBoundingClientRect().top < 0 || element.matches(":hover, :focus-within"));
    if (!isRead) showNew();
  }, [list, fresh, isPanelOpen, showNew]);
}

/** Users who cannot follow moving text must be able to stop it (WCAG 2.2, 2.2.2). */
const LiveSwitch = ({ isPaused, onSwitch }: { isPaused: boolean; onSwitch: () => void }) => (
  <div className="tb-log-live">
    <span className="tb-log-dot" data-paused={isPaused} aria-hidden="true" />
    <Text component="span" size="sm" c="dimmed">
      {isPaused ? "Updates paused" : "Live"}
    </Text>
    <Button variant="default" size="compact-sm" onClick={onSwitch}>
      {isPaused ? "Resume" : "Pause"}
    </Button>
  </div>
);

function NewRequests(props: { count: number; isMore: boolean; onShow: () => void }) {
  const { count } = props;
  const text = `${formatNumber(count)}${props.isMore ? "+" : ""} new ${count === 1 ? "request" : "requests"}`;
  return (
    <div className="tb-log-new" role="status">
      {count > 0 && (
        <Button size="compact-md" onClick={props.onShow}>
          {text}
        </Button>
      )}
    </div>
  );
}

const LogLoading = () => (
  <>
    <div className="tb-log-summary-loading" />
    <LoadingRows rows={10} height={38} />
  </>
);

const NoRequests = () => (
  <Empty
    title="No calls yet"
    action={
      <Button component={Link} to="/home">
        Learn how to make a call
      </Button>
    }
  >
    Every call with one of your keys appears here within seconds, even if it fails. This page
    updates automatically.
  </Empty>
);

function NoMatch(props: {
  id: string | null;
  /** Whether the search of the log stopped before its end. */
  isPartial: boolean;
  keptDays: RequestsView["keptDays"] | undefined;
  onClear: () => void;
}) {
  const { id, isPartial, keptDays } = props;
  return (
    <Empty
      title={id === null ? "No matching requests" : "No request with this ID"}
      action={
        <Button variant="default" onClick={props.onClear}>
          Clear filters
        </Button>
      }
    >
      {isPartial && "None of the newest requests matches. Older ones may. "}
      {!isPartial && id === null && "No request of your account matches these filters."}
      {!isPartial &&
        id !== null &&
        `A request appears within seconds${keptDays === undefined ? "" : ` and is kept for ${counted(keptDays, "day")}`}. Only requests with a key of this account are listed. Other filters apply too.`}
    </Empty>
  );
}

const exportPath = (query: string, format: "csv" | "jsonl") =>
  `/dashboard/requests/export?${query === "" ? "" : `${query}&`}format=${format}`;

const Downloads = ({ query }: { query: string }) => (
  <Text size="sm" c="dimmed" mt="xs">
    Download what your filters select:{" "}
    <DownloadLink path={exportPath(query, "csv")}>CSV</DownloadLink> or{" "}
    <DownloadLink path={exportPath(query, "jsonl")}>JSON lines</DownloadLink>.
  </Text>
);

const Kept = ({ view: { keptDays, keptMax } }: { view: RequestsView }) => (
  <Text size="sm" c="dimmed" mt="lg" maw="46rem">
    Requests are kept for {counted(keptDays, "day")}, and at most {formatNumber(keptMax)} of them;
    the oldest go first. Bodies and query strings are never kept. A request may be missing if a
    server stopped unexpectedly; your{" "}
    <Link to="/credits" search={{ tab: "ledger" } as never}>
      ledger
    </Link>{" "}
    has every charge.
  </Text>
);
