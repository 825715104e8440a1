import type { EventKind, EventView } from "#api/dashboard/shapes.ts";
import { Empty } from "../parts/empty.tsx";
import { LoadingRows } from "../parts/loading.tsx";
import { ShowOlder } from "../parts/pages.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { ApiResponse, Section } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { useEvents } from "../queries.ts";
import { providerName } from "./provider-names.ts";

const WORDS: Record<EventKind, string> = {
  signed_up: "Signed up",
  email_verified: "E-mail address confirmed",
  signed_in: "Signed in",
  password_changed: "Password changed",
  password_reset: "Password reset",
  email_changed: "E-mail address changed",
  provider_linked: "Sign-in linked",
  key_created: "API key created",
  key_renamed: "API key renamed",
  key_revoked: "API key revoked",
  session_ended: "Session ended",
  endpoint_added: "Webhook address added",
  endpoint_changed: "Webhook address changed",
  endpoint_removed: "Webhook address removed",
};

function detailText(kind: EventKind, detail: string | null): string {
  if (detail === null) return "\u2013";
  return kind === "provider_linked" ? providerName(detail) : detail;
}

const COLUMNS: Column<EventView>[] = [
  { head: "What", cell: ({ kind }) => WORDS[kind] ?? kind },
  {
    head: "Detail",
    cell: ({ kind, detail }) => <span className="tb-address">{detailText(kind, detail)}</span>,
  },
  { head: "When", cell: ({ at }) => <Time at={at} /> },
  {
    head: "Network address",
    cell: ({ address }) => <span className="tb-address">{address ?? "Unknown"}</span>,
  },
];

/** What happened to the account, for its owner to see whether it was they who did it. */
export function ActivityList() {
  const events = useEvents();
  // A page that failed to come is told where it would stand.
  const query = events.isFetchNextPageError ? { ...events, error: null } : events;
  return (
    <Section title="Activity" description="What was done with your account, newest first.">
      <ApiResponse query={query} loading={<LoadingRows rows={5} height={48} />}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.events);
          return rows.length === 0 ? (
            <Empty title="Nothing yet">Sign-ins and changes are listed here.</Empty>
          ) : (
            <Records label="Activity" columns={COLUMNS} rows={rows} />
          );
        }}
      </ApiResponse>
      <ShowOlder query={events} />
    </Section>
  );
}
