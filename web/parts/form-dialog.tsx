import { Box, Button } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import type { SendState } from "../queries.ts";
import { BusyButton } from "./buttons.tsx";
import { focusInvalidField } from "./focus.ts";
import { Failure } from "./message.tsx";
import { TitledDialog } from "./titled-dialog.tsx";

/**
 * A dialog with a form that makes one change, or asks before one that cannot be undone. It stays open while the change is pending,
 * and shows its error. `children` get whether the form was submitted, because fields show what is wrong from then on.
 */
export function FormDialog(props: {
  title: string;
  change: SendState;
  /** The label of the button, and the one while the change is pending. */
  action: readonly [label: string, busyLabel: string];
  /** The change cannot be undone: this is the label of the button that keeps things as they are, which has the focus. */
  danger?: string;
  /** False: the form has an error, and a press of the button moves the focus there. */
  isValid?: boolean;
  wide?: boolean;
  /** In place of the error of `change`. */
  failure?: ReactNode;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode | ((isSubmitted: boolean) => ReactNode);
}) {
  const { change, danger, isValid = true } = props;
  const [isSubmitted, setIsSubmitted] = useState(false);
  const dismiss = () => {
    if (!change.isPending) props.onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (!isValid) focusInvalidField(event.currentTarget);
    else if (!change.isPending) props.onSubmit();
  };
  const [label, busyLabel] = props.action;
  return (
    <TitledDialog title={props.title} wide={props.wide === true} onClose={dismiss}>
      <form noValidate onSubmit={submit}>
        {typeof props.children === "function" ? props.children(isSubmitted) : props.children}
        {(props.failure !== undefined || change.isError) && (
          <Box mt="md">{props.failure ?? <Failure error={change.error} />}</Box>
        )}
        <div className="tb-dialog-foot">
          <Button variant="default" data-autofocus={danger && true} onClick={dismiss}>
            {danger ?? "Cancel"}
          </Button>
          <BusyButton
            type="submit"
            color={danger === undefined ? "accent" : "red"}
            busy={change.isPending}
            busyLabel={busyLabel}
          >
            {label}
          </BusyButton>
        </div>
      </form>
    </TitledDialog>
  );
}
