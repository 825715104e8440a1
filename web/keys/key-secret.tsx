import { Box, Text } from "@mantine/core";
import { curlCode } from "#site/request-code.ts";
import { sampleCall } from "../home/sample-call.ts";
import type { CreatedKey } from "../member-queries.ts";
import { service } from "../page-facts.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Message } from "../parts/message.tsx";
import { timeText } from "../parts/numbers.ts";
import { SecretDialog } from "../parts/secret-dialog.tsx";
import { useVisitor } from "../queries.ts";

/** Shows the secret of a key that was created, or rotated, with a call that uses it. */
export function KeySecretDialog(props: {
  created: CreatedKey;
  /** Whether the key existed before. */
  isRotation: boolean;
  onClose: () => void;
}) {
  const { isRotation } = props;
  const { key, secret } = props.created;
  const apiUrl = useVisitor().data?.apiUrl ?? location.origin;
  return (
    <SecretDialog
      title={isRotation ? "Store the new secret now" : "Store your new key now"}
      name={isRotation ? "secret" : "key"}
      label={isRotation ? "Your new secret" : "Your new key"}
      secret={secret}
      lost={
        isRotation
          ? "Otherwise you will have to rotate the key again, which stops the old secret immediately."
          : "Otherwise you will have to create another key."
      }
      onClose={props.onClose}
      after={
        <>
          <Text mt="lg" mb="xs">
            Try it now: paste this into a terminal.
          </Text>
          <CodeBlock
            code={curlCode(sampleCall(apiUrl, secret, service()))}
            label="Sample call with curl"
          />
        </>
      }
    >
      <Text>
        This is the only time that {isRotation ? "the new secret of " : "the key "}
        <strong>{key.label}</strong> is shown. Store it where you keep your secrets. We keep only a
        hash of it.
      </Text>
      {isRotation && <OldSecret previousUntil={key.previousUntil} />}
    </SecretDialog>
  );
}

function OldSecret({ previousUntil }: { previousUntil: number | null }) {
  const isValid = previousUntil !== null && previousUntil > Date.now();
  return (
    <Box mt="md">
      <Message tone={isValid ? "soft" : "warn"}>
        {isValid
          ? `The old secret works until ${timeText(previousUntil)}. Replace it in your clients before then.`
          : "The old secret no longer works. Replace it in your clients now."}
      </Message>
    </Box>
  );
}
