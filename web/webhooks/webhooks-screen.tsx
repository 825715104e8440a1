import { Button, Text } from "@mantine/core";
import type { EndpointsView } from "#api/dashboard/shapes.ts";
import { base } from "../addresses.ts";
import { screenOf } from "../frame/screen-of.ts";
import { isSuspended } from "../keys/restriction.tsx";
import { Empty } from "../parts/empty-state.tsx";
import { Message } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useDialog } from "../parts/use-dialog.tsx";
import { useVisitor } from "../queries.ts";
import type { OpenEndpointDialog } from "./endpoint-dialogs.tsx";
import { EndpointPanel } from "./endpoint-panel.tsx";
import { useEndpoints } from "./endpoints.ts";
import "./webhooks.css";

const EndpointDialog = screenOf(() => import("./endpoint-dialogs.tsx"));

export default function WebhooksScreen() {
  const endpoints = useEndpoints();
  const isReadOnly = isSuspended(useVisitor().data?.user);
  const { show, status, dialog } = useDialog(EndpointDialog);
  const { data } = endpoints;
  const isFull = data !== undefined && data.endpoints.length >= data.max;
  const add = () => show({ dialog: "add" });
  return (
    <>
      <PageTitle title="Webhooks">
        {!isReadOnly && (data?.endpoints.length ?? 0) > 0 && (
          <Button onClick={add} disabled={isFull}>
            Add endpoint
          </Button>
        )}
      </PageTitle>
      <Text c="dimmed" maw="44rem" mb="lg">
        We notify your programs about your credits and API keys with signed POST requests to your
        endpoints. <a href={`${base()}/docs/webhooks`}>How to receive and verify webhooks</a>
      </Text>
      {status}
      {isFull && <EndpointLimitMessage max={data.max} />}
      <QueryResult query={endpoints} loading={<LoadingRows rows={2} height={190} />}>
        {(view) => <Endpoints view={view} isReadOnly={isReadOnly} onAdd={add} onShow={show} />}
      </QueryResult>
      {dialog}
    </>
  );
}

const EndpointLimitMessage = ({ max }: { max: number }) => (
  <div className="tb-status">
    <Message tone="soft" title={`You have reached the limit of ${max} webhook endpoints.`}>
      To add another endpoint, delete one that you no longer use.
    </Message>
  </div>
);

function Endpoints(props: {
  view: EndpointsView;
  isReadOnly: boolean;
  onAdd: () => void;
  onShow: (open: OpenEndpointDialog) => void;
}) {
  const { endpoints } = props.view;
  if (endpoints.length === 0) {
    const action = props.isReadOnly ? undefined : (
      <Button onClick={props.onAdd}>Add endpoint</Button>
    );
    return (
      <Empty icon="webhooks" title="No webhook endpoints yet" action={action}>
        Add an endpoint to be notified when your balance is low, when credits are added or about to
        expire, and when an API key is created or revoked.
      </Empty>
    );
  }
  return (
    <ul className="tb-endpoints">
      {endpoints.map((endpoint) => (
        <EndpointPanel
          key={endpoint.id}
          endpoint={endpoint}
          readOnly={props.isReadOnly}
          onRotate={() => props.onShow({ dialog: "rotate", endpoint })}
          onEdit={() => props.onShow({ dialog: "edit", endpoint })}
          onDelete={() => props.onShow({ dialog: "delete", endpoint })}
        />
      ))}
    </ul>
  );
}
