import { Button, Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { PurchaseView } from "#api/dashboard/shapes.ts";
import { useSearchText } from "../addresses.ts";
import { ExternalLink } from "../parts/buttons.tsx";
import { Failure, Message } from "../parts/message.tsx";
import { LoadingBlock } from "../parts/placeholders.tsx";
import { ProblemDetails } from "../request.ts";
import { purchaseMessage } from "./purchase-states.ts";
import { useTrackedPurchase } from "./purchases.ts";

/**
 * The payment provider redirects back with the purchase in the query string, as `purchase` or as `cancelled`. Reloading
 * the page, or opening it in another tab, shows the same message.
 */
export function PurchaseStatus() {
  const purchase = useSearchText("purchase");
  const cancelled = useSearchText("cancelled");
  const id = purchase || cancelled;
  return id === "" ? null : <TrackedPurchase key={id} id={id} cancelled={cancelled !== ""} />;
}

function TrackedPurchase({ id, cancelled }: { id: string; cancelled: boolean }) {
  const { data, error, refetch } = useTrackedPurchase(id, cancelled);
  const isWaiting = data === undefined && error === null;
  const isUnknown = error instanceof ProblemDetails && error.status === 404;
  return (
    <div className="tb-purchase-status">
      {isWaiting && <LoadingBlock height={76} />}
      <div role="status">
        {data !== undefined && <PurchaseMessage purchase={data} cancelled={cancelled} />}
        {data === undefined && isUnknown && (
          <Message tone="warn" title="Purchase not found." action={<Close />}>
            It does not belong to this account. The tab Purchases lists those that do.
          </Message>
        )}
      </div>
      {data === undefined && error !== null && !isUnknown && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
    </div>
  );
}

function PurchaseMessage({ purchase, cancelled }: { purchase: PurchaseView; cancelled: boolean }) {
  const { tone, title, text } = purchaseMessage(purchase, cancelled);
  const { payUrl, receiptUrl } = purchase;
  return (
    <Message
      tone={tone}
      title={title}
      action={
        <Group gap="xs">
          {payUrl !== null && purchase.state === "open" && (
            <Button component="a" href={payUrl} size="sm">
              Continue to payment
            </Button>
          )}
          {receiptUrl !== null && (
            <ExternalLink href={receiptUrl} size="sm">
              Receipt
            </ExternalLink>
          )}
          <Close />
        </Group>
      }
    >
      {text}
    </Message>
  );
}

function Close() {
  const navigate = useNavigate();
  return (
    <Button
      size="sm"
      variant="default"
      onClick={() => {
        document.querySelector<HTMLElement>("main h1")?.focus();
        void navigate({
          to: "/credits",
          search: ({ tab }: Record<string, unknown>) => ({ tab }) as never,
          replace: true,
        });
      }}
    >
      Close
    </Button>
  );
}
