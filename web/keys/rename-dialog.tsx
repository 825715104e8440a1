import { Button } from "@mantine/core";
import { useState } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { useChangeKey } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { LabelField, labelError } from "./label-field.tsx";

export function RenameDialog(props: {
  apiKey: KeyView;
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const { id, label: oldLabel } = props.apiKey;
  const rename = useChangeKey();

  const [label, setLabel] = useState(oldLabel);
  const error = labelError(label);
  const submit = () => {
    if (error !== null || rename.isPending) return;
    const newLabel = label.trim();
    if (newLabel === oldLabel) return props.onClose();
    rename.mutate(
      { id, label: newLabel },
      { onSuccess: () => props.onDone(`Key renamed from “${oldLabel}” to “${newLabel}”.`) },
    );
  };
  return (
    <TitledDialog onClose={props.onClose} title="Rename key">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <LabelField value={label} error={error} onChange={setLabel} />
        {rename.isError && (
          <div className="tb-dialog-failure">
            <Failure error={rename.error} />
          </div>
        )}
        <div className="tb-dialog-foot">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <BusyButton type="submit" busy={rename.isPending} busyLabel="Saving">
            Save
          </BusyButton>
        </div>
      </form>
    </TitledDialog>
  );
}
