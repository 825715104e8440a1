import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { HomeView, Visitor } from "#api/dashboard/shapes.ts";
import { topUp } from "#top-up.ts";
import { absoluteUrl } from "../addresses.ts";
import { useNewKey } from "../keys/new-key.ts";
import { restrictionOf } from "../keys/restriction.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useHome, useVisitor } from "../queries.ts";
import { CallGuide } from "./call-guide.tsx";
import { useDismissed } from "./dismissed.ts";
import { FirstSteps, needsFirstSteps } from "./first-steps.tsx";
import { DailyCalls, Figures, LastErrors, SuggestionCard, TopKeys } from "./overview.tsx";
import { hasCalled, suggestionFor } from "./suggestions.ts";
import "./home.css";

/**
 * What a user wants to know each day: how long the credits last, what was called, what failed, and one thing to do. Until the first
 * call, that is the guide to it.
 */
export default function HomeScreen() {
  const home = useHome();
  const visitor = useVisitor().data;
  const user = visitor?.user ?? null;
  const newKey = useNewKey(user?.account?.id);
  const confirmed = restrictionOf(user) !== "email_not_verified";
  if (visitor === undefined) return <PageTitle title="Home" />;
  const guide = (view: HomeView | undefined) => (
    <Guide view={view} visitor={visitor} newKey={newKey} />
  );
  return (
    <>
      <PageTitle title="Home" />
      {confirmed ? (
        <QueryResult query={home} loading={<HomeLoading />}>
          {(view) => (
            <Overview
              view={view}
              account={user?.account?.id ?? ""}
              newKey={newKey !== null}
              guide={guide(view)}
            />
          )}
        </QueryResult>
      ) : (
        guide(undefined)
      )}
    </>
  );
}

function Overview(props: { view: HomeView; account: string; newKey: boolean; guide: ReactNode }) {
  const { view } = props;
  // The guide stays while the page is open, because it turns into the success.
  const [needsGuide] = useState(() => !hasCalled(view));
  const guide = needsGuide || props.newKey ? props.guide : null;
  const sales = useVisitor().data?.sales;
  const [now] = useState(() => Date.now());
  const { isDismissed, dismiss } = useDismissed(props.account, now);
  const suggestion = guide === null ? suggestionFor(view, now, isDismissed) : null;
  const { days, lastErrors } = view;
  const isUsed =
    guide === null || (days ?? []).some(({ calls, errors }) => calls > 0 || (errors ?? 0) > 0);
  return (
    <>
      <Figures view={view} now={now} />
      {view.noStarter !== null && (
        <Text size="sm" c="dimmed" mt="sm">
          {NO_STARTER[view.noStarter]}{" "}
          {sales !== undefined && topUp(sales, absoluteUrl("")).sentence}
        </Text>
      )}
      {suggestion !== null && (
        <SuggestionCard suggestion={suggestion} onDismiss={() => dismiss(suggestion.id)} />
      )}
      {guide}
      {isUsed && (
        <>
          {days === null ? <Counting /> : <DailyCalls days={days} />}
          <div className="tb-home-columns">
            {lastErrors !== null && <LastErrors errors={lastErrors} now={now} />}
            {view.keys > 0 && <TopKeys view={view} now={now} />}
          </div>
        </>
      )}
    </>
  );
}

const Counting = () => (
  <Text c="dimmed" mt="xl">
    Your calls are being added up. The chart appears here in a moment.
  </Text>
);

const HomeLoading = () => (
  <>
    <LoadingBlock height={118} />
    <div className="tb-section">
      <LoadingBlock height={360} />
    </div>
  </>
);

function Guide(props: {
  view: HomeView | undefined;
  visitor: Visitor;
  newKey: ReturnType<typeof useNewKey>;
}) {
  const { view, visitor, newKey } = props;
  // The first steps stay while the page is open, because they turn into the success.
  const [isNew] = useState(newKey === null && (view === undefined || needsFirstSteps(view)));
  if (isNew) return <FirstSteps view={view} visitor={visitor} />;
  return <CallGuide apiUrl={visitor.apiUrl} newKey={newKey} />;
}

const NO_STARTER: Record<NonNullable<HomeView["noStarter"]>, string> = {
  address_used:
    "This account has no starter credits: each person gets them once, and another account with your email address, or an alias of it, had them.",
  disposable: `This account has no starter credits, because its email address is a disposable one.`,
  network_full: `This account has no starter credits: today's were used up in your network when you signed up.`,
  day_full: `This account has no starter credits: today's were used up when you signed up.`,
};
