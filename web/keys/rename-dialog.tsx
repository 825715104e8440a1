import { Button } from "@mantine/core";
import { useState } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { useRenameKey } from "../queries.ts";
import { LabelField, labelError } from "./label-field.tsx";
import { useKeptKey } from "./use-kept-key.ts";

export function RenameDialog(props: {
  apiKey: KeyView;
  onClose: () => void;
  onDone: (said: string) => void;
}) {
  const { id, label: before } = props.apiKey;
  const rename = useRenameKey();
  const keep = useKeptKey();
  const [label, setLabel] = useState(before);
  const error = labelError(label);
  const submit = () => {
    if (error !== null || rename.isPending) return;
    const after = label.trim();
    if (after === before) return props.onClose();
    rename.mutate(
      { id, label: after },
      {
        onSuccess: ({ key }) => {
          keep(key);
          props.onDone(`“${before}” is now called “${after}”.`);
        },
      },
    );
  };
  return (
    <TitledDialog onClose={props.onClose} title="Rename the key">
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
