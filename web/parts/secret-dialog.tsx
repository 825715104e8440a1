import { Button, Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useWarningBeforeLeaving } from "./leaving.ts";
import { SecretField } from "./secret-field.tsx";
import { TitledDialog } from "./titled-dialog.tsx";

/**
 * Shows a secret, once. The dialog closes when the user confirms that it is stored; closing it in another way needs a confirmation.
 * `name`: what the secret is, such as "key"; `lost`: what a user without it has to do. `children` stand above the secret, `after`
 * below it.
 */
export function SecretDialog(props: {
  title: string;
  name: string;
  label: string;
  secret: string;
  lost: ReactNode;
  onClose: () => void;
  children: ReactNode;
  after?: ReactNode;
}) {
  const { name, onClose } = props;
  const [leaving, setLeaving] = useState(false);
  useWarningBeforeLeaving(true, () => setLeaving(true));
  if (leaving) {
    return (
      <LeaveDialog
        name={name}
        lost={props.lost}
        onStay={() => setLeaving(false)}
        onClose={onClose}
      />
    );
  }
  return (
    <TitledDialog title={props.title} wide onClose={() => setLeaving(true)}>
      {props.children}
      <SecretField label={props.label} secret={props.secret} copyLabel={`Copy the ${name}`} />
      {props.after}
      <div className="tb-dialog-foot">
        <Button onClick={onClose}>I have stored it</Button>
      </div>
    </TitledDialog>
  );
}

export function LeaveDialog(props: {
  name: string;
  lost: ReactNode;
  onStay: () => void;
  onClose: () => void;
}) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <TitledDialog title={`Close without storing the ${props.name}?`} onClose={props.onStay}>
      <Text>
        It cannot be shown again. If you have not stored it, go back and copy it. {props.lost}
      </Text>
      <div className="tb-dialog-foot">
        <Button variant="subtle" color="red" onClick={props.onClose}>
          Close anyway
        </Button>
        <Button ref={stay} onClick={props.onStay}>
          Go back to the {props.name}
        </Button>
      </div>
    </TitledDialog>
  );
}
