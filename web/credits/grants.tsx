import { Button, Text } from "@mantine/core";
import { useState } from "react";
import type { CreditsView, GrantView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber, longDay, relative } from "../parts/numbers.ts";
import { Empty } from "../parts/placeholders.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { useVisitor } from "../queries.ts";
import { GRANT_LABELS } from "./credit-text.ts";

const isOver = (grant: GrantView, now: number) =>
  grant.remaining === 0 || (grant.expiresAt !== null && grant.expiresAt <= now);

/** What the balance is made of, in the order in which it is spent. */
export function Grants({ view, now }: { view: CreditsView; now: number }) {
  const visitor = useVisitor().data;
  const promised = visitor?.person?.verified === false ? visitor.starter : undefined;
  const [all, setAll] = useState(false);
  const over = view.grants.filter((grant) => isOver(grant, now)).length;
  const rows = all ? view.grants : view.grants.filter((grant) => !isOver(grant, now));
  return (
    <Section
      title="Grants"
      description="Credits that expire soonest are spent first; those that never expire are spent last."
    >
      {rows.length > 0 && <Records label="Grants" columns={grantColumns(now)} rows={rows} />}
      {view.grants.length === 0 && (
        <Empty title="No grants yet">
          {promised !== undefined && promised.credits > 0
            ? `Confirming your e-mail address brings ${counted(promised.credits, "starter credit")}, good for ${counted(promised.days, "day")}.`
            : "Credits that you are given or buy are listed here."}
        </Empty>
      )}
      {view.grants.length > 0 && rows.length === 0 && (
        <Text c="dimmed">All grants are spent or have expired.</Text>
      )}
      {over > 0 && (
        <Button mt="md" variant="default" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Hide" : "Show"} {counted(over, "spent or expired grant")}
        </Button>
      )}
    </Section>
  );
}

const grantColumns = (now: number): Column<GrantView>[] => [
  { head: "Grant", cell: ({ kind }) => GRANT_LABELS[kind] },
  { head: "Left", cell: ({ remaining }) => formatNumber(remaining), numeric: true },
  { head: "Amount", cell: ({ amount }) => formatNumber(amount), numeric: true },
  { head: "Granted", cell: ({ grantedAt }) => <Time at={grantedAt} /> },
  { head: "Expires", cell: (grant) => <Expiry grant={grant} now={now} /> },
];

function Expiry({ grant, now }: { grant: GrantView; now: number }) {
  const { expiresAt, remaining, waivedExpiresAt } = grant;
  if (expiresAt !== null && expiresAt <= now) {
    return (
      <>
        <State shape="clock" tone="soft">
          Expired
        </State>
        <br />
        <Time at={expiresAt} />
      </>
    );
  }
  if (remaining === 0) {
    return (
      <State shape="check" tone="soft">
        Spent
      </State>
    );
  }
  if (expiresAt === null) {
    if (waivedExpiresAt === null) return "Never";
    return (
      <>
        Does not expire
        <Text size="sm" c="dimmed">
          Lifetime plan; else {longDay(waivedExpiresAt)}
        </Text>
      </>
    );
  }
  return (
    <>
      <Time at={expiresAt} />
      <Text size="sm" c="dimmed">
        {relative(expiresAt, now)}
      </Text>
    </>
  );
}
