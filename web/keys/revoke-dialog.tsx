import { Button, Text } from "@mantine/core";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { useRevokeKey } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure, Message } from "../parts/message.tsx";
import { counted } from "../parts/numbers.ts";
import { Time } from "../parts/time.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { forgetNewKey } from "./new-key.ts";

/** Revoking cannot be undone, so the dialog says whether the key is still in use and focuses the cancel button. */
export function RevokeDialog(props: {
  apiKey: KeyView;
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const { id, label, start, callsLastDay, lastUsedAt } = props.apiKey;
  // The calls of an account that makes very many are not counted yet.
  const isUsed = callsLastDay === null ? lastUsedAt !== null : callsLastDay > 0;
  const revoke = useRevokeKey();

  const submit = () =>
    revoke.mutate(id, {
      onSuccess: () => {
        forgetNewKey(id);
        props.onDone(`Key “${label}” revoked. Calls with it are now rejected.`);
      },
    });
  return (
    <TitledDialog onClose={props.onClose} title={`Revoke “${label}”?`}>
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
      {revoke.isError && (
        <div className="tb-dialog-failure">
          <Failure error={revoke.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={props.onClose}>
          Keep key
        </Button>
        <BusyButton color="red" busy={revoke.isPending} busyLabel="Revoking" onClick={submit}>
          Revoke key
        </BusyButton>
      </div>
    </TitledDialog>
  );
}
