import { Button, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { EndpointSecretView, EndpointsView, EndpointView } from "#api/dashboard/shapes.ts";
import { base } from "../addresses.ts";
import { RestrictionMessage, restrictionIn, restrictionOf } from "../keys/restriction.tsx";
import { Empty } from "../parts/empty-state.tsx";
import { Message } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useVisitor } from "../queries.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { EndpointPanel } from "./endpoint-panel.tsx";
import { useEndpoints } from "./endpoints.ts";
import { RotateDialog, SecretDialog } from "./secret-dialog.tsx";
import "./webhooks.css";

type Open =
  | { dialog: "add" }
  | { dialog: "secret"; made: EndpointSecretView }
  | { dialog: "edit" | "rotate" | "delete"; endpoint: EndpointView };

export default function WebhooksScreen() {
  const endpoints = useEndpoints();
  const restriction = restrictionOf(useVisitor().data?.user) ?? restrictionIn(endpoints.error);
  const [open, setOpen] = useState<Open | null>(null);
  const [message, setMessage] = useState<string | null>(null);
  // The panel of a deleted endpoint, with the button that had the focus, was removed.
  useEffect(() => {
    if (message !== null) document.querySelector<HTMLElement>("main h1")?.focus();
  }, [message]);
  const show = (next: Open) => {
    setMessage(null);
    setOpen(next);
  };
  const { data } = endpoints;
  const isFull = data !== undefined && data.endpoints.length >= data.max;
  const add = () => show({ dialog: "add" });
  return (
    <>
      <PageTitle title="Webhooks">
        {restriction === null && (data?.endpoints.length ?? 0) > 0 && (
          <Button onClick={add} disabled={isFull}>
            Add endpoint
          </Button>
        )}
      </PageTitle>
      <Text c="dimmed" maw="44rem" mb="lg">
        We notify your programs about your credits and API keys with signed POST requests to your
        endpoints. <a href={`${base()}/docs/webhooks`}>How to receive and verify webhooks</a>
      </Text>
      <div role="status" className="tb-status">
        {message !== null && <Message tone="ok">{message}</Message>}
      </div>
      {isFull && <EndpointLimitMessage max={data.max} />}
      <QueryResult query={endpoints} loading={<LoadingRows rows={2} height={190} />}>
        {(view) => (
          <Endpoints view={view} restriction={restriction !== null} onAdd={add} onShow={show} />
        )}
      </QueryResult>
      {open !== null && (
        <OpenDialog
          open={open}
          onClose={() => setOpen(null)}
          onAdded={(made) => setOpen({ dialog: "secret", made })}
          onDone={(text) => {
            setOpen(null);
            setMessage(text);
          }}
        />
      )}
      {restrictionIn(endpoints.error) === "account_suspended" && (
        <RestrictionMessage restriction="account_suspended" />
      )}
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
  restriction: boolean;
  onAdd: () => void;
  onShow: (open: Open) => void;
}) {
  const { endpoints } = props.view;
  if (endpoints.length === 0) {
    const action = props.restriction ? undefined : (
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
          readOnly={props.restriction}
          onRotate={() => props.onShow({ dialog: "rotate", endpoint })}
          onEdit={() => props.onShow({ dialog: "edit", endpoint })}
          onDelete={() => props.onShow({ dialog: "delete", endpoint })}
        />
      ))}
    </ul>
  );
}

function OpenDialog(props: {
  open: Open;
  onClose: () => void;
  onAdded: (made: EndpointSecretView) => void;
  onDone: (message: string) => void;
}) {
  const { open, onDone, ...rest } = props;
  switch (open.dialog) {
    case "secret":
      return <SecretDialog made={open.made} onClose={() => onDone("Endpoint added.")} />;
    case "rotate":
      return <RotateDialog endpoint={open.endpoint} onClose={rest.onClose} onDone={onDone} />;
    case "delete":
      return <DeleteDialog endpoint={open.endpoint} onClose={rest.onClose} onDone={onDone} />;
    case "add":
      return <EndpointDialog endpoint={null} onDone={onDone} {...rest} />;
    case "edit":
      return <EndpointDialog endpoint={open.endpoint} onDone={onDone} {...rest} />;
  }
}
