import { Button, Text } from "@mantine/core";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure, Message } from "../parts/message.tsx";
import { counted } from "../parts/numbers.ts";
import { Time } from "../parts/time.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { useRevokeKey } from "../queries.ts";
import { forgetNewKey } from "./new-key.ts";
import { useKeptKey } from "./use-kept-key.ts";

/** Revoking is final: it names the key and says whether something still uses it. The focus is on the harmless button. */
export function RevokeDialog(props: {
  apiKey: KeyView;
  onClose: () => void;
  onDone: (said: string) => void;
}) {
  const { id, label, start, callsLastDay, lastUsedAt } = props.apiKey;
  const revoke = useRevokeKey();
  const keep = useKeptKey();
  const submit = () =>
    revoke.mutate(id, {
      onSuccess: ({ key }) => {
        keep(key);
        forgetNewKey(id);
        props.onDone(`“${label}” is revoked. Calls with it are refused from now on.`);
      },
    });
  return (
    <TitledDialog onClose={props.onClose} title={`Revoke “${label}”?`}>
      <Message tone={callsLastDay > 0 ? "warn" : "soft"}>
        <strong>{counted(callsLastDay, "call")} in the last 24 hours.</strong>{" "}
        {lastUsedAt === null ? (
          "This key has never been used."
        ) : (
          <>
            Last used <Time at={lastUsedAt} />.
          </>
        )}
      </Message>
      <Text mt="md">
        Calls with the key <code className="tb-key-start">{start}…</code> are refused at once. This
        cannot be undone.
        {callsLastDay > 0 && " Create another key and put it in place first."}
      </Text>
      {revoke.isError && (
        <div className="tb-dialog-failure">
          <Failure error={revoke.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={props.onClose}>
          Keep the key
        </Button>
        <BusyButton color="red" busy={revoke.isPending} busyLabel="Revoking" onClick={submit}>
          Revoke the key
        </BusyButton>
      </div>
    </TitledDialog>
  );
}
