import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";
import { useChangeKey, useCreateKey, useRevokeKey } from "../member-queries.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Message } from "../parts/message.tsx";
import { type Named, NameField, nameError, RenameDialog } from "../parts/name-field.tsx";
import { Time } from "../parts/time.tsx";
import type { DialogEnds } from "../parts/use-dialog.tsx";
import { mayBeDone } from "../request.ts";
import { KeySecretDialog } from "./key-secret.tsx";
import { limitPhrases } from "./key-text.ts";
import { draftOf, errorsOf, type KeyBounds, orderOf } from "./limits-draft.ts";
import { LimitFields } from "./limits-form.tsx";
import { KeyFailure } from "./restriction.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

/** The dialogs of an existing key. */
export type KeyDialogName = "rename" | "limits" | "rotate" | "revoke";
export type OpenKeyDialog = { bounds: KeyBounds } & (
  | { dialog: "create" }
  | { dialog: KeyDialogName; key: KeyView }
);

type Props = DialogEnds & { apiKey: KeyView };

/** The open dialog of the list of keys. All of them are one chunk, apart from the list. */
export default function KeyDialog({ open, ...ends }: DialogEnds & { open: OpenKeyDialog }) {
  const { bounds } = open;
  if (open.dialog === "create") return <CreateDialog bounds={bounds} onClose={ends.onClose} />;
  const props = { apiKey: open.key, ...ends };
  switch (open.dialog) {
    case "rename":
      return <RenameKeyDialog {...props} />;
    case "limits":
      return <LimitsDialog bounds={bounds} {...props} />;
    case "rotate":
      return <RotateDialog bounds={bounds} {...props} />;
    case "revoke":
      return <RevokeDialog {...props} />;
  }
}

/** Asks for the label of a key and, if the user opens them, its limits; then shows the secret once. */
function CreateDialog({ bounds, onClose }: { bounds: KeyBounds; onClose: () => void }) {
  const create = useCreateKey();
  const [now] = useState(Date.now);
  const [none] = useState(() => draftOf(null, bounds));
  const [label, setLabel] = useState("");
  const [draft, setDraft] = useState(none);
  const [isOpen, setIsOpen] = useState(false);
  const limitErrors = errorsOf(draft, none, bounds, now);
  const hasLimitError = Object.keys(limitErrors).length > 0;
  if (create.data !== undefined) {
    return <KeySecretDialog created={create.data} isRotation={false} onClose={onClose} />;
  }
  return (
    <FormDialog
      title="Create API key"
      change={create}
      action={["Create key", "Creating"]}
      isValid={nameError(label, KEY) === undefined && !hasLimitError}
      {...(create.isError && { failure: <CreateFailure error={create.error} /> })}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({ label: label.trim(), limits: orderOf(draft, none, null, now) })
      }
    >
      {(isSubmitted) => (
        <>
          <NameField of={KEY} name={label} isChecked={isSubmitted} onName={setLabel} />
          <Group gap="xs" mt="sm" role="group" aria-label="Suggested labels">
            {["production", "staging", "development"].map((each) => (
              <Button key={each} size="xs" variant="default" onClick={() => setLabel(each)}>
                {each}
              </Button>
            ))}
          </Group>
          <Text size="sm" c="dimmed" mt="md">
            Create one key for each environment, so that you can revoke one without affecting the
            others. All keys use the credits of your account.
          </Text>
          <details
            className="tb-limits-optional"
            open={isOpen || (isSubmitted && hasLimitError)}
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
        </>
      )}
    </FormDialog>
  );
}

const CreateFailure = ({ error }: { error: unknown }) => (
  <>
    <KeyFailure error={error} />
    {mayBeDone(error) && (
      <Text size="sm" mt="xs">
        Your entries are still here. If the key appears in the list anyway, revoke it and create
        another one, because its secret cannot be shown again.
      </Text>
    )}
  </>
);

const KEY: Named = {
  ...{ one: "key", many: "keys", word: "label" },
  hint: "Where you will use this key, such as “production”.",
};

function RenameKeyDialog({ apiKey: { id, label }, ...others }: Props) {
  const rename = useChangeKey();
  return (
    <RenameDialog
      of={KEY}
      name={label}
      change={rename}
      onRename={(next, then) => rename.mutate({ id, label: next }, then)}
      {...others}
    />
  );
}

/** Edits the limits of a key. The form shows what its budgets have spent. */
function LimitsDialog({ apiKey, bounds, onClose, onDone }: Props & { bounds: KeyBounds }) {
  const { id, label, limits } = apiKey;
  const change = useChangeKey();
  const [now] = useState(Date.now);
  const [before] = useState(() => draftOf(limits, bounds));
  const [draft, setDraft] = useState(before);
  const errors = errorsOf(draft, before, bounds, now);
  return (
    <FormDialog
      title={`Limits of “${label}”`}
      change={change}
      action={["Save limits", "Saving"]}
      isValid={Object.keys(errors).length === 0}
      onClose={onClose}
      onSubmit={() =>
        change.mutate(
          { id, limits: orderOf(draft, before, limits, now) },
          { onSuccess: ({ key }) => onDone(savedText(key, now)) },
        )
      }
    >
      {(isSubmitted) => (
        <>
          <Text size="sm" c="dimmed" mb="lg">
            Changes apply to the next call with this key, even when you raise or remove a limit that
            rejects its calls.
          </Text>
          <LimitFields
            draft={draft}
            errors={isSubmitted ? errors : {}}
            bounds={bounds}
            limits={limits}
            now={now}
            onChange={setDraft}
          />
        </>
      )}
    </FormDialog>
  );
}

function savedText({ label, limits }: KeyView, now: number): string {
  const phrases = limitPhrases(limits, now);
  return phrases.length === 0
    ? `Key “${label}” no longer has its own limits.`
    : `Limits of “${label}” saved: ${phrases.join(" · ")}.`;
}

/** Revoking cannot be undone, so the dialog says whether the key is still in use. */
function RevokeDialog({ apiKey, onClose, onDone }: Props) {
  const { id, label, start, callsLastDay, lastUsedAt } = apiKey;
  // The calls of an account that makes very many are not counted yet.
  const isUsed = callsLastDay === null ? lastUsedAt !== null : callsLastDay > 0;
  const revoke = useRevokeKey();
  return (
    <FormDialog
      title={`Revoke “${label}”?`}
      change={revoke}
      action={["Revoke key", "Revoking"]}
      danger="Keep key"
      onClose={onClose}
      onSubmit={() =>
        revoke.mutate(id, {
          onSuccess: () => onDone(`Key “${label}” revoked. Calls with it are now rejected.`),
        })
      }
    >
      <Message tone={isUsed ? "warn" : "soft"}>
        {callsLastDay !== null && (
          <strong>{counted(callsLastDay, "call")} in the last 24 hours. </strong>
        )}
        {lastUsedAt === null ? (
          "This key has never been used."
        ) : (
          <>
            Last used <Time at={lastUsedAt} />.
          </>
        )}
      </Message>
      <Text mt="md">
        Calls with the key <code className="tb-key-start">{start}…</code> will be rejected
        immediately. This cannot be undone.
        {isUsed && " Replace it with another key first."}
      </Text>
    </FormDialog>
  );
}
