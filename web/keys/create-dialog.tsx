import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure } from "../parts/message.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { type CreatedKey, useCreateKey, useVisitor } from "../queries.ts";
import { OfflineError } from "../request.ts";
import { LabelField, LabelSuggestions, labelError } from "./label-field.tsx";
import { rememberNewKey } from "./new-key.ts";
import { RestrictionMessage, restrictionIn } from "./restriction.tsx";
import { SecretStep } from "./secret-step.tsx";

/** Creates a key: asks for its label, then shows the secret once. Closing the second step needs a confirmation. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const [leaving, setLeaving] = useState(false);
  const [busy, setBusy] = useState(false);
  const close = () => {
    if (created !== null) setLeaving(!leaving);
    else if (!busy) onClose();
  };
  const title = created === null ? "Create API key" : "Store your new key now";
  return (
    <TitledDialog
      onClose={close}
      title={leaving ? "Close without storing the key?" : title}
      wide={created !== null}
    >
      {created === null ? (
        <CreateForm onCancel={close} onCreated={setCreated} onBusy={setBusy} />
      ) : (
        <SecretStep
          created={created}
          leaving={leaving}
          onStay={() => setLeaving(false)}
          onClose={onClose}
        />
      )}
    </TitledDialog>
  );
}

function CreateForm(props: {
  onCancel: () => void;
  onCreated: (created: CreatedKey) => void;
  onBusy: (busy: boolean) => void;
}) {
  const account = useVisitor().data?.user?.account?.id;
  const create = useCreateKey();

  const [label, setLabel] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const error = labelError(label);
  const submit = (form: HTMLFormElement) => {
    setIsSubmitted(true);
    if (error !== null) return focusInvalidField(form);
    if (create.isPending) return;
    props.onBusy(true);
    create.mutate(
      { label: label.trim() },
      {
        onSuccess: (created) => {
          const { id, label } = created.key;
          if (account !== undefined) {
            rememberNewKey({ account, id, label, secret: created.secret });
          }
          props.onCreated(created);
        },
        onSettled: () => props.onBusy(false),
      },
    );
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <LabelField value={label} error={isSubmitted ? error : null} onChange={setLabel} />
      <LabelSuggestions onChoose={setLabel} />
      <Text size="sm" c="dimmed" mt="md">
        Create one key for each environment, so that you can revoke one without affecting the
        others. All keys use the credits of your account.
      </Text>
      {create.isError && <CreateFailure error={create.error} />}
      <div className="tb-dialog-foot">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <BusyButton type="submit" busy={create.isPending} busyLabel="Creating">
          Create key
        </BusyButton>
      </div>
    </form>
  );
}

function CreateFailure({ error }: { error: unknown }) {
  const restriction = restrictionIn(error);
  return (
    <div className="tb-dialog-failure">
      {restriction === null ? (
        <Failure error={error} />
      ) : (
        <RestrictionMessage restriction={restriction} />
      )}
      {error instanceof OfflineError && (
        <Text size="sm" mt="xs">
          Your label is still here. If the key appears in the list anyway, revoke it and create
          another one, because its secret cannot be shown again.
        </Text>
      )}
    </div>
  );
}
