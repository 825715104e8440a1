import { Button, Text } from "@mantine/core";
import type { EndpointView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { useDeleteEndpoint } from "./endpoints.ts";

/** Deleting also removes the secret and the log, so the dialog focuses the cancel button. */
export function DeleteDialog(props: {
  endpoint: EndpointView;
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const { id, url } = props.endpoint;
  const remove = useDeleteEndpoint();
  const dismiss = () => {
    if (!remove.isPending) props.onClose();
  };
  const submit = () => remove.mutate(id, { onSuccess: () => props.onDone("Endpoint deleted.") });
  return (
    <TitledDialog title="Delete this endpoint?" onClose={dismiss}>
      <Text>
        We stop sending webhooks to <strong className="tb-break">{url}</strong>. Its secret and its
        delivery log are deleted, and waiting deliveries are not sent. To stop it temporarily, pause
        it instead.
      </Text>
      {remove.isError && (
        <div className="tb-dialog-failure">
          <Failure error={remove.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={dismiss}>
          Keep endpoint
        </Button>
        <BusyButton color="red" busy={remove.isPending} busyLabel="Deleting" onClick={submit}>
          Delete endpoint
        </BusyButton>
      </div>
    </TitledDialog>
  );
}
