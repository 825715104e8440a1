import { Tabs } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Suspense } from "react";
import type { CreditsView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { useSearchText } from "../addresses.ts";
import { screenOf } from "../frame/screen-of.ts";
import { useCredits } from "../member-queries.ts";
import { longDay, timeUntil } from "../parts/numbers.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock, LoadingSection } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { Stat } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { useVisitor } from "../queries.ts";
import "./credits.css";
import { balanceText } from "./credit-text.ts";
import { PurchaseStatus } from "./purchase-status.tsx";

/** The tabs, as in the `tab` of the URL. The first one is left out there. */
const LABELS = { buy: "Buy", grants: "Grants", purchases: "Purchases", ledger: "Ledger" };
type CreditsTab = keyof typeof LABELS;
const TABS = Object.keys(LABELS) as CreditsTab[];

const readTab = (text: string): CreditsTab => TABS.find((tab) => tab === text) ?? "buy";

/** Each tab loads its code and its data when it is first shown. */
const PANELS: Record<CreditsTab, ReturnType<typeof screenOf>> = {
  buy: screenOf(() => import("./buy-tab.tsx")),
  grants: screenOf(() => import("./grants.tsx")),
  purchases: screenOf(() => import("./purchase-list.tsx")),
  ledger: screenOf(() => import("./ledger.tsx")),
};

export default function CreditsScreen() {
  const tab = readTab(useSearchText("tab"));
  const isSold = useVisitor().data?.sales.payable ?? false;
  const navigate = useNavigate();
  const choose = (next: string | null) => {
    const chosen = readTab(next ?? "");
    void navigate({
      to: "/credits",
      // The message about a purchase stays while the user looks at its receipt.
      search: ({ purchase, cancelled }: Record<string, unknown>) =>
        ({ purchase, cancelled, ...(chosen === "buy" ? {} : { tab: chosen }) }) as never,
      replace: true,
    });
  };
  return (
    <>
      <PageTitle title="Credits" />
      <PurchaseStatus />
      <BalanceOnTop />
      <Tabs value={tab} onChange={choose} keepMounted={false} className="tb-tabs">
        <Tabs.List>
          {TABS.map((each) => (
            <Tabs.Tab
              key={each}
              value={each}
              onPointerEnter={() => void PANELS[each].preload()}
              onFocus={() => void PANELS[each].preload()}
            >
              {/* Where credits are not sold, the first tab says how to get them. */}
              {each === "buy" && !isSold ? "Get credits" : LABELS[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map((each) => {
          const Panel = PANELS[each];
          return (
            <Tabs.Panel key={each} value={each}>
              <Suspense fallback={<LoadingSection />}>
                <Panel />
              </Suspense>
            </Tabs.Panel>
          );
        })}
      </Tabs>
    </>
  );
}

function BalanceOnTop() {
  const credits = useCredits();
  return (
    <QueryResult query={credits} loading={<LoadingBlock height="var(--tb-stats-height-3)" />}>
      {({ pages: [view] }) => view && <Balance view={view} now={credits.dataUpdatedAt} />}
    </QueryResult>
  );
}

/** The balance, and what part of it expires next. */
function Balance({ view, now }: { view: CreditsView; now: number }) {
  const { balance, nextExpiry: next } = view;
  return (
    <dl className="tb-stats">
      <Stat
        name="Balance"
        value={<span className="tb-balance">{formatNumber(balance)}</span>}
        unit={balance === 1 ? "credit" : "credits"}
      >
        <BalanceText view={view} />
      </Stat>
      <Stat name="Next expiry" value={next === null ? "None" : timeUntil(next.at, now)}>
        {next === null
          ? "No credits expire"
          : `${counted(next.credits, "credit")}, ${longDay(next.at)}`}
      </Stat>
      <Stat name="Never expire" value={formatNumber(view.permanent ?? 0)}>
        {view.permanent === 1 ? "credit" : "credits"}
      </Stat>
    </dl>
  );
}

function BalanceText({ view }: { view: CreditsView }) {
  const text = balanceText(view, useVisitor().data?.user?.account);
  return typeof text === "string" ? text : <State {...text} />;
}
