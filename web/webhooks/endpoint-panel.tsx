import { Button, Title, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import type { EndpointView } from "#api/dashboard/shapes.ts";
import { ActionMenu } from "../parts/action-menu.tsx";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { Fact } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { useChangeEndpoint, useSendTest } from "./endpoints.ts";
import { EVENT_LABELS, failureText, KINDS } from "./webhook-text.ts";

/** An endpoint: its state, events, last success and failure, and delivery log. */
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
  const change = useChangeEndpoint();
  const test = useSendTest(endpoint.id);
  const { url, paused } = endpoint;
  const setPaused = () => change.mutate({ id: endpoint.id, paused: !paused });
  // The delivery list shows what comes of the test.
  const sendTest = () => test.mutate(undefined, { onSuccess: () => setShowLog(true) });
  const error = change.error ?? test.error;
  return (
    <li className="tb-endpoint">
      <div className="tb-endpoint-head">
        <Title order={2} size="h3" title={url}>
          {url}
        </Title>
        <EndpointState endpoint={endpoint} />
        <ActionMenu
          label={`Actions for ${url}`}
          actions={[
            ...(readOnly
              ? []
              : [
                  { name: "Edit…", onChoose: props.onEdit },
                  { name: "Rotate secret…", onChoose: props.onRotate },
                  ...(paused ? [] : [{ name: "Pause", onChoose: setPaused }]),
                ]),
            { name: "Delete…", tone: "bad" as const, onChoose: props.onDelete },
          ]}
        />
      </div>
      <Facts endpoint={endpoint} />
      <div className="tb-endpoint-actions">
        {!readOnly &&
          (paused ? (
            <BusyButton size="sm" busy={change.isPending} busyLabel="Resuming" onClick={setPaused}>
              Resume
              <HiddenUrl url={url} />
            </BusyButton>
          ) : (
            <BusyButton
              size="sm"
              variant="default"
              busy={test.isPending}
              busyLabel="Sending"
              onClick={sendTest}
            >
              Send test event
              <HiddenUrl url={url} />
            </BusyButton>
          ))}
        <Button
          size="sm"
          variant="default"
          aria-expanded={showLog}
          onClick={() => setShowLog(!showLog)}
        >
          {showLog ? "Hide" : "Show"} deliveries
          <HiddenUrl url={url} />
        </Button>
        {error !== null && (
          <div className="tb-endpoint-failure">
            <Failure error={error} />
          </div>
        )}
      </div>
      {showLog && <DeliveryLog endpoint={endpoint} readOnly={readOnly} />}
    </li>
  );
}

/** Completes the accessible name of a button, which would otherwise be the same for every endpoint. */
const HiddenUrl = ({ url }: { url: string }) => <VisuallyHidden>&nbsp;to {url}</VisuallyHidden>;

function EndpointState({ endpoint }: { endpoint: EndpointView }) {
  const { paused, lastFailure, lastDeliveredAt } = endpoint;
  if (paused) return <State shape="minus" tone="warn" title="Paused" />;
  const isFailing = lastFailure !== null && lastFailure.at > (lastDeliveredAt ?? 0);
  return isFailing ? (
    <State shape="cross" tone="bad" title="Failing" />
  ) : (
    <State shape="check" tone="ok" title="Active" />
  );
}

function Facts({ endpoint }: { endpoint: EndpointView }) {
  const { kinds, previousSecretUntil, pausedAt, pausedBy, lastDeliveredAt, lastFailure } = endpoint;
  return (
    <dl className="tb-endpoint-facts">
      {pausedAt !== null && (
        <Fact name="Paused">
          <Time at={pausedAt} />{" "}
          {pausedBy === "gone" ? "because it responded with 410 (gone). " : "by you. "}
          Deliveries wait until you resume the endpoint.
        </Fact>
      )}
      <Fact name="Events">
        {KINDS.filter((kind) => kinds.includes(kind))
          .map((kind) => EVENT_LABELS[kind])
          .join(" \u00b7 ")}
      </Fact>
      <Fact name="Last success">
        {lastDeliveredAt === null ? "None yet" : <Time at={lastDeliveredAt} />}
      </Fact>
      {lastFailure !== null && (
        <Fact name="Last failure">
          <Time at={lastFailure.at} />: {failureText(lastFailure)}
        </Fact>
      )}
      {previousSecretUntil !== null && (
        <Fact name="Secret">
          Rotated. Webhooks are also signed with the old secret until{" "}
          <Time at={previousSecretUntil} />.
        </Fact>
      )}
    </dl>
  );
}
