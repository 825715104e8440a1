import { Text } from "@mantine/core";
import { useVisitor } from "../queries.ts";
import { Problems } from "./problems.tsx";
import { SendAgain } from "./send-again.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

/** A letter may be on its way. The words are the same whether the address has an account or not. */
export function CheckMail({
  email,
  what,
  send,
  onBack,
}: {
  email: string;
  what: string;
  send: { isPending: boolean; error: unknown; mutateAsync: (email: string) => Promise<unknown> };
  onBack: () => void;
}) {
  const staysHere = useVisitor().data?.emailsStayHere === true;
  return (
    <SignInFrame
      title="Check your mail"
      lead={
        <>
          {what} <strong>{email}</strong>. It can take a few minutes; look into the spam folder too.
        </>
      }
    >
      {staysHere && (
        <Text mt="md" size="sm" c="dimmed">
          This service has no mail server set: its letters are in the folder <code>outbox</code> of
          its data.
        </Text>
      )}
      <Text component="div" mt="xl">
        <Problems faults={{}} error={send.error} attempt={0} />
        <SendAgain pending={send.isPending} onSend={() => send.mutateAsync(email)} />
      </Text>
      <div className="tb-door-foot">
        <p>
          The wrong address?{" "}
          <button type="button" className="tb-link" onClick={onBack}>
            Enter another one
          </button>
        </p>
      </div>
    </SignInFrame>
  );
}
