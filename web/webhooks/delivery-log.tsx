import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { DeliveryView, EndpointView } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { Failure, Message } from "../parts/message.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult, ShowOlder } from "../parts/query-result.tsx";
import { Fact } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { queryKeys } from "../queries.ts";
import { useDeliveries, useResend } from "./endpoints.ts";
import { bodyText, deliveryState, responseText } from "./webhook-text.ts";

/** The deliveries to an endpoint in the last 30 days, newest first. Each one expands. */
export function DeliveryLog({ endpoint, readOnly }: { endpoint: EndpointView; readOnly: boolean }) {
  const deliveries = useDeliveries(endpoint.id);
  const resend = useResend(endpoint.id);
  const [isResent, setIsResent] = useState(false);
  useRefreshHistory(endpoint, deliveries.data?.pages[0]?.deliveries ?? []);
  const send = (id: string) => {
    setIsResent(false);
    resend.mutate(id, { onSuccess: () => setIsResent(true) });
  };
  return (
    <div className="tb-deliveries">
      <div role="status">
        {isResent && <Message tone="ok">Resent as a new delivery at the top of the list.</Message>}
      </div>
      {resend.isError && <Failure error={resend.error} />}
      <QueryResult query={deliveries} loading={<LoadingRows rows={3} height={48} />}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.deliveries);
          if (rows.length === 0) {
            return (
              <Text c="dimmed">
                No deliveries in the last 30 days. Send a test event to try your endpoint.
              </Text>
            );
          }
          return (
            <ul aria-label={`Deliveries to ${endpoint.url}`}>
              {rows.map((delivery) => (
                <li key={delivery.id}>
                  <Delivery
                    delivery={delivery}
                    busy={resend.isPending && resend.variables === delivery.id}
                    onResend={readOnly || endpoint.paused ? null : () => send(delivery.id)}
                  />
                </li>
              ))}
            </ul>
          );
        }}
      </QueryResult>
      <ShowOlder query={deliveries} />
    </div>
  );
}

/** The endpoint shows its last success and failure, which are older than an attempt that ended since they were loaded. */
function useRefreshHistory(endpoint: EndpointView, newest: readonly DeliveryView[]): void {
  const client = useQueryClient();
  const lastTriedAt = Math.max(0, ...newest.map(({ lastTriedAt }) => lastTriedAt ?? 0));
  const shown = Math.max(endpoint.lastDeliveredAt ?? 0, endpoint.lastFailure?.at ?? 0);
  /** Asked for once per attempt, also if the list has fewer deliveries than the history. */
  const asked = useRef(0);
  useEffect(() => {
    if (lastTriedAt <= Math.max(shown, asked.current)) return;
    asked.current = lastTriedAt;
    void client.invalidateQueries({ queryKey: queryKeys.endpoints });
  }, [client, lastTriedAt, shown]);
}

function Delivery(props: { delivery: DeliveryView; busy: boolean; onResend: (() => void) | null }) {
  const { delivery, onResend } = props;
  return (
    <details>
      <summary>
        <State {...deliveryState(delivery)} />
        <code>{delivery.kind}</code>
        <Time at={delivery.at} />
        <span>
          {responseText(delivery)}
          {delivery.tries > 1 && `, ${counted(delivery.tries, "attempt")}`}
        </span>
      </summary>
      <Facts delivery={delivery} />
      <CodeBlock code={bodyText(delivery.body)} label="Body" />
      {onResend !== null && delivery.status !== "waiting" && (
        <BusyButton
          mt="sm"
          size="sm"
          variant="default"
          busy={props.busy}
          busyLabel="Sending"
          onClick={onResend}
        >
          Resend
        </BusyButton>
      )}
    </details>
  );
}

function Facts({ delivery }: { delivery: DeliveryView }) {
  const { event, tries, lastTriedAt, dueAt, status, lastError } = delivery;
  return (
    <dl className="tb-endpoint-facts">
      <Fact name={<code>webhook-id</code>}>{event}</Fact>
      <Fact name="Attempts">
        {tries}
        {lastTriedAt !== null && (
          <>
            , most recently <Time at={lastTriedAt} />
          </>
        )}
      </Fact>
      {lastError !== null && <Fact name="Last error">{lastError}</Fact>}
      {status === "waiting" && dueAt !== null && (
        <Fact name="Next attempt">
          <Time at={dueAt} />
        </Fact>
      )}
    </dl>
  );
}
