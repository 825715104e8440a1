import { BusyButton } from "./busy-button.tsx";
import { Failure } from "./failure.tsx";

/** What an endless query of TanStack's tells about its next page. */
type Paged = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
};

/** At the end of a list that is newest first: the way to what came before. */
export function ShowOlder({ query }: { query: Paged }) {
  const more = () => void query.fetchNextPage();
  if (query.isFetchNextPageError) return <Failure error={query.error} onRetry={more} />;
  if (!query.hasNextPage) return null;
  return (
    <BusyButton
      mt="md"
      variant="default"
      busy={query.isFetchingNextPage}
      busyWords="Loading"
      onClick={more}
    >
      Show older
    </BusyButton>
  );
}
