import { useState } from "react";
import type { CreditsView } from "#api/dashboard/shapes.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock, LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useCredits, useEntries } from "../queries.ts";
import { Balance } from "./balance.tsx";
import "./credits.css";
import { EntryList } from "./entry-list.tsx";
import { Grants } from "./grants.tsx";
import { Offers } from "./offers.tsx";
import { PurchaseList } from "./purchase-list.tsx";
import { PurchaseStatus } from "./purchase-status.tsx";
import { usePrices, usePurchases } from "./purchases.ts";

/** Loads everything at once. A part is shown only when all parts above it are, so that the layout does not shift. */
export default function CreditsScreen() {
  const credits = useCredits();
  const prices = usePrices();
  const purchases = usePurchases();
  useEntries();
  // `ShowOlder` reports a failed next page at the end of the list.
  const query = credits.isFetchNextPageError ? { ...credits, error: null } : credits;
  const isTopLoaded = !credits.isPending && (credits.isError || !prices.isPending);
  return (
    <>
      <PageTitle title="Credits" />
      <PurchaseStatus />
      <QueryResult query={query} loading={<CreditsLoading />}>
        {({ pages }) => <CreditsSummary credits={credits} pages={pages} prices={prices} />}
      </QueryResult>
      {isTopLoaded && prices.data !== undefined && credits.data !== undefined && (
        <PurchaseList payable={prices.data.payable} />
      )}
      {isTopLoaded && !purchases.isPending && <EntryList />}
    </>
  );
}

function CreditsSummary(props: {
  credits: ReturnType<typeof useCredits>;
  pages: CreditsView[];
  prices: ReturnType<typeof usePrices>;
}) {
  const { credits, pages, prices } = props;
  const [now] = useState(() => Date.now());
  const [view] = pages;
  if (view === undefined) return null;
  return (
    <>
      <Balance view={view} now={now} />
      <QueryResult query={prices} loading={<OffersLoading />}>
        {(list) => <Offers prices={list} lifetime={view.lifetime} />}
      </QueryResult>
      {!prices.isPending && <Grants query={credits} pages={pages} now={now} />}
    </>
  );
}

const CreditsLoading = () => (
  <>
    <div className="tb-home-top">
      <div className="tb-home-loading">
        <LoadingBlock height={22} />
        <LoadingBlock height={56} />
      </div>
      <LoadingRows rows={2} height={34} />
    </div>
    <OffersLoading />
  </>
);

const OffersLoading = () => (
  <div className="tb-section">
    <div className="tb-home-loading">
      <LoadingBlock height={28} />
    </div>
    <LoadingRows rows={4} height={48} />
  </div>
);
