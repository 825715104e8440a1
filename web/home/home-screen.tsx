import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { HomeView } from "#api/dashboard/shapes.ts";
import { useNewKey } from "../keys/new-key.ts";
import { restrictionOf } from "../keys/restriction.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useHome, useVisitor } from "../queries.ts";
import { CallGuide } from "./call-guide.tsx";
import { useDismissed } from "./dismissed.ts";
import { FirstSteps } from "./first-steps.tsx";
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
  const user = visitor?.user ?? null;
  const newKey = useNewKey(user?.account?.id);
  const confirmed = restrictionOf(user) !== "email_not_verified";
  if (visitor === undefined) return <PageTitle title="Home" />;
  const guide = (view: HomeView | undefined) => (
    <Guide view={view} confirmed={confirmed} apiUrl={visitor.apiUrl} newKey={newKey} />
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
              guide={newKey === null && hasCalled(view) ? null : guide(view)}
            />
          )}
        </QueryResult>
      ) : (
        guide(undefined)
      )}
    </>
  );
}

function Overview(props: { view: HomeView; account: string; guide: ReactNode }) {
  const { view, guide } = props;
  const [now] = useState(() => Date.now());
  const { isDismissed, dismiss } = useDismissed(props.account, now);
  const suggestion = guide === null ? suggestionFor(view, now, isDismissed) : null;
  const { days, lastErrors } = view;
  const isUsed =
    guide === null || (days ?? []).some(({ calls, errors }) => calls > 0 || (errors ?? 0) > 0);
  return (
    <div className="tb-home">
      <Stats view={view} now={now} />
      {view.noStarter !== null && (
        <Text size="sm" c="dimmed" mt="sm">
          {NO_STARTER[view.noStarter]}
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
    <LoadingBlock height={118} />
    <div className="tb-section">
      <LoadingBlock height={360} />
    </div>
  </>
);

function Guide(props: {
  view: HomeView | undefined;
  confirmed: boolean;
  apiUrl: string;
  newKey: ReturnType<typeof useNewKey>;
}) {
  const { view, newKey } = props;
  if (newKey === null && (view === undefined || view.keys === 0)) {
    return <FirstSteps confirmed={props.confirmed} freeCall={view?.freeCall ?? true} />;
  }
  return <CallGuide apiUrl={props.apiUrl} newKey={newKey} freeCall={view?.freeCall ?? false} />;
}

const ASK_OPERATOR = "Ask the operator of this service for credits.";
const NO_STARTER: Record<NonNullable<HomeView["noStarter"]>, string> = {
  address_used:
    "This account has no starter credits: each person gets them once, and another account with your email address, or an alias of it, had them.",
  disposable: `This account has no starter credits, because its email address is a disposable one. ${ASK_OPERATOR}`,
  network_full: `This account has no starter credits: today's were used up in your network when you signed up. ${ASK_OPERATOR}`,
  day_full: `This account has no starter credits: today's were used up when you signed up. ${ASK_OPERATOR}`,
};
