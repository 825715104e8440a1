import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { useCreateKey } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure } from "../parts/message.tsx";
import { OfflineError } from "../request.ts";
import { LabelField, LabelSuggestions, labelError } from "./label-field.tsx";
import { draftOf, errorsOf, type KeyBounds, type LimitsDraft, orderOf } from "./limits-draft.ts";
import { LimitFields } from "./limits-form.tsx";
import { RestrictionMessage, restrictionIn } from "./restriction.tsx";
import { SecretDialog, type SecretForm } from "./secret-dialog.tsx";

/** Creates a key: asks for its label and, if the user opens them, its limits; then shows the secret once. */
export const CreateDialog = (props: { bounds: KeyBounds; onClose: () => void }) => (
  <SecretDialog title="Create API key" isRotation={false} onClose={props.onClose}>
    {(form) => <CreateForm bounds={props.bounds} {...form} />}
  </SecretDialog>
);

function CreateForm(props: SecretForm & { bounds: KeyBounds }) {
  const { bounds } = props;
  const create = useCreateKey();
  const [now] = useState(Date.now);
  const [none] = useState(() => draftOf(null, bounds));

  const [label, setLabel] = useState("");
  const [draft, setDraft] = useState<LimitsDraft>(none);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const error = labelError(label);
  const limitErrors = errorsOf(draft, none, bounds, now);
  const submit = (form: HTMLFormElement) => {
    setIsSubmitted(true);
    const hasLimitError = Object.keys(limitErrors).length > 0;
    if (hasLimitError) setIsOpen(true);
    if (error !== null || hasLimitError) return focusInvalidField(form);
    if (create.isPending) return;
    props.onBusy(true);
    create.mutate(
      { label: label.trim(), limits: orderOf(draft, none, null, now) },
      {
        onSuccess: props.onSecret,
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
      <details
        className="tb-limits-optional"
        open={isOpen}
        onToggle={(event) => setIsOpen(event.currentTarget.open)}
      >
        <summary>Limits (optional)</summary>
        <LimitFields
          draft={draft}
          errors={isSubmitted ? limitErrors : {}}
          bounds={bounds}
          now={now}
          onChange={setDraft}
        />
      </details>
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
          Your entries are still here. If the key appears in the list anyway, revoke it and create
          another one, because its secret cannot be shown again.
        </Text>
      )}
    </div>
  );
}
