import { Box, Button, Text, TextInput } from "@mantine/core";
import { type HistoryState, useNavigate, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { StartedView } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";
import { nextPage, useNext, useSearchText } from "../addresses.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { AgreementLine } from "../parts/legal-links.tsx";
import { Failure, Message } from "../parts/message.tsx";
import { timeText } from "../parts/numbers.ts";
import { useVisitor } from "../queries.ts";
import { ProblemDetails } from "../request.ts";
import { CodeForm } from "./code-form.tsx";
import { PasskeySignIn } from "./passkey-sign-in.tsx";
import { Providers } from "./providers.tsx";
import { useSendCode, useSignInByCode } from "./requests.ts";
import { SendAgain } from "./send-again.tsx";
import { RedirectToNext, SignInFrame } from "./sign-in-frame.tsx";
import { useEmailField } from "./use-email-field.tsx";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The address to which the sign-in page has sent a code. In the history, so that Back and a reload work, and in no URL. */
    codeSentTo?: string;
    /** When, and what the service said of it. */
    sentAt?: number;
    started?: StartedView;
  }
}

/** Signs up and in: asks for an address, then for the code that was emailed to it. */
export default function SignInScreen(): ReactNode {
  const user = useVisitor().data?.user ?? null;
  const next = useNext();
  const [isNew, setNew] = useState(false);
  const [hasUsedPasskey, setUsedPasskey] = useState(false);
  const isPasskeyRequired = useSearchText("error") === "passkey_required";
  const state = useRouterState({ select: ({ location }) => location.state });
  // Kept here, so that Back finds it in the field.
  const [email, setEmail] = useState(state.codeSentTo ?? "");
  // A browser that is signed in as another user stays to read that the account needs its passkey.
  if (user !== null && (!isPasskeyRequired || hasUsedPasskey))
    return <RedirectToNext next={next} isNew={isNew} />;
  return state.codeSentTo === undefined ? (
    <AddressStep
      email={email}
      onEmail={setEmail}
      next={next}
      isPasskeyRequired={isPasskeyRequired}
      onPasskey={() => setUsedPasskey(true)}
    />
  ) : (
    <CodeStep email={state.codeSentTo} state={state} onEntered={setNew} />
  );
}

function AddressStep(props: {
  email: string;
  onEmail: (email: string) => void;
  next: string;
  isPasskeyRequired: boolean;
  onPasskey: () => void;
}) {
  const { email, next } = props;
  const visitor = useVisitor().data;
  const send = useSendCode();
  const showCodeStep = useCodeStep();
  const isClosed = useSearchText("closed") !== "";
  const { onSubmit, field, failure } = useEmailField({
    ...{ email, onEmail: props.onEmail, send },
    onSubmit(codeSentTo) {
      nextPage.remember(next);
      send.mutate(codeSentTo, { onSuccess: (started) => showCodeStep({ codeSentTo, started }) });
    },
  });
  const hasSeveral = send.error instanceof ProblemDetails && send.error.code === "too_many_emails";
  return (
    <SignInFrame title="Sign in" lead="Enter your email address to get a code. No password needed.">
      {isClosed && (
        <Box mt="md">
          <Message tone="ok" role="status" title="Your account is closed.">
            Your keys have stopped working, and your personal data is deleted.
          </Message>
        </Box>
      )}
      <ProviderProblem />
      <form onSubmit={onSubmit} noValidate>
        {failure}
        {hasSeveral && (
          <Button
            variant="default"
            size="md"
            onClick={() => showCodeStep({ codeSentTo: email.trim() })}
          >
            Enter the newest code
          </Button>
        )}
        <TextInput
          {...field}
          id="email"
          size="md"
          label="Email address"
          autoFocus
          // Browsers offer passkeys among the suggestions of the field.
          autoComplete="email webauthn"
          inputMode="email"
        />
        <BusyButton type="submit" size="md" busy={send.isPending} busyLabel="Sending">
          Continue
        </BusyButton>
      </form>
      {visitor !== undefined && (
        <>
          <PasskeySignIn
            visitor={visitor}
            isRequired={props.isPasskeyRequired}
            onSignedIn={props.onPasskey}
          />
          <Providers providers={visitor.providers} next={next} />
          <div className="tb-sign-in-foot">
            <p>{newcomerText(visitor)}</p>
            <AgreementLine by="continuing" />
          </div>
        </>
      )}
    </SignInFrame>
  );
}

