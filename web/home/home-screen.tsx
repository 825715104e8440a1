import { Text } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import type { HomeView, Visitor } from "#api/dashboard/shapes.ts";
import { topUp } from "#top-up.ts";
import { absoluteUrl } from "../addresses.ts";
import { useHome } from "../member-queries.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useVisitor } from "../queries.ts";
import { useDismissed } from "./dismissed.ts";
import { FirstSteps, needsFirstSteps } from "./first-steps.tsx";
import { DailyCalls, LastErrors, Stats, SuggestionCard, TopKeys } from "./overview.tsx";
import { hasCalled, suggestionFor } from "./suggestions.ts";
import "./home.css";

/**
 * What a user wants to know each day: how long the credits last, what was called, what failed, and one thing to do. Until the first
 * call, that is the guide to it.
 */
export default function HomeScreen() {
  const home = useHome();
  const visitor = useVisitor().data;
  return (
    <>
      <PageTitle title="Home" />
      {visitor !== undefined && (
        <QueryResult query={home} loading={<HomeLoading />}>
          {(view) => (
            <Overview
              view={view}
              visitor={visitor}
              account={visitor.user?.account.id ?? ""}
              now={home.dataUpdatedAt}
            />
          )}
        </QueryResult>
      )}
    </>
  );
}

/** `now`: when the view was loaded, because a page may stay open for days. */
function Overview(props: { view: HomeView; visitor: Visitor; account: string; now: number }) {
  const { view, visitor, now } = props;
  // The first steps stay while the page is open, because they turn into the success.
  const [isNew] = useState(needsFirstSteps(view));
  const { isDismissed, dismiss } = useDismissed(props.account, now);
  const suggestion = isNew ? null : suggestionFor(view, now, visitor.sales, isDismissed);
  const { days, lastErrors } = view;
  // The chart and the lists take half of the time of a render, and a slow phone shows them below its screen.
  const isRestShown = useDeferredValue(true, false);
  const isUsed = hasCalled(view) || (days ?? []).some(({ errors }) => (errors ?? 0) > 0);
  return (
    <div className="tb-home">
      <Stats view={view} now={now} />
      {view.noStarter !== null && (
        <Text size="sm" c="dimmed" mt="sm">
          {NO_STARTER[view.noStarter]} {topUp(visitor.sales, absoluteUrl("")).sentence}
        </Text>
      )}
      {suggestion !== null && (
        <SuggestionCard suggestion={suggestion} onDismiss={() => dismiss(suggestion.id)} />
      )}
      {isNew && <FirstSteps view={view} visitor={visitor} />}
      {isUsed && !isRestShown && <div className="tb-home-rest" />}
      {isUsed && isRestShown && (
        <>
          {days === null ? <Counting /> : <DailyCalls days={days} />}
          <div className="tb-home-columns">
            {lastErrors !== null && <LastErrors errors={lastErrors} now={now} />}
            {view.keys > 0 && <TopKeys view={view} now={now} />}
          </div>
        </>
      )}
    </div>
  );
}

const Counting = () => (
  <Text c="dimmed" mt="xl">
    Your calls are being added up. The chart appears here in a moment.
  </Text>
);

const HomeLoading = () => (
  <>
    <LoadingBlock height="var(--tb-stats-height-4)" />
    <div className="tb-section">
      <LoadingBlock height={360} />
    </div>
  </>
);

const NO_STARTER: Record<NonNullable<HomeView["noStarter"]>, string> = {
  address_used:
    "This account has no starter credits: each person gets them once, and another account with your email address, or an alias of it, had them.",
  disposable: "This account has no starter credits, because its email address is a disposable one.",
  network_full:
    "This account has no starter credits: today's were used up in your network when you signed up.",
  day_full: "This account has no starter credits: today's were used up when you signed up.",
};
