import { Button, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { browserName } from "#accounts/browser-name.ts";
import type { PasskeyView } from "#api/dashboard/shapes.ts";
import { KEY_LABEL_CHARS_MAX } from "#limits.ts";
import { useFactorChange } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { PasskeyFailure } from "../parts/passkey-failure.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { createPasskey } from "../passkeys.ts";
import { request } from "../request.ts";

import { RecoveryCodeList } from "./recovery-codes.tsx";

type DialogProps = { onClose: () => void; onDone: (message: string) => void };

/** Names the passkey, lets the browser make it, and shows recovery codes with the first factor. */
export function AddPasskeyDialog({ onClose, onDone }: DialogProps) {
  const [name, setName] = useState(() => browserName(navigator.userAgent) ?? "");
  const [codes, setCodes] = useState<string[] | null>(null);
  const add = useFactorChange(createPasskey);
  const done = () => onDone(`Passkey added: ${name.trim()}.`);
  if (codes !== null) {
    return (
      <TitledDialog title="Store your recovery codes now" onClose={done}>
        <RecoveryCodeList codes={codes} onClose={done} />
      </TitledDialog>
    );
  }
  return (
    <TitledDialog title="Add passkey" onClose={onClose}>
      <NameForm
        name={name}
        onName={setName}
        change={add}
        label="Continue"
        busyLabel="Waiting"
        onCancel={onClose}
        onSubmit={() =>
          add.mutate(name.trim(), {
            onSuccess: ({ recoveryCodes }) =>
              recoveryCodes === null ? done() : setCodes(recoveryCodes),
          })
        }
      >
        <Text size="sm" c="dimmed" mt="md">
          Your browser then asks where to keep the passkey. From now on, signing in with your
          password also asks for it.
        </Text>
      </NameForm>
    </TitledDialog>
  );
}

export function RenamePasskeyDialog(props: DialogProps & { passkey: PasskeyView }) {
  const { id, name: oldName } = props.passkey;
  const [name, setName] = useState(oldName);
  const rename = useFactorChange((name: string) => request<object>("PATCH", pathOf(id), { name }));
  return (
    <TitledDialog title="Rename passkey" onClose={props.onClose}>
      <NameForm
        name={name}
        onName={setName}
        change={rename}
        label="Save"
        busyLabel="Saving"
        onCancel={props.onClose}
        onSubmit={() =>
          rename.mutate(name.trim(), {
            onSuccess: () => props.onDone(`Passkey renamed from “${oldName}” to “${name.trim()}”.`),
          })
        }
      />
    </TitledDialog>
  );
}

export function RemovePasskeyDialog(props: DialogProps & { passkey: PasskeyView }) {
  const { id, name } = props.passkey;
  const remove = useFactorChange(() => request<object>("DELETE", pathOf(id)));
  return (
    <TitledDialog title="Remove passkey?" onClose={props.onClose}>
      <Text>
        <strong className="tb-address">{name}</strong> can no longer sign in to your account. Delete
        it on the device as well.
      </Text>
      {remove.isError && <PasskeyFailure error={remove.error} />}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={props.onClose}>
          Keep passkey
        </Button>
        <BusyButton
          color="red"
          busy={remove.isPending}
          busyLabel="Removing"
          onClick={() =>
            remove.mutate(undefined, { onSuccess: () => props.onDone(`Passkey removed: ${name}.`) })
          }
        >
          Remove passkey
        </BusyButton>
      </div>
    </TitledDialog>
  );
}

const pathOf = (id: string) => `/dashboard/factors/passkeys/${encodeURIComponent(id)}`;

function NameForm(props: {
  name: string;
  onName: (name: string) => void;
  change: { isPending: boolean; isError: boolean; error: unknown };
  label: string;
  busyLabel: string;
  onCancel: () => void;
  onSubmit: () => void;
  children?: ReactNode;
}) {
  const { name, change } = props;
  const [isSubmitted, setIsSubmitted] = useState(false);
  const length = [...name.trim()].length;
  const error =
    length === 0
      ? "Enter a name to tell your passkeys apart."
      : length > KEY_LABEL_CHARS_MAX
        ? `Use at most ${KEY_LABEL_CHARS_MAX} characters. This name has ${length}.`
        : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (error !== undefined) return focusInvalidField(event.currentTarget);
    if (!change.isPending) props.onSubmit();
  };
  return (
    <form noValidate onSubmit={submit}>
      <TextInput
        label="Name"
        description="Where the passkey is kept, such as “Laptop” or “Security key”."
        value={name}
        error={isSubmitted ? error : undefined}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        onChange={(event) => props.onName(event.currentTarget.value)}
      />
      {props.children}
      {change.isError && <PasskeyFailure error={change.error} />}
      <div className="tb-dialog-foot">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <BusyButton type="submit" busy={change.isPending} busyLabel={props.busyLabel}>
          {props.label}
        </BusyButton>
      </div>
    </form>
  );
}