/** Shows the step of the code, in a history entry that has what the step needs. */
function useCodeStep() {
  const navigate = useNavigate();
  return (sent: { codeSentTo: string; started?: StartedView; replace?: boolean }) => {
    const { replace = false, ...shown } = sent;
    const state = { ...shown, sentAt: Date.now() };
    void navigate({ to: "/sign-in", search: true, replace, state });
  };
}

function newcomerText(visitor: NonNullable<ReturnType<typeof useVisitor>["data"]>) {
  const { signUp, starter, hasFreeCall } = visitor;
  if (signUp === "closed") {
    return "The operator of this service creates the accounts. Ask them for one.";
  }
  const account = "New here? Signing in creates your account";
  if (starter.credits === 0)
    return hasFreeCall ? `${account}, and your first call is free.` : `${account}.`;
  const credits = `${counted(starter.credits, "credit")} that ${starter.credits === 1 ? "is" : "are"} valid for ${counted(starter.days, "day")}`;
  return hasFreeCall
    ? `${account}: a free first call, then ${credits}.`
    : `${account}, with ${credits}.`;
}

function CodeStep(props: {
  email: string;
  state: Pick<HistoryState, "sentAt" | "started">;
  /** Learns whether the account is new. */
  onEntered: (isNew: boolean) => void;
}) {
  const { email } = props;
  const signIn = useSignInByCode(props.onEntered);
  const { sentAt = 0, started } = props.state;
  const showCodeStep = useCodeStep();
  const visitor = useVisitor().data;
  const send = useSendCode();
  const { signUpsFrom = null, signInsFrom = null } = started ?? {};
  const needsPasskey =
    signIn.error instanceof ProblemDetails && signIn.error.code === "passkey_required";
  return (
    <SignInFrame
      title="Check your email"
      waitsFor="mail"
      lead={
        <>
          {visitor?.signUp === "closed" ? "If you have an account, we have sent" : "We have sent"} a
          code to <strong>{email}</strong>. It can take a few minutes. Check your spam folder too.
        </>
      }
    >
      {visitor?.emailsStayHere === true && (
        <Text mt="md" size="sm" c="dimmed">
          This service has no mail server configured. It writes its emails to the{" "}
          <code>outbox</code> folder in its data directory.
        </Text>
      )}
      <Held until={signUpsFrom} whom="new addresses" />
      <Held until={signInsFrom} whom="addresses that have an account" />
      <CodeForm submit={signIn} label="Sign in" busyLabel="Signing in" />
      {needsPasskey && visitor !== undefined && <PasskeySignIn visitor={visitor} isRequired />}
      {send.isError && <Failure error={send.error} />}
      <div className="tb-sign-in-foot">
        <SendAgain
          send={send}
          email={email}
          sentAt={sentAt}
          onSent={(started) => {
            signIn.reset();
            showCodeStep({ codeSentTo: email, started, replace: true });
          }}
        />
        <p>
          Wrong address?{" "}
          <button type="button" className="tb-link" onClick={() => history.back()}>
            Enter a different one
          </button>
        </p>
      </div>
    </SignInFrame>
  );
}

/** So many codes were requested that the service sends no more for now. */
const Held = ({ until, whom }: { until: number | null; whom: string }) =>
  until !== null && (
    <Box mt="md">
      <Message tone="warn" role="status">
        So many codes were requested that we send none to {whom} until {timeText(until)}. Passkeys
        and linked sign-ins still work.
      </Message>
    </Box>
  );

/** A failed sign-in at a provider returns here, with the error code in the URL. */
function ProviderProblem() {
  const reason = useSearchText("error");
  if (reason === "") return null;
  return (
    <Box mt="md">
      <Message tone="bad" role="alert" title="Sign-in failed.">
        {Object.hasOwn(PROVIDER_PROBLEMS, reason) ? PROVIDER_PROBLEMS[reason] : OTHER_PROBLEM}
      </Message>
    </Box>
  );
}

const PROVIDER_PROBLEMS: Record<string, string> = {
  access_denied: "You did not grant access. Try again, or use your email address.",
  email_not_verified:
    "The provider has not verified your email address. Verify it there, or use it here to get a code.",
  passkey_required: "This account requires a passkey. Sign in with yours.",
  sign_up_closed: "There is no account with this address, and sign-up is closed.",
};
const OTHER_PROBLEM = "The provider could not sign you in. Try again, or use your email address.";
