import { Button, Title, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import type { EndpointView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { CopyButton } from "../parts/code-block.tsx";
import { Failure } from "../parts/message.tsx";
import { State } from "../parts/state.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { useChangeEndpoint } from "./endpoints.ts";
import { EVENT_LABELS, KINDS } from "./webhook-text.ts";

/** One address: whether it gets webhooks and which, its secret, and what was sent there. */
export function EndpointPanel(props: {
  endpoint: EndpointView;
  /** Nothing of it can be changed just now. */
  fixed: boolean;
  onEdit: () => void;
  onDelete: () => void;
}) {
  const { endpoint, fixed } = props;
  const [logged, setLogged] = useState(false);
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
          aria-expanded={logged}
          onClick={() => setLogged(!logged)}
        >
          {logged ? "Hide" : "Show"} deliveries
          <Of endpoint={endpoint} />
        </Button>
        {!fixed && (
          <>
            <Button size="sm" variant="default" onClick={props.onEdit}>
              Edit
              <Of endpoint={endpoint} />
            </Button>
            <PauseButton endpoint={endpoint} />
          </>
        )}
        <Button size="sm" variant="default" c="var(--tb-bad)" onClick={props.onDelete}>
          Delete
          <Of endpoint={endpoint} />
        </Button>
      </div>
      {logged && <DeliveryLog endpoint={endpoint} fixed={fixed} />}
    </li>
  );
}

const Of = ({ endpoint: { url } }: { endpoint: EndpointView }) => (
  <VisuallyHidden>&nbsp;of {url}</VisuallyHidden>
);

function Facts({ endpoint }: { endpoint: EndpointView }) {
  const { kinds, secret, paused } = endpoint;
  return (
    <dl className="tb-endpoint-facts">
      <div>
        <dt>Told of</dt>
        <dd>
          {KINDS.filter((kind) => kinds.includes(kind))
            .map((kind) => EVENT_LABELS[kind])
            .join(" \u00b7 ")}
        </dd>
      </div>
      <div>
        <dt>Secret</dt>
        <dd>
          <Secret secret={secret} endpoint={endpoint} />
        </dd>
      </div>
      {paused && (
        <div>
          <dt>Paused</dt>
          <dd>
            Nothing new is sent there, and what waits is not tried. We pause an address by ourselves
            when it answers 410 Gone.
          </dd>
        </div>
      )}
    </dl>
  );
}

const PREFIX = "whsec_";

/** It can be shown at any time, but not to whoever looks over a shoulder. */
function Secret({ secret, endpoint }: { secret: string; endpoint: EndpointView }) {
  const [shown, setShown] = useState(false);
  return (
    <div className="tb-endpoint-secret">
      <code>{shown ? secret : `${PREFIX}${"\u2022".repeat(20)}`}</code>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        {shown ? "Hide" : "Show"}
        <VisuallyHidden>&nbsp;the secret of {endpoint.url}</VisuallyHidden>
      </Button>
      <CopyButton text={secret} label={`Copy the secret of ${endpoint.url}`} />
    </div>
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
        <Of endpoint={endpoint} />
      </BusyButton>
      {change.isError && (
        <div className="tb-endpoint-failure">
          <Failure error={change.error} />
        </div>
      )}
    </>
  );
}
