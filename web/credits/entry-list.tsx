import { Text } from "@mantine/core";
import type { EntryView } from "#api/dashboard/shapes.ts";
import { signed } from "../parts/numbers.ts";
import { Empty, LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { useEntries, useKeys } from "../queries.ts";
import { ENTRY_LABELS, entryText } from "./credit-text.ts";

/** The ledger of the account: everything that changed the balance. */
export function EntryList() {
  const entries = useEntries();
  const keys = useKeys().data?.keys ?? [];
  const keyName = (id: string) => keys.find((key) => key.id === id)?.label ?? id;
  // `ShowOlder` reports a failed next page at the end of the list.
  const query = entries.isFetchNextPageError ? { ...entries, error: null } : entries;
  return (
    <Section
      title="History"
      description="Everything that changed your balance, newest first. Older calls are combined by hour, key and tool."
    >
      <QueryResult query={query} loading={<LoadingRows rows={6} height={48} />}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.entries);
          if (rows.length === 0) {
            return (
              <Empty icon="requests" title="No history yet">
                Grants and calls will be listed here.
              </Empty>
            );
          }
          return <Records label="Credit history" columns={columns(keyName)} rows={rows} />;
        }}
      </QueryResult>
      <ShowOlder query={entries} />
    </Section>
  );
}

const columns = (keyName: (id: string) => string): Column<EntryView>[] => [
  {
    head: "Entry",
    cell: ({ kind }) => {
      const { title, shape, tone } = ENTRY_LABELS[kind];
      return (
        <State shape={shape} tone={tone}>
          {title}
        </State>
      );
    },
  },
  {
    head: "Details",
    inCard: "plain",
    cell: (entry) => <Text size="sm">{entryText(entry, keyName)}</Text>,
  },
  { head: "Time", inCard: "plain", cell: ({ at }) => <Time at={at} /> },
  { head: "Credits", cell: ({ credits }) => signed(credits), numeric: true, inCard: "beside" },
];
