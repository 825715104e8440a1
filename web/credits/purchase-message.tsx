import { Button, Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { PurchaseView } from "#api/dashboard/shapes.ts";
import { Failure } from "../parts/failure.tsx";
import { LoadingBlock } from "../parts/loading.tsx";
import { LedgerEvent } from "../parts/message.tsx";
import { OutsideLink } from "../parts/outside-link.tsx";
import { ProblemDetails } from "../request.ts";
import { useSearchText } from "../sign-in/use-search.ts";
import { eventOf } from "./purchase-text.ts";
import { useFollowedPurchase } from "./purchases.ts";

/**
 * On the way back from the provider's page the address names the purchase, as `purchase` or as `cancelled`: whoever opens
 * it again, or in another tab, sees the same.
 */
export function FollowedPurchase() {
  const purchase = useSearchText("purchase");
  const cancelled = useSearchText("cancelled");
  const id = purchase || cancelled;
  return id === "" ? null : <Follow key={id} id={id} cancelled={cancelled !== ""} />;
}

function Follow({ id, cancelled }: { id: string; cancelled: boolean }) {
  const { data, error, refetch } = useFollowedPurchase(id, cancelled);
  const isWaiting = data === undefined && error === null;
  const isUnknown = error instanceof ProblemDetails && error.status === 404;
  return (
    <div className="tb-followed">
      {isWaiting && <LoadingBlock height={76} />}
      <div role="status">
        {data !== undefined && <Told purchase={data} cancelled={cancelled} />}
        {data === undefined && isUnknown && (
          <LedgerEvent tone="warn" title="There is no such purchase." action={<Close />}>
            It is not one of this account. Your purchases are listed below.
          </LedgerEvent>
        )}
      </div>
      {data === undefined && error !== null && !isUnknown && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
    </div>
  );
}

function Told({ purchase, cancelled }: { purchase: PurchaseView; cancelled: boolean }) {
  const { tone, title, text } = eventOf(purchase, cancelled);
  const { payUrl, receiptUrl } = purchase;
  return (
    <LedgerEvent
      tone={tone}
      title={title}
      action={
        <Group gap="xs">
          {payUrl !== null && purchase.state === "open" && (
            <Button component="a" href={payUrl} size="sm">
              Go on paying
            </Button>
          )}
          {receiptUrl !== null && (
            <OutsideLink href={receiptUrl} size="sm">
              Receipt
            </OutsideLink>
          )}
          <Close />
        </Group>
      }
    >
      {text}
    </LedgerEvent>
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
        void navigate({ to: "/credits", search: {}, replace: true });
      }}
    >
      Close
    </Button>
  );
}
