import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { browserName } from "#accounts/browser-name.ts";
import type { PasskeyView } from "#api/dashboard/shapes.ts";
import { KEY_LABEL_CHARS_MAX } from "#limits.ts";
import { usePasskeys, useSignInChange } from "../member-queries.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { createPasskey } from "../passkeys.ts";
import { request } from "../request.ts";

export type OpenPasskeyDialog =
  | { kind: "add" }
  | { kind: "rename" | "remove"; passkey: PasskeyView };

type Props = { onClose: () => void; onDone: (message: string) => void };

export default function PasskeyDialog({ open, ...others }: Props & { open: OpenPasskeyDialog }) {
  if (open.kind === "add") return <AddDialog {...others} />;
  return open.kind === "rename" ? (
    <RenameDialog passkey={open.passkey} {...others} />
  ) : (
    <RemoveDialog passkey={open.passkey} {...others} />
  );
}

const pathOf = ({ id }: PasskeyView) => `/dashboard/passkeys/${encodeURIComponent(id)}`;

function AddDialog({ onClose, onDone }: Props) {
  const [name, setName] = useState(() => browserName(navigator.userAgent) ?? "");
  const add = useSignInChange(createPasskey);
  return (
    <FormDialog
      title="Add passkey"
      change={add}
      action={["Continue", "Waiting"]}
      isValid={nameError(name) === undefined}
      onClose={onClose}
      onSubmit={() =>
        add.mutate(name.trim(), { onSuccess: () => onDone(`Passkey added: ${name.trim()}.`) })
      }
    >
      {(isSubmitted) => (
        <>
          <NameField name={name} isSubmitted={isSubmitted} onName={setName} />
          <Text size="sm" c="dimmed" mt="md">
            Your browser then asks where to keep the passkey.
          </Text>
        </>
      )}
    </FormDialog>
  );
}

function RenameDialog({ passkey, onClose, onDone }: Props & { passkey: PasskeyView }) {
  const [name, setName] = useState(passkey.name);
  const rename = useSignInChange((name: string) =>
    request<object>("PATCH", pathOf(passkey), { name }),
  );
  return (
    <FormDialog
      title="Rename passkey"
      change={rename}
      action={["Save", "Saving"]}
      isValid={nameError(name) === undefined}
      onClose={onClose}
      onSubmit={() =>
        rename.mutate(name.trim(), {
          onSuccess: () => onDone(`Passkey renamed from “${passkey.name}” to “${name.trim()}”.`),
        })
      }
    >
      {(isSubmitted) => <NameField name={name} isSubmitted={isSubmitted} onName={setName} />}
    </FormDialog>
  );
}

function RemoveDialog({ passkey, onClose, onDone }: Props & { passkey: PasskeyView }) {
  const view = usePasskeys().data;
  const endsDemand = view?.demandsPasskey === true && view.passkeys.length === 1;
  const remove = useSignInChange(() => request<object>("DELETE", pathOf(passkey)));
  return (
    <FormDialog
      title="Remove passkey?"
      change={remove}
      action={["Remove passkey", "Removing"]}
      danger="Keep passkey"
      onClose={onClose}
      onSubmit={() =>
        remove.mutate(undefined, { onSuccess: () => onDone(`Passkey removed: ${passkey.name}.`) })
      }
    >
      <Text>
        <strong className="tb-address">{passkey.name}</strong> can no longer sign in to your
        account. Delete it on the device as well.
      </Text>
      {endsDemand && (
        <Text mt="sm">
          It is your only passkey, so your account no longer demands one: codes, links and linked
          sign-ins sign you in again.
        </Text>
      )}
    </FormDialog>
  );
}

function nameError(name: string): string | undefined {
  const { length } = [...name.trim()];
  if (length === 0) return "Enter a name to tell your passkeys apart.";
  return length > KEY_LABEL_CHARS_MAX
    ? `Use at most ${KEY_LABEL_CHARS_MAX} characters. This name has ${length}.`
    : undefined;
}

const NameField = (props: {
  name: string;
  isSubmitted: boolean;
  onName: (name: string) => void;
}) => (
  <TextInput
    label="Name"
    description="Where the passkey is kept, such as “Laptop” or “Security key”."
    value={props.name}
    error={props.isSubmitted && nameError(props.name)}
    autoComplete="off"
    spellCheck={false}
    data-autofocus
    onChange={(event) => props.onName(event.currentTarget.value)}
  />
);
