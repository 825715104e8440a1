import { Button, Text } from "@mantine/core";
import type { EndpointView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { useDeleteEndpoint } from "./endpoints.ts";

/** Deleting takes the secret and the log with it. The focus is on the harmless button. */
export function DeleteDialog(props: {
  endpoint: EndpointView;
  onClose: () => void;
  onDone: (said: string) => void;
}) {
  const { id, url } = props.endpoint;
  const drop = useDeleteEndpoint();
  const dismiss = () => {
    if (!drop.isPending) props.onClose();
  };
  const submit = () =>
    drop.mutate(id, { onSuccess: () => props.onDone("The webhook is deleted.") });
  return (
    <TitledDialog title="Delete this webhook?" onClose={dismiss}>
      <Text>
        Nothing more is sent to <strong className="tb-break">{url}</strong>. Its secret and its
        deliveries are deleted, and what still waits is not sent. To stop it for a while, pause it
        instead.
      </Text>
      {drop.isError && (
        <div className="tb-dialog-failure">
          <Failure error={drop.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={dismiss}>
          Keep it
        </Button>
        <BusyButton color="red" busy={drop.isPending} busyLabel="Deleting" onClick={submit}>
          Delete
        </BusyButton>
      </div>
    </TitledDialog>
  );
}
