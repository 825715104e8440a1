import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { BusyButton } from "../parts/busy-button.tsx";
import { Failure } from "../parts/failure.tsx";
import { focusFault } from "../parts/focus-fault.ts";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { type MadeKey, useCreateKey, useVisitor } from "../queries.ts";
import { Offline } from "../request.ts";
import { ObstacleMessage, obstacleIn } from "./key-state.tsx";
import { LabelField, LabelSuggestions, labelFault } from "./label-field.tsx";
import { keepNewKey } from "./new-key.ts";
import { SecretStep } from "./secret-step.tsx";
import { useKeptKey } from "./use-kept-key.ts";

/** Makes a key: first its label, then the one time that it is shown. Closing that step has to be meant. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<MadeKey | null>(null);
  const [leaving, setLeaving] = useState(false);
  const [busy, setBusy] = useState(false);
  const close = () => {
    if (made !== null) setLeaving(!leaving);
    else if (!busy) onClose();
  };
  const title = made === null ? "Create an API key" : "Store your new key now";
  return (
    <TitledDialog
      onClose={close}
      title={leaving ? "Close without storing the key?" : title}
      wide={made !== null}
    >
      {made === null ? (
        <CreateForm onCancel={close} onMade={setMade} onBusy={setBusy} />
      ) : (
        <SecretStep
          made={made}
          leaving={leaving}
          onStay={() => setLeaving(false)}
          onClose={onClose}
        />
      )}
    </TitledDialog>
  );
}

function CreateForm(props: {
  onCancel: () => void;
  onMade: (made: MadeKey) => void;
  onBusy: (busy: boolean) => void;
}) {
  const account = useVisitor().data?.person?.account?.id;
  const create = useCreateKey();
  const keep = useKeptKey();
  const [label, setLabel] = useState("");
  const [asked, setAsked] = useState(false);
  const fault = labelFault(label);
  const submit = (form: HTMLFormElement) => {
    setAsked(true);
    if (fault !== null) return focusFault(form);
    if (create.isPending) return;
    props.onBusy(true);
    create.mutate(
      { label: label.trim() },
      {
        onSuccess: (made) => {
          keep(made.key);
          const { id } = made.key;
          if (account !== undefined) {
            keepNewKey({ account, id, label: made.key.label, secret: made.secret });
          }
          props.onMade(made);
        },
        onSettled: () => props.onBusy(false),
      },
    );
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <LabelField value={label} fault={asked ? fault : null} onChange={setLabel} />
      <LabelSuggestions onChoose={setLabel} />
      <Text size="sm" c="dimmed" mt="md">
        Make one key for each environment, so that you can revoke one without stopping the others.
        All keys draw on the credits of your account.
      </Text>
      {create.isError && <CreateFailure error={create.error} />}
      <div className="tb-dialog-foot">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <BusyButton type="submit" busy={create.isPending} busyWords="Creating">
          Create key
        </BusyButton>
      </div>
    </form>
  );
}

function CreateFailure({ error }: { error: unknown }) {
  const obstacle = obstacleIn(error);
  return (
    <div className="tb-dialog-failure">
      {obstacle === null ? <Failure error={error} /> : <ObstacleMessage obstacle={obstacle} />}
      {error instanceof Offline && (
        <Text size="sm" mt="xs">
          Nothing is lost: your label stays here. Should the key appear in the list nevertheless,
          revoke it and create another one, because it cannot be shown any more.
        </Text>
      )}
    </div>
  );
}
