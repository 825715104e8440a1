import { Button, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { ProofMethod, ProofView } from "#api/dashboard/shapes.ts";
import { base } from "../addresses.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { CodeField } from "../parts/factor-fields.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { PasskeyFailure } from "../parts/passkey-failure.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { canUsePasskeys } from "../passkey-obstacle.ts";
import { signInByPasskey } from "../passkeys.ts";
import { proof } from "../proof.ts";
import { queryKeys, useVisitor } from "../queries.ts";
import { request } from "../request.ts";
import { providerName } from "../sign-in/providers.tsx";
import { useSocialSignIn } from "../sign-in/requests.ts";
import { useSignOut } from "../sign-in/sign-out.ts";
import "./account.css";

import { Secret } from "./password-section.tsx";

/** Asks the user to confirm their identity, and lets the requests go on that wait for it. */
export default function ProofDialog() {
  return (
    <TitledDialog title="Confirm that it is you" onClose={() => proof.settle(false)}>
      <ProofSteps />
    </TitledDialog>
  );
}

function ProofSteps() {
  const view = useQuery({
    queryKey: queryKeys.proof,
    queryFn: ({ signal }) => request<ProofView>("GET", "/dashboard/proof", undefined, signal),
    staleTime: 0,
    gcTime: 0,
  });
  const visitor = useVisitor().data;
  return (
    <QueryResult query={view} loading={<LoadingRows rows={2} height={56} />}>
      {({ email, methods }) => (
        <Methods
          email={email}
          methods={methods.filter((each) => each !== "passkey" || canUsePasskeys(visitor))}
        />
      )}
    </QueryResult>
  );
}

function Methods({ email, methods }: ProofView) {
  const [chosen, setChosen] = useState<ProofMethod | undefined>(methods[0]);
  const others = methods.filter((each) => each !== chosen);
  const body = useRef<HTMLDivElement>(null);
  // The dialog was opened before its content was loaded.
  useEffect(() => {
    if (chosen !== undefined) body.current?.querySelector<HTMLElement>("input, button")?.focus();
  }, [chosen]);
  return (
    <div ref={body}>
      <Text c="dimmed" size="sm">
        This protects your account in case someone else uses your browser. You are not asked again
        for ten minutes.
      </Text>
      {chosen === undefined ? <SignInAgain /> : <Step key={chosen} method={chosen} email={email} />}
      {others.length > 0 && (
        <div className="tb-proof-others">
          {others.map((each) => (
            <Button key={each} variant="subtle" size="compact-sm" onClick={() => setChosen(each)}>
              {NAMES[each] ?? `Continue with ${providerName(each)}`}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

const NAMES: Partial<Record<ProofMethod, string>> = {
  passkey: "Use a passkey instead",
  totp: "Use your authenticator app instead",
  recovery: "Use a recovery code instead",
  password: "Use your password instead",
};

function Step({ method, email }: { method: ProofMethod; email: string }) {
  switch (method) {
    case "passkey":
      return <PasskeyStep />;
    case "totp":
    case "recovery":
      return <CodeStep kind={method} />;
    case "password":
      return <PasswordStep email={email} />;
    default:
      return <ProviderStep provider={method} />;
  }
}

function useProve<Order>(send: (order: Order) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => {
      proof.settle(true);
      for (const queryKey of [queryKeys.sessions, queryKeys.events, queryKeys.factors])
        void client.invalidateQueries({ queryKey });
    },
  });
}

function PasskeyStep() {
  const prove = useProve(() => signInByPasskey());
  return (
    <>
      {prove.isError && <PasskeyFailure error={prove.error} />}
      <div className="tb-dialog-foot">
        <Cancel />
        <BusyButton
          busy={prove.isPending}
          busyLabel="Waiting"
          onClick={() => prove.mutate(undefined)}
        >
          Use a passkey
        </BusyButton>
      </div>
    </>
  );
}

function PasswordStep({ email }: { email: string }) {
  const [password, setPassword] = useState("");
  const prove = useProve((password: string) =>
    request("POST", "/dashboard/proof/password", { password }),
  );
  return (
    <ProofForm
      prove={prove}
      value={password}
      field={(error) => (
        <>
          <input type="hidden" autoComplete="username" value={email} />
          <Secret
            label="Your password"
            autoComplete="current-password"
            value={password}
            error={error}
            onChange={setPassword}
          />
        </>
      )}
      empty="Enter your password."
    />
  );
}

function CodeStep({ kind }: { kind: "totp" | "recovery" }) {
  const [code, setCode] = useState("");
  const prove = useProve((code: string) =>
    request("POST", "/dashboard/proof/code", { code, kind }),
  );
  return (
    <ProofForm
      prove={prove}
      value={code}
      field={(error) => <CodeField kind={kind} value={code} error={error} onChange={setCode} />}
      empty="Enter the code."
    />
  );
}

function ProofForm(props: {
  prove: { isPending: boolean; isError: boolean; error: unknown; mutate: (value: string) => void };
  value: string;
  field: (error: string | undefined) => ReactNode;
  empty: string;
}) {
  const { prove, value } = props;
  const [isSubmitted, setIsSubmitted] = useState(false);
  const error = isSubmitted && value.trim() === "" ? props.empty : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (value.trim() === "") return focusInvalidField(event.currentTarget);
    if (!prove.isPending) prove.mutate(value);
  };
  return (
    <form noValidate onSubmit={submit} className="tb-proof-form">
      {props.field(error)}
      {prove.isError && <PasskeyFailure error={prove.error} />}
      <div className="tb-dialog-foot">
        <Cancel />
        <BusyButton type="submit" busy={prove.isPending} busyLabel="Checking">
          Confirm
        </BusyButton>
      </div>
    </form>
  );
}

/** Leaves the page, so the user repeats the action after coming back. */
function ProviderStep({ provider }: { provider: Parameters<typeof providerName>[0] }) {
  const signIn = useSocialSignIn();
  const isKnown = provider === "github" || provider === "google";
  const next = `${location.pathname.slice(base().length)}${location.search}`;
  return (
    <>
      <Text size="sm" mt="md">
        Sign in with {providerName(provider)} again. You then come back to this page: repeat what
        you wanted to do.
      </Text>
      {signIn.isError && <PasskeyFailure error={signIn.error} />}
      <div className="tb-dialog-foot">
        <Cancel />
        <BusyButton
          busy={signIn.isPending}
          busyLabel="Opening"
          onClick={() => isKnown && signIn.mutate({ provider, next })}
        >
          Continue with {providerName(provider)}
        </BusyButton>
      </div>
    </>
  );
}

function SignInAgain() {
  const signOut = useSignOut();
  return (
    <>
      <Text size="sm" mt="md">
        Sign out and sign in again, then repeat what you wanted to do.
      </Text>
      <div className="tb-dialog-foot">
        <Cancel />
        <BusyButton
          busy={signOut.isPending}
          busyLabel="Signing out"
          onClick={() => signOut.mutate()}
        >
          Sign out
        </BusyButton>
      </div>
    </>
  );
}

const Cancel = () => (
  <Button variant="default" onClick={() => proof.settle(false)}>
    Cancel
  </Button>
);
