import type { EventKind, EventView } from "#api/dashboard/shapes.ts";
import { Empty, LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { useEvents } from "../queries.ts";
import { providerName } from "../sign-in/providers.tsx";

const LABELS: Record<EventKind, string> = {
  signed_up: "Signed up",
  email_verified: "Email address confirmed",
  signed_in: "Signed in",
  password_changed: "Password changed",
  password_reset: "Password reset",
  email_changed: "Email address changed",
  provider_linked: "Sign-in linked",
  key_created: "API key created",
  key_renamed: "API key renamed",
  key_limited: "API key limits changed",
  key_rotated: "API key rotated",
  key_revoked: "API key revoked",
  session_ended: "Session ended",
  endpoint_added: "Webhook endpoint added",
  endpoint_changed: "Webhook endpoint changed",
  endpoint_removed: "Webhook endpoint deleted",
};

function detailText(kind: EventKind, detail: string | null): string {
  if (detail === null) return "\u2013";
  return kind === "provider_linked" ? providerName(detail) : detail;
}

const COLUMNS: Column<EventView>[] = [
  { head: "Event", cell: ({ kind }) => LABELS[kind] ?? kind },
  {
    head: "Details",
    cell: ({ kind, detail }) => <span className="tb-address">{detailText(kind, detail)}</span>,
  },
  { head: "Time", cell: ({ at }) => <Time at={at} /> },
  {
    head: "IP address",
    cell: ({ address }) => <span className="tb-ip">{address ?? "Unknown"}</span>,
  },
];

/** Sign-ins and changes, so that users can spot activity that was not theirs. */
export function ActivityList() {
  const events = useEvents();
  // `ShowOlder` reports a failed next page at the end of the list.
  const query = events.isFetchNextPageError ? { ...events, error: null } : events;
  return (
    <Section title="Activity" description="Sign-ins and changes to your account, newest first.">
      <QueryResult query={query} loading={<LoadingRows rows={5} height={48} />}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.events);
          return rows.length === 0 ? (
            <Empty title="No activity yet">Sign-ins and changes will be listed here.</Empty>
          ) : (
            <Records label="Activity" columns={COLUMNS} rows={rows} />
          );
        }}
      </QueryResult>
      <ShowOlder query={events} />
    </Section>
  );
}
