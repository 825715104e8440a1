import { Box, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { EndpointSecretView, EndpointView, LedgerEventKind } from "#api/dashboard/shapes.ts";
import { Checkboxes } from "../parts/checkboxes.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Message } from "../parts/message.tsx";
import { timeText } from "../parts/numbers.ts";
import { PLAIN_INPUT } from "../parts/plain-input.ts";
import { SecretDialog } from "../parts/secret-dialog.tsx";
import type { DialogEnds } from "../parts/use-dialog.tsx";
import type { SendState } from "../queries.ts";
import { ProblemDetails } from "../request.ts";
import {
  useAddEndpoint,
  useChangeEndpoint,
  useDeleteEndpoint,
  useRotateSecret,
} from "./endpoints.ts";
import { EVENT_LABELS, KINDS } from "./webhook-text.ts";

type EndpointProps = DialogEnds & { endpoint: EndpointView };

export type OpenEndpointDialog =
  | { dialog: "add" }
  | { dialog: "edit" | "rotate" | "delete"; endpoint: EndpointView };

export default function EndpointDialog({
  open,
  ...others
}: DialogEnds & { open: OpenEndpointDialog }) {
  switch (open.dialog) {
    case "add":
      return <AddDialog {...others} />;
    case "edit":
      return <EditDialog endpoint={open.endpoint} {...others} />;
    case "rotate":
      return <RotateDialog endpoint={open.endpoint} {...others} />;
    case "delete":
      return <DeleteDialog endpoint={open.endpoint} {...others} />;
  }
}

function AddDialog({ onClose, onDone }: DialogEnds) {
  const add = useAddEndpoint();
  if (add.data !== undefined) {
    return <EndpointSecret made={add.data} onClose={() => onDone("Endpoint added.")} />;
  }
  return (
    <EndpointForm
      title="Add webhook endpoint"
      action={["Add endpoint", "Saving"]}
      start={{ url: "", kinds: KINDS }}
      change={add}
      onClose={onClose}
      onSend={(order) => add.mutate({ ...order, paused: false })}
    />
  );
}

function EditDialog({ endpoint, onClose, onDone }: EndpointProps) {
  const change = useChangeEndpoint();
  return (
    <EndpointForm
      title="Edit webhook endpoint"
      action={["Save", "Saving"]}
      start={endpoint}
      change={change}
      onClose={onClose}
      onSend={({ url, kinds }) => {
        const isSameUrl = url === endpoint.url;
        const areSameKinds = KINDS.every(
          (kind) => kinds.includes(kind) === endpoint.kinds.includes(kind),
        );
        if (isSameUrl && areSameKinds) return onClose();
        const order = {
          id: endpoint.id,
          ...(!isSameUrl && { url }),
          ...(!areSameKinds && { kinds }),
        };
        change.mutate(order, { onSuccess: () => onDone("Endpoint saved.") });
      }}
    />
  );
}

type Draft = { url: string; kinds: LedgerEventKind[] };

/** The service checks whether the URL is allowed. */
function EndpointForm(props: {
  title: string;
  action: readonly [string, string];
  start: Draft;
  change: SendState;
  onClose: () => void;
  onSend: (draft: Draft) => void;
}) {
  const { change } = props;
  const [url, setUrl] = useState(props.start.url);
  const [kinds, setKinds] = useState(props.start.kinds);
  /** The URL that was sent last, of which the service may say what is wrong. */
  const [sent, setSent] = useState("");
  const rejected = urlProblemOf(change.error);
  const urlError = URL.canParse(url.trim())
    ? undefined
    : "Enter a complete URL, such as https://example.com/webhooks.";
  const kindsError = kinds.length === 0 ? "Choose at least one event." : undefined;
  return (
    <FormDialog
      title={props.title}
      change={{ ...change, isError: change.isError && rejected === undefined }}
      action={props.action}
      isValid={urlError === undefined && kindsError === undefined}
      onClose={props.onClose}
      onSubmit={() => {
        setSent(url);
        props.onSend({ url: url.trim(), kinds });
      }}
    >
      {(isSubmitted) => (
        <>
          <TextInput
            type="url"
            inputMode="url"
            label="URL"
            description="An https URL that accepts POST requests."
            placeholder="https://example.com/webhooks"
            {...PLAIN_INPUT}
            data-autofocus
            value={url}
            error={(isSubmitted && urlError) || (url === sent && rejected)}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <fieldset className="tb-kinds">
            <legend>Events</legend>
            <Checkboxes
              options={KINDS.map((kind) => ({
                value: kind,
                label: EVENT_LABELS[kind],
                detail: kind,
              }))}
              chosen={kinds}
              error={isSubmitted ? kindsError : undefined}
              onChange={setKinds}
            />
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}

const urlProblemOf = (error: unknown): string | undefined =>
  error instanceof ProblemDetails && error.code === "invalid_url" ? error.detail : undefined;

function RotateDialog({ endpoint, onClose, onDone }: EndpointProps) {
  const rotate = useRotateSecret();
  if (rotate.data !== undefined) {
    return <EndpointSecret made={rotate.data} onClose={() => onDone("Secret rotated.")} />;
  }
  return (
    <FormDialog
      title="Rotate this secret?"
      change={rotate}
      action={["Rotate secret", "Rotating"]}
      onClose={onClose}
      onSubmit={() => rotate.mutate(endpoint.id)}
    >
      <Text>
        <strong className="tb-break">{endpoint.url}</strong> gets a new secret. For 24 hours we sign
        each webhook with both the new secret and the old one, so you can change it without missing
        a webhook. After that, only the new secret is valid.
      </Text>
      {endpoint.previousSecretUntil !== null && (
        <Box mt="md">
          <Message tone="warn">
            This secret was rotated before, and webhooks are still signed with the one from before
            that rotation too, until {timeText(endpoint.previousSecretUntil)}. If you rotate it
            again, they no longer are.
          </Message>
        </Box>
      )}
    </FormDialog>
  );
}

const EndpointSecret = ({ made, onClose }: { made: EndpointSecretView; onClose: () => void }) => (
  <SecretDialog
    title="Store the webhook secret now"
    name="secret"
    label="Webhook secret"
    secret={made.secret}
    lost="Otherwise you will have to rotate it."
    onClose={onClose}
  >
    <Text>
      This is the only time that this secret is shown. Store it on the server of{" "}
      <strong className="tb-break">{made.endpoint.url}</strong>, which needs it to verify webhooks.
    </Text>
  </SecretDialog>
);

/** Deleting also removes the secret and the log. */
function DeleteDialog({ endpoint, onClose, onDone }: EndpointProps) {
  const { id, url } = endpoint;
  const remove = useDeleteEndpoint();
  return (
    <FormDialog
      title="Delete this endpoint?"
      change={remove}
      action={["Delete endpoint", "Deleting"]}
      danger="Keep endpoint"
      onClose={onClose}
      onSubmit={() => remove.mutate(id, { onSuccess: () => onDone("Endpoint deleted.") })}
    >
      <Text>
        We stop sending webhooks to <strong className="tb-break">{url}</strong>. Its secret and its
        delivery log are deleted, and waiting deliveries are not sent. To stop it temporarily, pause
        it instead.
      </Text>
    </FormDialog>
  );
}
