import { Tabs } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useSearchText } from "../addresses.ts";
import { screenOf } from "../frame/screen-of.ts";
import { useCredits } from "../member-queries.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock, LoadingSection } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useVisitor } from "../queries.ts";
import { Balance } from "./balance.tsx";
import "./credits.css";
import { PurchaseStatus } from "./purchase-status.tsx";
import { type CreditsTab, readTab, TABS, tabLabel } from "./tabs.ts";

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
              {tabLabel(each, isSold)}
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
  const [now] = useState(() => Date.now());
  return (
    <QueryResult query={credits} loading={<LoadingBlock height="var(--tb-stats-height-3)" />}>
      {({ pages: [view] }) => view && <Balance view={view} now={now} />}
    </QueryResult>
  );
}
