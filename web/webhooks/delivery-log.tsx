import { Text } from "@mantine/core";
import { useState } from "react";
import type { DeliveryView, EndpointView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/busy-button.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { Failure } from "../parts/failure.tsx";
import { LoadingRows } from "../parts/loading.tsx";
import { LedgerEvent } from "../parts/message.tsx";
import { counted } from "../parts/numbers.ts";
import { ShowOlder } from "../parts/pages.tsx";
import { ApiResponse } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { useDeliveries, useSendAgain } from "./endpoints.ts";
import { bodyText, deliveryState, responseText } from "./webhook-text.ts";

/** What was sent to an address in the last 30 days, newest first; each unfolds. */
export function DeliveryLog({ endpoint, fixed }: { endpoint: EndpointView; fixed: boolean }) {
  const deliveries = useDeliveries(endpoint.id);
  const again = useSendAgain(endpoint.id);
  const [said, setSaid] = useState(false);
  // A page that failed to come is told where it would stand.
  const query = deliveries.isFetchNextPageError ? { ...deliveries, error: null } : deliveries;
  const send = (id: string) => {
    setSaid(false);
    again.mutate(id, { onSuccess: () => setSaid(true) });
  };
  return (
    <div className="tb-deliveries">
      <div role="status">
        {said && (
          <LedgerEvent tone="ok">
            It is sent again, as a new delivery on top of the list.
          </LedgerEvent>
        )}
      </div>
      {again.isError && <Failure error={again.error} />}
      <ApiResponse query={query} loading={<LoadingRows rows={3} height={48} />}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.deliveries);
          if (rows.length === 0) {
            return <Text c="dimmed">Nothing was sent in the last 30 days.</Text>;
          }
          return (
            <ul aria-label={`Deliveries to ${endpoint.url}`}>
              {rows.map((delivery) => (
                <li key={delivery.id}>
                  <Delivery
                    delivery={delivery}
                    busy={again.isPending && again.variables === delivery.id}
                    onSendAgain={fixed || endpoint.paused ? null : () => send(delivery.id)}
                  />
                </li>
              ))}
            </ul>
          );
        }}
      </ApiResponse>
      <ShowOlder query={deliveries} />
    </div>
  );
}

function Delivery(props: {
  delivery: DeliveryView;
  busy: boolean;
  onSendAgain: (() => void) | null;
}) {
  const { delivery, onSendAgain } = props;
  const { title, shape, tone } = deliveryState(delivery);
  return (
    <details>
      <summary>
        <State shape={shape} tone={tone}>
          {title}
        </State>
        <code>{delivery.kind}</code>
        <Time at={delivery.at} />
        <span>
          {responseText(delivery)}
          {delivery.tries > 1 && `, ${counted(delivery.tries, "try", "tries")}`}
        </span>
      </summary>
      <Facts delivery={delivery} />
      <CodeBlock code={bodyText(delivery.body)} language="json" label="Body" />
      {onSendAgain !== null && delivery.status !== "waiting" && (
        <BusyButton
          mt="sm"
          size="sm"
          variant="default"
          busy={props.busy}
          busyWords="Sending"
          onClick={onSendAgain}
        >
          Send again
        </BusyButton>
      )}
    </details>
  );
}

function Facts({ delivery }: { delivery: DeliveryView }) {
  const { event, tries, lastTriedAt, dueAt, status, lastError } = delivery;
  return (
    <dl className="tb-endpoint-facts">
      <div>
        <dt>
          <code>webhook-id</code>
        </dt>
        <dd>{event}</dd>
      </div>
      <div>
        <dt>Tries</dt>
        <dd>
          {tries}
          {lastTriedAt !== null && (
            <>
              , the last one <Time at={lastTriedAt} />
            </>
          )}
        </dd>
      </div>
      {lastError !== null && (
        <div>
          <dt>Last fault</dt>
          <dd>{lastError}</dd>
        </div>
      )}
      {status === "waiting" && dueAt !== null && (
        <div>
          <dt>Next try</dt>
          <dd>
            <Time at={dueAt} />
          </dd>
        </div>
      )}
    </dl>
  );
}
