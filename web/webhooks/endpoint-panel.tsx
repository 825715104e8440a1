import { Button, Title, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import type { EndpointView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { useChangeEndpoint } from "./endpoints.ts";
import { EVENT_LABELS, KINDS } from "./webhook-text.ts";

/** An endpoint: its state, events, secret and delivery log. */
export function EndpointPanel(props: {
  endpoint: EndpointView;
  /** The account is restricted: the endpoint can only be viewed and deleted. */
  readOnly: boolean;
  onEdit: () => void;
  onRotate: () => void;
  onDelete: () => void;
}) {
  const { endpoint, readOnly } = props;
  const [showLog, setShowLog] = useState(false);
  return (
    <li className="tb-endpoint">
      <div className="tb-endpoint-head">
        <Title order={2} size="h3">
          {endpoint.url}
        </Title>
        {endpoint.paused ? (
          <State shape="minus" tone="warn">
            Paused
          </State>
        ) : (
          <State shape="check" tone="ok">
            Active
          </State>
        )}
      </div>
      <Facts endpoint={endpoint} />
      <div className="tb-endpoint-actions">
        <Button
          size="sm"
          variant="default"
          aria-expanded={showLog}
          onClick={() => setShowLog(!showLog)}
        >
          {showLog ? "Hide" : "Show"} deliveries
          <VisuallyHidden>&nbsp;to {endpoint.url}</VisuallyHidden>
        </Button>
        {!readOnly && (
          <>
            <Button size="sm" variant="default" onClick={props.onEdit}>
              Edit
              <HiddenUrl endpoint={endpoint} />
            </Button>
            <Button size="sm" variant="default" onClick={props.onRotate}>
              Rotate secret
              <HiddenUrl endpoint={endpoint} />
            </Button>
            <PauseButton endpoint={endpoint} />
          </>
        )}
        <Button size="sm" variant="default" c="var(--tb-bad)" onClick={props.onDelete}>
          Delete
          <HiddenUrl endpoint={endpoint} />
        </Button>
      </div>
      {showLog && <DeliveryLog endpoint={endpoint} readOnly={readOnly} />}
    </li>
  );
}

/** Completes the accessible name of a button, which would otherwise be the same for every endpoint. */
const HiddenUrl = ({ endpoint: { url } }: { endpoint: EndpointView }) => (
  <VisuallyHidden>&nbsp;{url}</VisuallyHidden>
);

function Facts({ endpoint }: { endpoint: EndpointView }) {
  const { kinds, previousSecretUntil, paused } = endpoint;
  return (
    <dl className="tb-endpoint-facts">
      <div>
        <dt>Events</dt>
        <dd>
          {KINDS.filter((kind) => kinds.includes(kind))
            .map((kind) => EVENT_LABELS[kind])
            .join(" \u00b7 ")}
        </dd>
      </div>
      <div>
        <dt>Secret</dt>
        <dd>
          {previousSecretUntil === null ? (
            "Shown only when it was created."
          ) : (
            <>
              Rotated. Webhooks are also signed with the old secret until{" "}
              <Time at={previousSecretUntil} />.
            </>
          )}
        </dd>
      </div>
      {paused && (
        <div>
          <dt>Paused</dt>
          <dd>
            We do not send new or waiting deliveries to this endpoint. An endpoint that responds
            with 410 Gone is paused automatically.
          </dd>
        </div>
      )}
    </dl>
  );
}

function PauseButton({ endpoint }: { endpoint: EndpointView }) {
  const change = useChangeEndpoint();
  const { paused } = endpoint;
  return (
    <>
      <BusyButton
        size="sm"
        variant="default"
        busy={change.isPending}
        busyLabel={paused ? "Resuming" : "Pausing"}
        onClick={() => change.mutate({ ...endpoint, paused: !paused })}
      >
        {paused ? "Resume" : "Pause"}
        <HiddenUrl endpoint={endpoint} />
      </BusyButton>
      {change.isError && (
        <div className="tb-endpoint-failure">
          <Failure error={change.error} />
        </div>
      )}
    </>
  );
}
