import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { isUnavailable, OfflineError, ProblemDetails } from "../request.ts";
import { BusyButton } from "./buttons.tsx";
import { explain, Failure } from "./message.tsx";
import { Time } from "./time.tsx";

/** The members of a TanStack query that are shown. */
type Query<Data> = {
  data: Data | undefined;
  error: unknown;
  dataUpdatedAt: number;
  isFetchNextPageError?: boolean;
  refetch: () => unknown;
};

/**
 * The result of a query: a skeleton, an error with a button to retry, or the data. If refetching fails, the stale data
 * stays visible with the time it was loaded. `loading` stands in its place until then.
 */
export function QueryResult<Data>(props: {
  query: Query<Data>;
  loading: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { data, dataUpdatedAt, refetch } = props.query;
  // `ShowOlder` reports a failed next page at the end of the list.
  const error = props.query.isFetchNextPageError ? null : props.query.error;
  const retry = () => void refetch();
  if (data === undefined) {
    const hint = isUnavailable(error) ? "This page tries again automatically." : undefined;
    if (error !== null) return <Failure error={error} onRetry={retry} hint={hint} />;
    return props.loading;
  }
  return (
    <>
      {error !== null && (
        <div className="tb-stale" role="status">
          <span>
            {error instanceof OfflineError
              ? "The service cannot be reached."
              : "This may be out of date."}{" "}
            Last updated <Time at={dataUpdatedAt} />.
          </span>
          <Button size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
      {props.children(data)}
    </>
  );
}

/** The members of a TanStack infinite query that its "Show older" button needs. */
type PagedQuery = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
};

/** Beside the button, in the space that is kept for it, so that nothing moves. */
function OlderFailure({ error }: { error: unknown }) {
  const { title, detail } = explain(error);
  const requestId = error instanceof ProblemDetails ? error.requestId : null;
  return (
    <div role="alert">
      <p>
        <strong>{title}.</strong> {detail}
      </p>
      {requestId !== null && (
        <p>
          Request ID: <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

/** Loads the next page of a list. The label fits a list that shows the newest items first, unless another one is given. */
export function ShowOlder({ query, label = "Show older" }: { query: PagedQuery; label?: string }) {
  const loadMore = () => void query.fetchNextPage();
  const failed = query.isFetchNextPageError;
  if (!failed && !query.hasNextPage) return null;
  return (
    <div className="tb-older">
      <BusyButton
        variant="default"
        busy={query.isFetchingNextPage}
        busyLabel="Loading"
        onClick={loadMore}
      >
        {failed ? "Try again" : label}
      </BusyButton>
      {failed && <OlderFailure error={query.error} />}
    </div>
  );
}
