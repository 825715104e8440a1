import { Group, VisuallyHidden } from "@mantine/core";
import type { EventKind, EventView } from "#api/dashboard/shapes.ts";
import { useEvents } from "../member-queries.ts";
import { DownloadLink } from "../parts/download.tsx";
import { Empty } from "../parts/empty-state.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { type Column, OneLine, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { providerName } from "../sign-in/providers.tsx";

const LABELS: Record<EventKind, string> = {
  signed_up: "Signed up",
  signed_in: "Signed in",
  signed_in_new_browser: "Signed in with a new browser",
  sign_in_failed: "Sign-in failed: wrong code",
  email_changed: "Email address changed",
  email_change_undone: "Change of email address undone",
  provider_linked: "Sign-in linked",
  passkey_added: "Passkey added",
  passkey_removed: "Passkey removed",
  passkey_renamed: "Passkey renamed",
  passkeys_reset: "Passkeys reset by the operator",
  passkey_required: "Passkey required",
  passkey_not_required: "Passkey no longer required",
  passwords_retired: "Passwords were retired",
  key_created: "API key created",
  key_renamed: "API key renamed",
  key_limited: "API key limits changed",
  key_rotated: "API key rotated",
  key_revoked: "API key revoked",
  session_ended: "Session ended",
  endpoint_added: "Webhook endpoint added",
  endpoint_changed: "Webhook endpoint changed",
  endpoint_secret_rotated: "Webhook secret rotated",
  endpoint_removed: "Webhook endpoint deleted",
  data_exported: "Data exported",
};

const SIGN_INS: Record<string, string> = {
  code: "Code from an email",
  link: "Link in an email",
  passkey: "Passkey",
};

/** Failed sign-ins of one hour are one entry. */
const labelOf = (kind: EventKind, times: number) =>
  `${LABELS[kind] ?? kind}${times > 1 ? ` (${times.toLocaleString("en")} times)` : ""}`;

function detailText(kind: EventKind, detail: string | null): string {
  if (detail === null) return "\u2013";
  const isSignIn = kind === "signed_in" || kind === "signed_in_new_browser";
  if (isSignIn || kind === "provider_linked") return SIGN_INS[detail] ?? providerName(detail);
  return kind === "data_exported" ? detail.charAt(0).toUpperCase() + detail.slice(1) : detail;
}

const COLUMNS: Column<EventView>[] = [
  { head: "Event", cell: ({ kind, times }) => labelOf(kind, times) },
  {
    head: "Details",
    cell: ({ kind, detail }) => (
      <span className="tb-break tb-two-lines">
        <OneLine text={detailText(kind, detail)} />
      </span>
    ),
  },
  { head: "Time", width: "12rem", cell: ({ at }) => <Time at={at} /> },
  {
    head: "IP address",
    width: "11.5rem",
    cell: ({ address }) => <span className="tb-ip">{address ?? "Unknown"}</span>,
  },
  {
    head: "Browser",
    drop: "second",
    width: "10rem",
    cell: ({ browser }) => browser ?? "Unknown",
  },
];

/** Sign-ins and changes, so that users can spot activity that was not theirs. */
export function ActivityList() {
  const events = useEvents();
  return (
    <Section
      title="Activity"
      description="Sign-ins and changes to your account, newest first. If you see something that was not you, end the other sessions."
      side={<Downloads />}
    >
      <QueryResult query={events} loading={<LoadingRows rows={5} height={48} />}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.events);
          return rows.length === 0 ? (
            <Empty icon="clock" title="No activity yet">
              Sign-ins and changes will be listed here.
            </Empty>
          ) : (
            <Records label="Activity" columns={COLUMNS} rows={rows} />
          );
        }}
      </QueryResult>
      <ShowOlder query={events} />
    </Section>
  );
}

const Downloads = () => (
  <Group gap={8} wrap="nowrap">
    {(["csv", "json"] as const).map((format) => (
      <DownloadLink
        key={format}
        path={`/dashboard/events/export?format=${format}`}
        button={{ size: "xs" }}
      >
        Download {format.toUpperCase()}
        <VisuallyHidden>&nbsp;of all activity</VisuallyHidden>
      </DownloadLink>
    ))}
  </Group>
);
