import { Button, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { EndpointsView, EndpointView } from "#api/dashboard/shapes.ts";
import { base } from "../addresses.ts";
import { RestrictionMessage, restrictionIn, restrictionOf } from "../keys/restriction.tsx";
import { Message } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Empty, LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useVisitor } from "../queries.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { EndpointPanel } from "./endpoint-panel.tsx";
import { useEndpoints } from "./endpoints.ts";
import "./webhooks.css";

type Open = { dialog: "add" } | { dialog: "edit" | "delete"; endpoint: EndpointView };

export default function WebhooksScreen() {
  const endpoints = useEndpoints();
  const restriction = restrictionOf(useVisitor().data?.person) ?? restrictionIn(endpoints.error);
  const [open, setOpen] = useState<Open | null>(null);
  const [said, setMessage] = useState<string | null>(null);
  // The panel of a deleted webhook, with the button that had the focus, is gone.
  useEffect(() => {
    if (said !== null) document.querySelector<HTMLElement>("main h1")?.focus();
  }, [said]);
  const show = (next: Open) => {
    setMessage(null);
    setOpen(next);
  };
  const { data } = endpoints;
  const full = data !== undefined && data.endpoints.length >= data.max;
  const add = () => show({ dialog: "add" });
  return (
    <>
      <PageTitle title="Webhooks">
        {restriction === null && (data?.endpoints.length ?? 0) > 0 && (
          <Button onClick={add} disabled={full}>
            Add webhook
          </Button>
        )}
      </PageTitle>
      <Text c="dimmed" maw="44rem" mb="lg">
        We tell your programs what happens to your credits and keys, by a signed POST to an address
        of yours. <a href={`${base()}/docs/webhooks`}>How to receive and verify webhooks</a>
      </Text>
      <div role="status" className="tb-said">
        {said !== null && <Message tone="ok">{said}</Message>}
      </div>
      {full && <FullNotification max={data.max} />}
      <QueryResult query={endpoints} loading={<LoadingRows rows={2} height={190} />}>
        {(view) => (
          <Endpoints view={view} restriction={restriction !== null} onAdd={add} onShow={show} />
        )}
      </QueryResult>
      {open !== null && (
        <OpenDialog
          open={open}
          onClose={() => setOpen(null)}
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

const FullNotification = ({ max }: { max: number }) => (
  <div className="tb-said">
    <Message tone="soft" title={`You have ${max} webhooks, as many as an account can hold.`}>
      Delete one that you no longer use to add another.
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
      <Button onClick={props.onAdd}>Add a webhook</Button>
    );
    return (
      <Empty title="No webhooks yet" action={action}>
        Add an address to be told when the balance is low, credits are added or about to expire, or
        a key is made or revoked.
      </Empty>
    );
  }
  return (
    <ul className="tb-endpoints">
      {endpoints.map((endpoint) => (
        <EndpointPanel
          key={endpoint.id}
          endpoint={endpoint}
          fixed={props.restriction}
          onEdit={() => props.onShow({ dialog: "edit", endpoint })}
          onDelete={() => props.onShow({ dialog: "delete", endpoint })}
        />
      ))}
    </ul>
  );
}

function OpenDialog(props: { open: Open; onClose: () => void; onDone: (said: string) => void }) {
  const { open, onClose, onDone } = props;
  if (open.dialog === "add") {
    return <EndpointDialog endpoint={null} onClose={onClose} onDone={onDone} />;
  }
  return open.dialog === "edit" ? (
    <EndpointDialog endpoint={open.endpoint} onClose={onClose} onDone={onDone} />
  ) : (
    <DeleteDialog endpoint={open.endpoint} onClose={onClose} onDone={onDone} />
  );
}
