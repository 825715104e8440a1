import { Button, VisuallyHidden } from "@mantine/core";
import type { PurchaseView } from "#api/dashboard/shapes.ts";
import { ExternalLink } from "../parts/buttons.tsx";
import { formatNumber } from "../parts/numbers.ts";
import { Empty, LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { STATE_LABELS } from "./purchase-states.ts";
import { usePurchases } from "./purchases.ts";

/** What was bought, newest first. `payable`: where nothing can be bought, and nothing was, there is nothing to tell. */
export function PurchaseList({ payable }: { payable: boolean }) {
  const purchases = usePurchases();
  const query = purchases.isFetchNextPageError ? { ...purchases, error: null } : purchases;
  const rows = purchases.data?.pages.flatMap((page) => page.purchases) ?? [];
  if (!payable && rows.length === 0) return null;
  return (
    <Section
      title="Purchases"
      description="Receipts and invoices are kept by our payment provider, on its own pages."
    >
      <QueryResult query={query} loading={<LoadingRows rows={2} height={56} />}>
        {() =>
          rows.length === 0 ? (
            <Empty title="Nothing bought yet">What you buy is listed here, with its receipt.</Empty>
          ) : (
            <Records label="Purchases" columns={COLUMNS} rows={rows} actions={links} />
          )
        }
      </QueryResult>
      <ShowOlder query={purchases} />
    </Section>
  );
}

const COLUMNS: Column<PurchaseView>[] = [
  { head: "What", cell: ({ name }) => name },
  { head: "When", cell: ({ at }) => <Time at={at} /> },
  { head: "Credits", cell: ({ credits }) => formatNumber(credits), numeric: true },
  {
    head: "Amount",
    cell: ({ amountText, refundedText }) => (
      <>
        {amountText}
        {refundedText !== null && <div className="tb-aside">{refundedText} back</div>}
      </>
    ),
    numeric: true,
  },
  {
    head: "State",
    cell: (purchase) => {
      const { title, shape, tone } = STATE_LABELS[purchase.state];
      return (
        <>
          <State shape={shape} tone={tone}>
            {title}
          </State>
          {purchase.voided > 0 && (
            <div className="tb-aside">{formatNumber(purchase.voided)} taken back</div>
          )}
        </>
      );
    },
  },
];

const links = (purchase: PurchaseView) => {
  const { payUrl, receiptUrl, invoiceUrl, state } = purchase;
  return (
    <>
      {payUrl !== null && state === "open" && (
        <Button component="a" href={payUrl} size="xs" variant="default">
          Pay
          <Of purchase={purchase} />
        </Button>
      )}
      {receiptUrl !== null && (
        <ExternalLink href={receiptUrl} size="xs">
          Receipt
          <Of purchase={purchase} />
        </ExternalLink>
      )}
      {invoiceUrl !== null && (
        <ExternalLink href={invoiceUrl} size="xs">
          Invoice
          <Of purchase={purchase} />
        </ExternalLink>
      )}
    </>
  );
};

const Of = ({ purchase: { name } }: { purchase: PurchaseView }) => (
  <VisuallyHidden>&nbsp;of {name}</VisuallyHidden>
);
