import { Button, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { HomeView, Visitor } from "#api/dashboard/shapes.ts";
import { expiryText } from "../credits/credit-text.ts";
import { useNewKey } from "../keys/new-key.ts";
import { restrictionOf } from "../keys/restriction.tsx";
import { counted, formatNumber } from "../parts/numbers.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock, LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { State } from "../parts/state.tsx";
import { useHome, useVisitor } from "../queries.ts";
import { CallGuide } from "./call-guide.tsx";
import { FirstSteps, needsFirstSteps } from "./first-steps.tsx";
import "./home.css";

/** The state of the account, and how to call a tool. */
export default function HomeScreen() {
  const home = useHome();
  const visitor = useVisitor().data;
  const user = visitor?.user ?? null;
  const newKey = useNewKey(user?.account?.id);
  const confirmed = restrictionOf(user) !== "email_not_verified";
  return (
    <>
      <PageTitle title="Home" />
      {confirmed && (
        <QueryResult query={home} loading={<HomeLoading />}>
          {(view) => <AccountSummary view={view} />}
        </QueryResult>
      )}
      {visitor !== undefined && (home.data !== undefined || !confirmed) && (
        <Guide
          key={String(confirmed)}
          view={confirmed ? home.data : undefined}
          visitor={visitor}
          newKey={newKey}
        />
      )}
    </>
  );
}

const HomeLoading = () => (
  <>
    <div className="tb-home-top">
      <div className="tb-home-loading">
        <LoadingBlock height={22} />
        <LoadingBlock height={56} />
        <LoadingBlock height={36} />
      </div>
      <LoadingRows rows={4} height={34} />
    </div>
    <div className="tb-section">
      <div className="tb-home-loading">
        <LoadingBlock height={28} />
      </div>
      <LoadingBlock height={148} />
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

function AccountSummary({ view }: { view: HomeView }) {
  return (
    <div className="tb-home-top">
      <div>
        <Text c="dimmed">Balance</Text>
        <div className="tb-balance">{formatNumber(view.balance)}</div>
        <Text c="dimmed">{view.balance === 1 ? "credit" : "credits"}</Text>
        <BalanceMessage view={view} />
        {view.noStarter !== null && (
          <Text size="sm" c="dimmed" mt="sm">
            {NO_STARTER[view.noStarter]}
          </Text>
        )}
        <Group gap="sm" mt="lg">
          <Button component={Link} to="/usage" variant="default">
            View usage
          </Button>
          <Button component={Link} to="/credits" variant="default">
            View credits
          </Button>
        </Group>
      </div>
      <Facts view={view} />
    </div>
  );
}

const ASK_OPERATOR = "Ask the operator of this service for credits.";
const NO_STARTER: Record<NonNullable<HomeView["noStarter"]>, string> = {
  address_used:
    "This account has no starter credits: each person gets them once, and another account with your email address, or an alias of it, had them.",
  disposable: `This account has no starter credits, because its email address is a disposable one. ${ASK_OPERATOR}`,
  network_full: `This account has no starter credits: today's were used up in your network when you signed up. ${ASK_OPERATOR}`,
  day_full: `This account has no starter credits: today's were used up when you signed up. ${ASK_OPERATOR}`,
};

function BalanceMessage({ view }: { view: HomeView }) {
  if (view.freeCall) {
    return (
      <State shape="check" tone="ok">
        Your next call is free
      </State>
    );
  }
  if (view.balance > 0) return null;
  return (
    <State shape="cross" tone="warn">
      No credits left: calls are rejected
    </State>
  );
}

function Facts({ view }: { view: HomeView }) {
  const [now] = useState(() => Date.now());
  const { nextExpiry, today } = view;
  return (
    <dl className="tb-home-facts">
      <div>
        <dt>Calls today (UTC)</dt>
        <dd>{today === null ? "Counting" : formatNumber(today.calls)}</dd>
      </div>
      <div>
        <dt>Credits used today</dt>
        <dd>{today === null ? "Counting" : formatNumber(today.credits)}</dd>
      </div>
      <div>
        <dt>Next expiry</dt>
        <dd>{nextExpiry === null ? "None" : expiryText(nextExpiry, now)}</dd>
      </div>
      <div>
        <dt>API keys</dt>
        <dd>
          <Link to="/settings/api-keys">{counted(view.keys, "active key")}</Link>
        </dd>
      </div>
    </dl>
  );
}
