import { Box, Button, type ButtonProps, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ProofMethod, ProofView, Provider } from "#api/dashboard/shapes.ts";
import { base } from "../addresses.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { passkeyObstacle } from "../passkey-obstacle.tsx";
import { signInByPasskey } from "../passkeys.ts";
import { proof } from "../proof.ts";
import { queryKeys, queryOf, type SendState, useSend, useVisitor } from "../queries.ts";
import { CodeForm } from "../sign-in/code-form.tsx";
import { providerName } from "../sign-in/providers.tsx";
import { signInByCode, useSendCode, useSocialSignIn } from "../sign-in/requests.ts";
import { SendAgain } from "../sign-in/send-again.tsx";
import "./account.css";

/**
 * Asks the user to confirm their identity, which is to sign in again, and lets the requests go on that wait for it. The new session
 * replaces the one before it.
 */
export default function ProofDialog() {
  const view = useQuery({
    ...queryOf<ProofView>(queryKeys.proof, "/dashboard/proof"),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <TitledDialog title="Confirm that it is you" onClose={() => proof.settle(false)}>
      <QueryResult query={view} loading={<LoadingRows rows={2} height={56} />}>
        {(loaded) => <Methods {...loaded} />}
      </QueryResult>
    </TitledDialog>
  );
}

function Methods({ email, methods }: ProofView) {
  const visitor = useVisitor().data;
  const obstacle = visitor === undefined ? null : passkeyObstacle(visitor);
  const usable = methods.filter((each) => each !== "passkey" || obstacle === null);
  const [chosen, setChosen] = useState<ProofMethod | undefined>(usable[0]);
  const body = useRef<HTMLDivElement>(null);
  // The dialog was opened before its content was loaded.
  useEffect(() => {
    if (chosen !== undefined) body.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
  }, [chosen]);
  return (
    <div ref={body}>
      <Text c="dimmed" size="sm">
        This protects your account in case someone else uses your browser. You are not asked again
        for ten minutes.
      </Text>
      {chosen === undefined && <Text mt="md">Your account requires a passkey. {obstacle}</Text>}
      {chosen === "passkey" && <PasskeyStep />}
      {chosen === "code" && <CodeStep email={email} />}
      {chosen !== undefined && chosen !== "passkey" && chosen !== "code" && (
        <ProviderStep key={chosen} provider={chosen} />
      )}
      <div className="tb-proof-others">
        {usable
          .filter((each) => each !== chosen)
          .map((each) => (
            <Button key={each} variant="subtle" size="compact-sm" onClick={() => setChosen(each)}>
              {NAMES[each] ?? `Continue with ${providerName(each)}`}
            </Button>
          ))}
      </div>
    </div>
  );
}

const NAMES: Partial<Record<ProofMethod, string>> = {
  passkey: "Use a passkey instead",
  code: "Get a code by email instead",
};

function useProve<Order>(send: (order: Order) => Promise<unknown>) {
  const client = useQueryClient();
  return useSend({
    mutationFn: send,
    onSuccess: () => {
      proof.settle(true);
      for (const queryKey of [queryKeys.sessions, queryKeys.events, queryKeys.passkeys])
        void client.invalidateQueries({ queryKey });
    },
  });
}

function PasskeyStep() {
  const prove = useProve(() => signInByPasskey({ isProof: true }));
  return (
    <Step
      change={prove}
      label="Use a passkey"
      busyLabel="Waiting"
      onPress={() => prove.mutate(undefined)}
    />
  );
}

function CodeStep({ email }: { email: string }) {
  const [send, again] = [useSendCode(), useSendCode()];
  const prove = useProve(signInByCode);
  if (!send.isSuccess) {
    return (
      <Step
        text={`We send a code to ${email}.`}
        change={send}
        label="Send code"
        busyLabel="Sending"
        onPress={() => send.mutate(email)}
      />
    );
  }
  return (
    <>
      <Text size="sm" my="md" role="status">
        We have sent a code to {email}.
      </Text>
      <CodeForm submit={prove} label="Confirm" busyLabel="Checking">
        <Cancel size="md" />
      </CodeForm>
      {again.isError && <Failure error={again.error} />}
      <SendAgain send={again} email={email} sentAt={send.submittedAt} onSent={prove.reset} />
    </>
  );
}

/** Leaves the page, so the user repeats the action after coming back. */
function ProviderStep({ provider }: { provider: Provider }) {
  const signIn = useSocialSignIn();
  const next = `${location.pathname.slice(base().length)}${location.search}`;
  const name = providerName(provider);
  return (
    <Step
      text={`Sign in with ${name} again. You then come back to this page: repeat what you wanted to do.`}
      change={signIn}
      label={`Continue with ${name}`}
      busyLabel="Opening"
      onPress={() => signIn.mutate({ provider, next })}
    />
  );
}

function Step(props: {
  text?: string;
  change: SendState;
  label: string;
  busyLabel: string;
  onPress: () => void;
}) {
  const { change } = props;
  return (
    <>
      {props.text !== undefined && (
        <Text size="sm" mt="md">
          {props.text}
        </Text>
      )}
      {change.isError && (
        <Box mt="md">
          <Failure error={change.error} />
        </Box>
      )}
      <div className="tb-dialog-foot">
        <Cancel />
        <BusyButton
          data-autofocus
          busy={change.isPending}
          busyLabel={props.busyLabel}
          onClick={props.onPress}
        >
          {props.label}
        </BusyButton>
      </div>
    </>
  );
}

const Cancel = ({ size }: Pick<ButtonProps, "size">) => (
  <Button variant="default" {...(size && { size })} onClick={() => proof.settle(false)}>
    Cancel
  </Button>
);
