import { Button, Text, TextInput } from "@mantine/core";
import { useEffect, useRef } from "react";
import { sampleCallCode } from "../home/sample-call.ts";
import { CodeBlock, CopyButton } from "../parts/code-block.tsx";
import { type CreatedKey, useVisitor } from "../queries.ts";

/** Shows the secret of a new key, once. It stays until the user confirms that it is stored. */
export function SecretStep(props: {
  created: CreatedKey;
  leaving: boolean;
  onStay: () => void;
  onClose: () => void;
}) {
  useWarningBeforeUnload();
  if (props.leaving) {
    return <LeaveConfirmation label={props.created.key.label} {...props} />;
  }
  return <Secret created={props.created} onClose={props.onClose} />;
}

function Secret({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const apiUrl = useVisitor().data?.apiUrl ?? location.origin;
  const field = useRef<HTMLInputElement>(null);
  // The form that had the focus was removed.
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <Text>
        This is the only time that the key <strong>{created.key.label}</strong> is shown. Store it
        where you keep your secrets. We keep only a hash of it.
      </Text>
      <div className="tb-secret">
        <TextInput
          ref={field}
          label="Your new key"
          value={created.secret}
          readOnly
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={created.secret} label="Copy the key" />
      </div>
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

function LeaveConfirmation(props: { label: string; onStay: () => void; onClose: () => void }) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <>
      <Text>
        The key <strong>{props.label}</strong> cannot be shown again. If you have not stored it, go
        back and copy it. Otherwise you will have to create another key.
      </Text>
      <div className="tb-dialog-foot">
        <Button variant="subtle" color="red" onClick={props.onClose}>
          Close anyway
        </Button>
        <Button ref={stay} onClick={props.onStay}>
          Go back to the key
        </Button>
      </div>
    </>
  );
}

/** Closing or reloading the tab would lose the key as well. */
function useWarningBeforeUnload() {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
}
