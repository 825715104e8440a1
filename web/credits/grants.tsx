import { Button, Text } from "@mantine/core";
import { useState } from "react";
import type { CreditsView, GrantView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { useCredits } from "../member-queries.ts";
import { Empty } from "../parts/empty-state.tsx";
import { longDay, timeUntil } from "../parts/numbers.ts";
import { LoadingSection } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { GRANT_LABELS } from "./credit-text.ts";

const isOver = (grant: GrantView, now: number) =>
  grant.remaining === 0 || (grant.expiresAt !== null && grant.expiresAt <= now);

/** The grants that make up the balance, in the order in which they are spent. */
export default function GrantsTab() {
  const query = useCredits({ isLoader: false });
  return (
    <QueryResult query={query} loading={<LoadingSection />}>
      {({ pages }) => <Grants query={query} pages={pages} />}
    </QueryResult>
  );
}

function Grants(props: { query: ReturnType<typeof useCredits>; pages: CreditsView[] }) {
  const { query } = props;
  const now = query.dataUpdatedAt;
  const [showAll, setShowAll] = useState(false);
  const grants = withoutRepeats(props.pages);
  const over = grants.filter((grant) => isOver(grant, now)).length;
  const rows = showAll ? grants : grants.filter((grant) => !isOver(grant, now));
  return (
    <Section
      title="Grants"
      description="The credits that expire soonest are spent first. Credits that never expire are spent last."
    >
      {rows.length > 0 && <Records label="Grants" columns={grantColumns(now)} rows={rows} />}
      {grants.length === 0 && (
        <Empty icon="credits" title="No grants yet">
          Credits that you receive or buy will be listed here.
        </Empty>
      )}
      {grants.length > 0 && rows.length === 0 && (
        <Text c="dimmed">All your grants are spent or expired.</Text>
      )}
      {over > 0 && (
        <Button
          mt="md"
          variant="default"
          aria-expanded={showAll}
          onClick={() => setShowAll(!showAll)}
        >
          {showAll ? "Hide" : "Show"}{" "}
          {query.hasNextPage ? "spent or expired grants" : counted(over, "spent or expired grant")}
        </Button>
      )}
      {(showAll || over === 0) && <ShowOlder query={query} label="Show more grants" />}
    </Section>
  );
}

/** A grant that a call used up between two pages is in both. */
function withoutRepeats(pages: CreditsView[]): GrantView[] {
  const all = pages.flatMap((page) => page.grants);
  return [...new Map(all.map((grant) => [grant.id, grant])).values()];
}

const grantColumns = (now: number): Column<GrantView>[] => [
  { head: "Grant", cell: ({ kind }) => GRANT_LABELS[kind] },
  { head: "Remaining", cell: ({ remaining }) => formatNumber(remaining), numeric: true },
  { head: "Amount", cell: ({ amount }) => formatNumber(amount), numeric: true },
  { head: "Granted", cell: ({ grantedAt }) => <Time at={grantedAt} /> },
  { head: "Expires", cell: (grant) => <Expiry grant={grant} now={now} /> },
];

function Expiry({ grant, now }: { grant: GrantView; now: number }) {
  const { expiresAt, remaining, waivedExpiresAt } = grant;
  if (expiresAt !== null && expiresAt <= now) {
    return (
      <>
        <State shape="clock" tone="soft" title="Expired" />
        <br />
        <Time at={expiresAt} />
      </>
    );
  }
  if (remaining === 0) return <State shape="check" tone="soft" title="Spent" />;
  if (expiresAt === null) {
    if (waivedExpiresAt === null) return "Never";
    return (
      <>
        Never
        <Text size="sm" c="dimmed">
          Lifetime plan (otherwise {longDay(waivedExpiresAt)})
        </Text>
      </>
    );
  }
  return (
    <>
      <Time at={expiresAt} />
      <Text size="sm" c="dimmed">
        {timeUntil(expiresAt, now)}
      </Text>
    </>
  );
}
