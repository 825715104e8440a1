import { Button, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { PurchaseView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { ExternalLink } from "../parts/buttons.tsx";
import { Empty } from "../parts/empty-state.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { useVisitor } from "../queries.ts";
import { STATE_LABELS } from "./purchase-states.ts";
import { usePurchases } from "./purchases.ts";

/** The purchases, newest first, with their receipts and invoices. */
export default function PurchasesTab() {
  const purchases = usePurchases();
  const isSold = useVisitor().data?.sales.payable ?? false;
  return (
    <Section
      title="Purchases and receipts"
      {...(isSold && { description: "Our payment provider keeps your receipts and invoices." })}
    >
      <QueryResult query={purchases} loading={<LoadingRows rows={3} height={56} />}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.purchases);
          return rows.length === 0 ? (
            <Empty
              icon="prices"
              title="No purchases yet"
              action={
                isSold && (
                  <Button component={Link} to="/credits">
                    Buy credits
                  </Button>
                )
              }
            >
              {isSold
                ? "Your purchases will be listed here, with their receipts and invoices."
                : "Credits are not sold on this page."}
            </Empty>
          ) : (
            <Records
              label="Purchases"
              columns={COLUMNS}
              rows={rows}
              actions={links}
              actionsWidth="11.5rem"
            />
          );
        }}
      </QueryResult>
      <ShowOlder query={purchases} />
    </Section>
  );
}

const COLUMNS: Column<PurchaseView>[] = [
  {
    head: "Item",
    cell: ({ name, at }) => (
      <>
        {name}
        <div className="tb-detail">
          <Time at={at} />
        </div>
      </>
    ),
  },
  {
    head: "Credits",
    drop: "second",
    width: "6.5rem",
    cell: ({ credits }) => formatNumber(credits),
    numeric: true,
  },
  {
    head: "Amount",
    width: "9.5rem",
    cell: ({ amountText, refundedText }) => (
      <>
        {amountText}
        {refundedText !== null && <div className="tb-detail">{refundedText} refunded</div>}
      </>
    ),
    numeric: true,
  },
  {
    head: "State",
    width: "13rem",
    cell: ({ state, voided }) => (
      <>
        <State {...STATE_LABELS[state]} />
        {voided > 0 && <div className="tb-detail">{counted(voided, "credit")} removed</div>}
      </>
    ),
  },
];

const links = (purchase: PurchaseView) => {
  const { payUrl, receiptUrl, invoiceUrl, state } = purchase;
  return (
    <>
      {payUrl !== null && state === "open" && (
        <Button component="a" href={payUrl} size="xs" variant="default">
          Pay
          <ForPurchase purchase={purchase} />
        </Button>
      )}
      {receiptUrl !== null && (
        <ExternalLink href={receiptUrl} size="xs">
          Receipt
          <ForPurchase purchase={purchase} />
        </ExternalLink>
      )}
      {invoiceUrl !== null && (
        <ExternalLink href={invoiceUrl} size="xs">
          Invoice
          <ForPurchase purchase={purchase} />
        </ExternalLink>
      )}
    </>
  );
};

const ForPurchase = ({ purchase: { name } }: { purchase: PurchaseView }) => (
  <VisuallyHidden>&nbsp;for {name}</VisuallyHidden>
);
