import { Text } from "@mantine/core";
import { passkeyErrorText } from "../passkeys.ts";
import { Alert } from "./alert.tsx";
import { Failure } from "./message.tsx";

/** An error of a request, or of the browser's dialog for passkeys. */
export function PasskeyFailure({ error }: { error: unknown }) {
  const text = passkeyErrorText(error);
  return (
    <div className="tb-dialog-failure">
      {text === undefined ? (
        <Failure error={error} />
      ) : (
        <Alert color="red" role="alert" className="tb-failure">
          <Text size="sm">{text}</Text>
        </Alert>
      )}
    </div>
  );
}
