import { useCredits } from "../member-queries.ts";
import { LoadingBlock, LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { Offers } from "./offers.tsx";
import { usePrices } from "./purchases.ts";

/** What can be bought. It does not need the account's credits, but for the lifetime plan that the account may have. */
export default function BuyTab() {
  const prices = usePrices();
  const lifetime = useCredits({ isLoader: false }).data?.pages[0]?.lifetime ?? false;
  return (
    <QueryResult query={prices} loading={<OffersLoading />}>
      {(list) => <Offers prices={list} lifetime={lifetime} />}
    </QueryResult>
  );
}

const OffersLoading = () => (
  <div className="tb-section">
    <div className="tb-home-loading">
      <LoadingBlock height={28} />
    </div>
    <LoadingRows rows={4} height={48} />
  </div>
);
