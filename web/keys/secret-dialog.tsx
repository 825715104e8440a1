import { type ReactNode, useState } from "react";
import type { CreatedKey } from "../member-queries.ts";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { useVisitor } from "../queries.ts";
import { rememberNewKey } from "./new-key.ts";
import { SecretStep } from "./secret-step.tsx";

/** What the form of the first step reports. */
export type SecretForm = {
  onCancel: () => void;
  onSecret: (created: CreatedKey) => void;
  onBusy: (busy: boolean) => void;
};

/** A dialog of two steps: a form, then the secret, which is shown once. Closing the second step needs a confirmation. */
export function SecretDialog(props: {
  title: string;
  /** Whether the key existed before and has a new secret. */
  isRotation: boolean;
  onClose: () => void;
  children: (form: SecretForm) => ReactNode;
}) {
  const account = useVisitor().data?.user?.account?.id;
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const [leaving, setLeaving] = useState(false);
  const [busy, setBusy] = useState(false);
  const close = () => {
    if (created !== null) setLeaving(!leaving);
    else if (!busy) props.onClose();
  };
  const show = (made: CreatedKey) => {
    const { id, label } = made.key;
    if (account !== undefined) rememberNewKey({ account, id, label, secret: made.secret });
    setCreated(made);
  };
  const storeTitle = props.isRotation ? "Store the new secret now" : "Store your new key now";
  const leaveTitle = `Close without storing the ${props.isRotation ? "secret" : "key"}?`;
  return (
    <TitledDialog
      onClose={close}
      title={leaving ? leaveTitle : created === null ? props.title : storeTitle}
      wide={created !== null}
    >
      {created === null ? (
        props.children({ onCancel: close, onSecret: show, onBusy: setBusy })
      ) : (
        <SecretStep
          created={created}
          isRotation={props.isRotation}
          leaving={leaving}
          onStay={() => setLeaving(false)}
          onClose={props.onClose}
        />
      )}
    </TitledDialog>
  );
}
