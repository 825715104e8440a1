import { Button, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { EndpointSecretView, EndpointView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { SecretField } from "../parts/secret-field.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { useRotateSecret } from "./endpoints.ts";

/** Rotates the secret of an endpoint, and then shows the new one, once. */
export function RotateDialog(props: {
  endpoint: EndpointView;
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const { id, url } = props.endpoint;
  const rotate = useRotateSecret();
  const dismiss = () => {
    if (!rotate.isPending) props.onClose();
  };
  if (rotate.data !== undefined) {
    return <SecretDialog made={rotate.data} onClose={() => props.onDone("Secret rotated.")} />;
  }
  return (
    <TitledDialog title="Rotate this secret?" onClose={dismiss}>
      <Text>
        <strong className="tb-break">{url}</strong> gets a new secret. For 24 hours we sign each
        webhook with both the new secret and the old one, so you can change it without missing a
        webhook. After that, only the new secret is valid.
      </Text>
      {rotate.isError && (
        <div className="tb-dialog-failure">
          <Failure error={rotate.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={dismiss}>
          Cancel
        </Button>
        <BusyButton busy={rotate.isPending} busyLabel="Rotating" onClick={() => rotate.mutate(id)}>
          Rotate secret
        </BusyButton>
      </div>
    </TitledDialog>
  );
}

/** Shows the secret of an endpoint, once. Closing the dialog with its close button or Escape needs a confirmation. */
export function SecretDialog(props: { made: EndpointSecretView; onClose: () => void }) {
  const { made, onClose } = props;
  const [leaving, setLeaving] = useState(false);
  return (
    <TitledDialog
      title={leaving ? "Close without storing the secret?" : "Store the webhook secret now"}
      wide
      onClose={() => setLeaving(!leaving)}
    >
      {leaving ? (
        <LeaveConfirmation onStay={() => setLeaving(false)} onClose={onClose} />
      ) : (
        <Secret made={made} onClose={onClose} />
      )}
    </TitledDialog>
  );
}

function Secret({ made: { endpoint, secret }, onClose }: Parameters<typeof SecretDialog>[0]) {
  return (
    <>
      <Text>
        This is the only time that this secret is shown. Store it on the server of{" "}
        <strong className="tb-break">{endpoint.url}</strong>, which needs it to verify webhooks.
      </Text>
      <SecretField label="Webhook secret" secret={secret} copyLabel="Copy the secret" />
      <div className="tb-dialog-foot">
        <Button onClick={onClose}>I have stored it</Button>
      </div>
    </>
  );
}

function LeaveConfirmation(props: { onStay: () => void; onClose: () => void }) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <>
      <Text>
        The secret cannot be shown again. If you have not stored it, go back and copy it. Otherwise
        you will have to rotate it.
      </Text>
      <div className="tb-dialog-foot">
        <Button variant="subtle" color="red" onClick={props.onClose}>
          Close anyway
        </Button>
        <Button ref={stay} onClick={props.onStay}>
          Go back to the secret
        </Button>
      </div>
    </>
  );
}
