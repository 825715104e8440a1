import { Text } from "@mantine/core";
import { useState } from "react";
import { browserName } from "#accounts/browser-name.ts";
import type { PasskeyView } from "#api/dashboard/shapes.ts";
import { usePasskeys, useSignInChange } from "../member-queries.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { type Named, NameField, nameError, RenameDialog } from "../parts/name-field.tsx";
import type { DialogEnds } from "../parts/use-dialog.tsx";
import { createPasskey } from "../passkeys.ts";
import { request } from "../request.ts";

export type OpenPasskeyDialog =
  | { kind: "add" }
  | { kind: "rename" | "remove"; passkey: PasskeyView };

export default function PasskeyDialog({
  open,
  ...others
}: DialogEnds & { open: OpenPasskeyDialog }) {
  if (open.kind === "add") return <AddDialog {...others} />;
  return open.kind === "rename" ? (
    <RenamePasskeyDialog passkey={open.passkey} {...others} />
  ) : (
    <RemoveDialog passkey={open.passkey} {...others} />
  );
}

const PASSKEY: Named = {
  ...{ one: "passkey", many: "passkeys", word: "name" },
  hint: "Where the passkey is kept, such as “Laptop” or “Security key”.",
};

const pathOf = ({ id }: PasskeyView) => `/dashboard/passkeys/${encodeURIComponent(id)}`;

function AddDialog({ onClose, onDone }: DialogEnds) {
  const [name, setName] = useState(() => browserName(navigator.userAgent) ?? "");
  const add = useSignInChange(createPasskey);
  return (
    <FormDialog
      title="Add passkey"
      change={add}
      action={["Continue", "Waiting"]}
      isValid={nameError(name, PASSKEY) === undefined}
      onClose={onClose}
      onSubmit={() =>
        add.mutate(name.trim(), { onSuccess: () => onDone(`Passkey added: ${name.trim()}.`) })
      }
    >
      {(isSubmitted) => (
        <>
          <NameField of={PASSKEY} name={name} isChecked={isSubmitted} onName={setName} />
          <Text size="sm" c="dimmed" mt="md">
            Your browser then asks where to keep the passkey.
          </Text>
        </>
      )}
    </FormDialog>
  );
}

function RenamePasskeyDialog({ passkey, ...ends }: DialogEnds & { passkey: PasskeyView }) {
  const rename = useSignInChange((name: string) =>
    request<object>("PATCH", pathOf(passkey), { name }),
  );
  return (
    <RenameDialog
      of={PASSKEY}
      name={passkey.name}
      change={rename}
      onRename={rename.mutate}
      {...ends}
    />
  );
}

function RemoveDialog({ passkey, onClose, onDone }: DialogEnds & { passkey: PasskeyView }) {
  const view = usePasskeys().data;
  const endsRequirement = view?.requiresPasskey === true && view.passkeys.length === 1;
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
        <strong className="tb-break">{passkey.name}</strong> can no longer sign in to your account.
        Delete it on the device as well.
      </Text>
      {endsRequirement && (
        <Text mt="sm">
          It is your only passkey, so your account no longer requires one: codes, links and linked
          sign-ins sign you in again.
        </Text>
      )}
    </FormDialog>
  );
}
