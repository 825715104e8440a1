import { Button, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { sampleCallCode } from "../home/sample-call.ts";
import type { CreatedKey } from "../member-queries.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Message } from "../parts/message.tsx";
import { timeText } from "../parts/numbers.ts";
import { SecretField } from "../parts/secret-field.tsx";
import { useVisitor } from "../queries.ts";

/** Shows a new secret, once. It stays until the user confirms that it is stored. */
export function SecretStep(props: {
  created: CreatedKey;
  /** Whether the key existed before. */
  isRotation: boolean;
  leaving: boolean;
  onStay: () => void;
  onClose: () => void;
}) {
  useWarningBeforeUnload();
  return props.leaving ? <LeaveConfirmation {...props} /> : <Secret {...props} />;
}

type Props = Parameters<typeof SecretStep>[0];

function Secret({ created, isRotation, onClose }: Props) {
  const apiUrl = useVisitor().data?.apiUrl ?? location.origin;
  return (
    <>
      <Text>
        This is the only time that {isRotation ? "the new secret of " : "the key "}
        <strong>{created.key.label}</strong> is shown. Store it where you keep your secrets. We keep
        only a hash of it.
      </Text>
      {isRotation && <OldSecret previousUntil={created.key.previousUntil} />}
      <SecretField
        label={isRotation ? "Your new secret" : "Your new key"}
        secret={created.secret}
        copyLabel={isRotation ? "Copy the secret" : "Copy the key"}
      />
      <Text mt="lg" mb="xs">
        Try it now: paste this into a terminal.
      </Text>
      <CodeBlock
        code={sampleCallCode("curl", { apiUrl, secret: created.secret })}
        language="shell"
        label="Sample call with curl"
      />
      <div className="tb-dialog-foot">
        <Button onClick={onClose}>I have stored it</Button>
      </div>
    </>
  );
}

function OldSecret({ previousUntil }: { previousUntil: number | null }) {
  const isValid = previousUntil !== null && previousUntil > Date.now();
  return (
    <div className="tb-old-secret">
      <Message tone={isValid ? "soft" : "warn"}>
        {isValid
          ? `The old secret works until ${timeText(previousUntil)}. Replace it in your clients before then.`
          : "The old secret no longer works. Replace it in your clients now."}
      </Message>
    </div>
  );
}

export function LeaveConfirmation({
  created,
  isRotation,
  onStay,
  onClose,
}: Pick<Props, "created" | "isRotation" | "onStay" | "onClose">) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <>
      <Text>
        {isRotation ? "The new secret of " : "The key "}
        <strong>{created.key.label}</strong> cannot be shown again. If you have not stored it, go
        back and copy it. Otherwise you will have to{" "}
        {isRotation
          ? "rotate the key again, which stops the old secret immediately."
          : "create another key."}
      </Text>
      <div className="tb-dialog-foot">
        <Button variant="subtle" color="red" onClick={onClose}>
          Close anyway
        </Button>
        <Button ref={stay} onClick={onStay}>
          Go back to the {isRotation ? "secret" : "key"}
        </Button>
      </div>
    </>
  );
}

/** Closing or reloading the tab would lose the key as well. */
export function useWarningBeforeUnload(isActive = true): void {
  useEffect(() => {
    if (!isActive) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isActive]);
}
