import { Text } from "@mantine/core";
import { useVisitor } from "../queries.ts";
import { Problems } from "./problems.tsx";
import { SendAgain } from "./send-again.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Shown after an email may have been sent. The wording is the same whether or not the address has an account. */
export function CheckEmail({
  email,
  lead,
  hint,
  send,
  onBack,
}: {
  email: string;
  /** The sentence that the address completes. */
  lead: string;
  /** What else to know before opening the link. */
  hint?: string;
  send: { isPending: boolean; error: unknown; mutateAsync: (email: string) => Promise<unknown> };
  onBack: () => void;
}) {
  const isWrittenToDisk = useVisitor().data?.emailsStayHere === true;
  return (
    <SignInFrame
      title="Check your email"
      waitsFor="mail"
      lead={
        <>
          {lead} <strong>{email}</strong>. It can take a few minutes. Check your spam folder too.
        </>
      }
    >
      {hint !== undefined && (
        <Text mt="md" size="sm">
          {hint}
        </Text>
      )}
      {isWrittenToDisk && (
        <Text mt="md" size="sm" c="dimmed">
          This service has no mail server configured. It writes its emails to the{" "}
          <code>outbox</code> folder in its data directory.
        </Text>
      )}
      <Text component="div" mt="xl">
        <Problems fieldErrors={{}} error={send.error} attempt={0} />
        <SendAgain pending={send.isPending} onSend={() => send.mutateAsync(email)} />
      </Text>
      <div className="tb-sign-in-foot">
        <p>
          Wrong address?{" "}
          <button type="button" className="tb-link" onClick={onBack}>
            Enter a different one
          </button>
        </p>
      </div>
    </SignInFrame>
  );
}
