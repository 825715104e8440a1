import { Button, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useEffect, useState } from "react";
import type { BalancedEntryView, EntriesView, KeyView } from "#api/dashboard/shapes.ts";
import { formatNumber } from "#counted.ts";
import { useEntries, useKeys } from "../member-queries.ts";
import { DownloadLink } from "../parts/download.tsx";
import { Empty } from "../parts/empty-state.tsx";
import { FilterSelect, KeySelect, ToolSelect, useFilters } from "../parts/filters.tsx";
import { dayOf, isDay, longDay, signed } from "../parts/numbers.ts";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { ENTRY_LABELS, entryText } from "./credit-text.ts";

/** The filters of the ledger, in the query string of the page, so that they can be bookmarked and shared. */
type LedgerSearch = Partial<Record<"show" | "tool" | "key" | "from" | "to", string>>;

/** What the list of kinds offers, and the kinds of entries that each is. */
const SHOWN: Record<string, { label: string; kinds: string }> = {
  calls: { label: "Calls", kinds: "debit,usage" },
  grants: { label: "Grants", kinds: "grant" },
  reversals: { label: "Reversals", kinds: "reversal" },
  expiries: { label: "Expiries", kinds: "expiry" },
  removals: { label: "Removals", kinds: "void" },
};

/** Leaves out what is empty or cannot be a filter, such as a day that does not exist. */
function readLedgerSearch(search: Record<string, unknown>): LedgerSearch {
  const found: LedgerSearch = {};
  for (const name of ["show", "tool", "key", "from", "to"] as const) {
    // The router reads a value such as 2026 as a number.
    const text = String(search[name] ?? "");
    if (text === "" || text.length > 200) continue;
    if (name === "show" && !Object.hasOwn(SHOWN, text)) continue;
    if ((name === "from" || name === "to") && !isDay(text)) continue;
    found[name] = text;
  }
  return found;
}

/** The query string of the request, with its question mark; empty without filters. */
function entriesQuery({ show, ...others }: LedgerSearch): string {
  const kind = show === undefined ? undefined : SHOWN[show]?.kinds;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ kind, ...others }))
    if (value !== undefined) query.set(name, value);
  return query.size === 0 ? "" : `?${query}`;
}

const hasFilters = (search: LedgerSearch): boolean => Object.keys(search).length > 0;

/** The ledger of the account: everything that changed the balance, with filters. */
export default function LedgerTab() {
  const [found, choose] = useFilters<LedgerSearch>("/credits", (search, change) => ({
    tab: "ledger",
    ...readLedgerSearch({ ...search, ...change }),
  }));
  const search = readLedgerSearch(found);
  const keys = useKeys().data?.keys ?? [];
  const query = entriesQuery(search);
  return (
    <Section
      title="Ledger"
      description="Everything that changed your balance, newest first, with the balance after it. Older calls are combined by hour, key and tool. Days are in UTC."
      side={
        <DownloadLink path={`/dashboard/credits/entries/export${query}`} button={{ size: "sm" }}>
          Download CSV
        </DownloadLink>
      }
    >
      <Filters search={search} keys={keys} onChoose={choose} />
      <Entries key={query} search={search} query={query} keys={keys} />
    </Section>
  );
}

function Filters(props: {
  search: LedgerSearch;
  keys: KeyView[];
  onChoose: (change: LedgerSearch) => void;
}) {
  const { search, keys, onChoose } = props;
  return (
    <fieldset className="tb-filters">
      <VisuallyHidden component="legend">Filters</VisuallyHidden>
      <FilterSelect
        label="Show"
        all="Everything"
        options={Object.entries(SHOWN).map(([value, { label }]) => ({ value, label }))}
        chosen={search.show}
        onChoose={(show) => onChoose({ show })}
      />
      <ToolSelect chosen={search.tool} onChoose={(tool) => onChoose({ tool })} />
      <KeySelect keys={keys} chosen={search.key} onChoose={(key) => onChoose({ key })} />
      <DayField label="Since" day={search.from ?? ""} onDay={(from) => onChoose({ from })} />
      <DayField label="Jump to date" day={search.to ?? ""} onDay={(to) => onChoose({ to })} />
      {hasFilters(search) && (
        <Button
          variant="default"
          onClick={() => onChoose({ show: "", tool: "", key: "", from: "", to: "" })}
        >
          Clear filters
        </Button>
      )}
    </fieldset>
  );
}

/** The URL changes only when the day is complete, so that typing one is not interrupted. */
function DayField(props: { label: string; day: string; onDay: (day: string) => void }) {
  const [typed, setTyped] = useState(props.day);
  useEffect(() => setTyped(props.day), [props.day]);
  return (
    <TextInput
      type="date"
      label={props.label}
      value={typed}
      max={dayOf(Date.now())}
      onChange={(event) => {
        const day = event.currentTarget.value;
        setTyped(day);
        // While the year is typed, browsers report years such as 0002.
        if (day === "" || day >= "2000") props.onDay(day);
      }}
    />
  );
}

function Entries(props: { search: LedgerSearch; query: string; keys: KeyView[] }) {
  const { search, keys } = props;
  const entries = useEntries(props.query);
  const keyName = (id: string) => keys.find((key) => key.id === id)?.label ?? id;
  return (
    <>
      <QueryResult query={entries} loading={<LoadingRows rows={6} height={48} />}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.entries);
          const last = pages.at(-1);
          return (
            <>
              {rows.length > 0 && <Records label="Ledger" columns={columns(keyName)} rows={rows} />}
              {rows.length === 0 && last?.next === null && (
                <Nothing isFiltered={hasFilters(search)} />
              )}
              <Searched page={last} />
            </>
          );
        }}
      </QueryResult>
      <ShowOlder
        query={entries}
        label={
          entries.data?.pages.at(-1)?.searchedTo == null ? "Show older" : "Search further back"
        }
      />
    </>
  );
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No matching entries">Change or clear the filters to see other entries.</Empty>
  ) : (
    <Empty title="No entries yet">Grants and calls will be listed here.</Empty>
  );

/** A search looks at a limited number of entries at a time. */
const Searched = ({ page }: { page: EntriesView | undefined }) =>
  page?.searchedTo == null ? null : (
    <Text c="dimmed" size="sm" mt="md" role="status">
      Searched back to {longDay(page.searchedTo)}. There may be more matches before that day.
    </Text>
  );

const columns = (keyName: (id: string) => string): Column<BalancedEntryView>[] => [
  { head: "Entry", cell: ({ kind }) => <State {...ENTRY_LABELS[kind]} /> },
  {
    head: "Details",
    inCard: "plain",
    cell: (entry) => <Text size="sm">{entryText(entry, keyName)}</Text>,
  },
  { head: "Time", inCard: "plain", cell: ({ at }) => <Time at={at} /> },
  { head: "Credits", cell: ({ credits }) => signed(credits), numeric: true, inCard: "beside" },
  {
    head: "Balance",
    cell: ({ balance }) => (balance === null ? "Not added up" : formatNumber(balance)),
    numeric: true,
  },
];
