import { Button, NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure, Message } from "../parts/message.tsx";
import { timeText } from "../parts/numbers.ts";
import { useKeys, useRotateKey, useVisitor } from "../queries.ts";
import { OfflineError } from "../request.ts";
import { isOldSecretValid } from "./key-text.ts";
import type { KeyBounds } from "./limits-draft.ts";
import { rememberNewKey } from "./new-key.ts";
import { RestrictionMessage, restrictionIn } from "./restriction.tsx";
import { SecretDialog, type SecretForm } from "./secret-dialog.tsx";

/** How long the old secret keeps working, in hours. */
const CHOICES = [
  { hours: 0, name: "It stops immediately" },
  { hours: 1, name: "For 1 hour" },
  { hours: 24, name: "For 1 day" },
  { hours: 7 * 24, name: "For 7 days" },
  { hours: 30 * 24, name: "For 30 days" },
];
const HOURS_DEFAULT = 24;

/** Gives a key a new secret: asks how long the old one keeps working, then shows the new one once. */
export const RotateDialog = (props: {
  apiKey: KeyView;
  bounds: KeyBounds;
  onClose: () => void;
}) => (
  <SecretDialog title={`Rotate “${props.apiKey.label}”`} isRotation onClose={props.onClose}>
    {(form) => <RotateForm apiKey={props.apiKey} bounds={props.bounds} {...form} />}
  </SecretDialog>
);

function RotateForm(props: SecretForm & { apiKey: KeyView; bounds: KeyBounds }) {
  const { apiKey, bounds } = props;
  const account = useVisitor().data?.user?.account?.id;
  const rotate = useRotateKey();
  const [now] = useState(Date.now);
  const [hours, setHours] = useState(HOURS_DEFAULT);

  const submit = () => {
    if (rotate.isPending) return;
    props.onBusy(true);
    rotate.mutate(
      { id: apiKey.id, keepHours: hours },
      {
        onSuccess: (rotated) => {
          const { id, label } = rotated.key;
          if (account !== undefined) {
            rememberNewKey({ account, id, label, secret: rotated.secret });
          }
          props.onSecret(rotated);
        },
        onSettled: () => props.onBusy(false),
      },
    );
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Text mb="md">
        The key <code className="tb-key-start">{apiKey.start}…</code> gets a new secret. Its label,
        limits and usage stay the same.
      </Text>
      {isOldSecretValid(apiKey, now) && (
        <div className="tb-rotated-before">
          <Message tone="warn">
            This key was rotated before, and the secret from before that rotation still works until{" "}
            {timeText(apiKey.previousUntil ?? 0)}. If you rotate the key again, that secret stops
            working immediately.
          </Message>
        </div>
      )}
      <NativeSelect
        label="Keep the current secret working"
        description="Long enough to replace it in every client."
        value={String(hours)}
        data-autofocus
        data={CHOICES.filter((choice) => choice.hours <= bounds.rotationDaysMax * 24).map(
          (choice) => ({ value: String(choice.hours), label: choice.name }),
        )}
        onChange={(event) => setHours(Number(event.currentTarget.value))}
      />
      {hours === 0 && (
        <Text size="sm" mt="xs" c="var(--tb-warn)">
          Calls with the current secret are rejected from now on. Choose this if it was leaked.
        </Text>
      )}
      {rotate.isError && <RotateFailure apiKey={apiKey} error={rotate.error} />}
      <div className="tb-dialog-foot">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <BusyButton type="submit" busy={rotate.isPending} busyLabel="Rotating">
          Rotate key
        </BusyButton>
      </div>
    </form>
  );
}

function RotateFailure({ apiKey, error }: { apiKey: KeyView; error: unknown }) {
  const restriction = restrictionIn(error);
  return (
    <div className="tb-dialog-failure">
      {restriction === null ? (
        <Failure error={error} />
      ) : (
        <RestrictionMessage restriction={restriction} />
      )}
      {error instanceof OfflineError && <LostRotation apiKey={apiKey} />}
    </div>
  );
}

/** No response arrived, so the list decides whether the key was rotated. It is refetched until the service can be reached. */
function LostRotation({ apiKey }: { apiKey: KeyView }) {
  const { data, isSuccess, isFetching } = useKeys();
  const current = data?.keys.find(({ id }) => id === apiKey.id);
  if (!isSuccess || isFetching || current === undefined) {
    return (
      <Text size="sm" mt="xs">
        The key may have been rotated. This dialog will say so when the service can be reached.
      </Text>
    );
  }
  if (current.start === apiKey.start && current.previousUntil === apiKey.previousUntil) {
    return (
      <Text size="sm" mt="xs">
        The key was not rotated. Try again.
      </Text>
    );
  }
  return (
    <Text size="sm" mt="xs">
      <strong>The key was rotated, but its new secret was lost on the way.</strong>{" "}
      {isOldSecretValid(current, Date.now())
        ? `The secret that your clients use works until ${timeText(current.previousUntil ?? 0)}. Create another key for them before then, and revoke this one. If you rotate this key again, their secret stops working immediately.`
        : "The secret that your clients use no longer works. Rotate the key again to get a new one."}
    </Text>
  );
}
