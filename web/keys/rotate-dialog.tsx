import { Box, NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { useKeys, useRotateKey } from "../member-queries.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Message } from "../parts/message.tsx";
import { timeText } from "../parts/numbers.ts";
import { mayBeDone } from "../request.ts";
import { KeySecretDialog } from "./key-secret.tsx";
import { isOldSecretValid } from "./key-text.ts";
import type { KeyBounds } from "./limits-draft.ts";
import { KeyFailure } from "./restriction.tsx";

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
export function RotateDialog(props: { apiKey: KeyView; bounds: KeyBounds; onClose: () => void }) {
  const { apiKey, bounds, onClose } = props;
  const rotate = useRotateKey();
  const [now] = useState(Date.now);
  const [hours, setHours] = useState(HOURS_DEFAULT);
  const outcome = useLostRotation(apiKey, rotate.error);
  // Repeating a lost rotation keeps the secret that clients use.
  const repeated =
    outcome !== null && isOldSecretValid(outcome, now) ? outcome.previousUntil : null;
  if (rotate.data !== undefined) {
    return <KeySecretDialog created={rotate.data} isRotation onClose={onClose} />;
  }
  return (
    <FormDialog
      title={`Rotate “${apiKey.label}”`}
      change={rotate}
      action={[outcome === null ? "Rotate key" : "Rotate again", "Rotating"]}
      {...(rotate.isError && {
        failure: <RotateFailure error={rotate.error} outcome={outcome} />,
      })}
      onClose={onClose}
      onSubmit={() =>
        rotate.mutate({
          id: apiKey.id,
          ...(repeated === null ? { keepHours: hours } : { again: repeated }),
        })
      }
    >
      <Text mb="md">
        The key <code className="tb-key-start">{apiKey.start}…</code> gets a new secret. Its label,
        limits and usage stay the same.
      </Text>
      {isOldSecretValid(apiKey, now) && (
        <Box my="md">
          <Message tone="warn">
            This key was rotated before, and the secret from before that rotation still works until{" "}
            {timeText(apiKey.previousUntil ?? 0)}. If you rotate the key again, that secret stops
            working immediately.
          </Message>
        </Box>
      )}
      {/* Repeating a lost rotation changes no time. */}
      {repeated === null && (
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
      )}
      {repeated === null && hours === 0 && (
        <Text size="sm" mt="xs" c="var(--tb-warn)">
          Calls with the current secret are rejected from now on. Choose this if it was leaked.
        </Text>
      )}
    </FormDialog>
  );
}

/**
 * After a rotation whose response was lost, or whose outcome the service does not know, the key as the list shows it if it was rotated;
 * else null. The list is refetched until the service can be reached.
 */
function useLostRotation(apiKey: KeyView, error: unknown): KeyView | null {
  const { data, isSuccess, isFetching } = useKeys();
  const current = data?.keys.find(({ id }) => id === apiKey.id);
  if (!mayBeDone(error) || !isSuccess || isFetching) return null;
  if (current === undefined) return null;
  const isSame = current.start === apiKey.start && current.previousUntil === apiKey.previousUntil;
  return isSame ? null : current;
}

function RotateFailure({ error, outcome }: { error: unknown; outcome: KeyView | null }) {
  if (outcome !== null) {
    return (
      <Message tone="warn" live title="The key was rotated, but its new secret was lost.">
        {isOldSecretValid(outcome, Date.now())
          ? `The secret that your clients use still works until ${timeText(outcome.previousUntil ?? 0)}. Rotate again to get a new secret; that time stays the same.`
          : "The secret that your clients use no longer works. Rotate the key again to get a new one."}
      </Message>
    );
  }
  return (
    <>
      <KeyFailure error={error} />
      {mayBeDone(error) && (
        <Text size="sm" mt="xs">
          If the key was rotated anyway, this dialog tells you what to do as soon as it knows.
        </Text>
      )}
    </>
  );
}
