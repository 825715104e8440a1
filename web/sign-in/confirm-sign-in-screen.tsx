import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { WaitingView } from "#api/dashboard/shapes.ts";
import { useNext } from "../addresses.ts";
import { CodeField } from "../parts/factor-fields.tsx";
import { PasskeyFailure } from "../parts/passkey-failure.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { canUsePasskeys } from "../passkey-obstacle.ts";
import { useVisitor } from "../queries.ts";
import { ProblemDetails } from "../request.ts";
import { SubmitButton } from "./fields.tsx";
import { Problems } from "./problems.tsx";
import { useFinishByCode, usePasskeySignIn, useWaiting } from "./requests.ts";
import { RedirectToNext, SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

/** The second step of a sign-in with a password or a provider. */
export default function ConfirmSignInScreen() {
  const visitor = useVisitor();
  const next = useNext();
  const waiting = useWaiting();
  const [isOver, setIsOver] = useState(false);
  if (visitor.data?.user) return <RedirectToNext next={next} />;
  if (isOver || waiting.data?.methods === null) return <Expired next={next} />;
  return (
    <SignInFrame title="Confirm your sign-in">
      <QueryResult query={waiting} loading={<LoadingRows rows={2} height={56} />}>
        {({ methods }) =>
          methods !== null && <Steps methods={methods} next={next} onOver={() => setIsOver(true)} />
        }
      </QueryResult>
    </SignInFrame>
  );
}

function Steps(props: {
  methods: NonNullable<WaitingView["methods"]>;
  next: string;
  onOver: () => void;
}) {
  const { totp } = props.methods;
  const passkey = canUsePasskeys(useVisitor().data) && props.methods.passkey;
  const [kind, setKind] = useState<"totp" | "recovery" | null>(
    totp ? "totp" : passkey ? null : "recovery",
  );
  return (
    <>
      {passkey && <PasskeyStep />}
      {passkey && kind !== null && <div className="tb-or">or</div>}
      {kind !== null && <CodeForm key={kind} kind={kind} onOver={props.onOver} />}
      <div className="tb-sign-in-foot">
        {kind !== "recovery" && (
          <p>
            <Button variant="subtle" size="compact-sm" onClick={() => setKind("recovery")}>
              Use a recovery code instead
            </Button>
          </p>
        )}
        {kind === "recovery" && totp && (
          <p>
            <Button variant="subtle" size="compact-sm" onClick={() => setKind("totp")}>
              Use your authenticator app instead
            </Button>
          </p>
        )}
        <p>
          <Link to="/sign-in" search={{ next: props.next }}>
            Back to sign in
          </Link>
        </p>
      </div>
    </>
  );
}

function PasskeyStep() {
  const signIn = usePasskeySignIn();
  return (
    <div className="tb-providers">
      <Button
        size="md"
        fullWidth
        aria-busy={signIn.isPending}
        onClick={() => !signIn.isPending && signIn.mutate(false)}
      >
        Use a passkey
      </Button>
      {signIn.isError && <PasskeyFailure error={signIn.error} />}
    </div>
  );
}

const checkCode = (value: string) => (value.trim() === "" ? "Enter the code." : undefined);

function CodeForm({ kind, onOver }: { kind: "totp" | "recovery"; onOver: () => void }) {
  const finish = useFinishByCode();
  const form = useForm({ code: checkCode }, async ({ code }) => {
    await finish.mutateAsync({ code, kind }).catch((error: unknown) => {
      if (error instanceof ProblemDetails && error.code === "sign_in_again") return onOver();
      throw error;
    });
  });
  return (
    <form onSubmit={(event) => void form.submit(event)} noValidate>
      <Problems fieldErrors={form.fieldErrors} error={form.error} attempt={form.attempt} />
      <CodeField kind={kind} {...form.field("code")} />
      <SubmitButton busy={form.busy} label="Sign in" busyLabel="Signing in" />
    </form>
  );
}

const Expired = ({ next }: { next: string }) => (
  <SignInFrame title="Sign in again" lead="This sign-in has expired, or had too many wrong codes.">
    <Button
      renderRoot={(props) => <Link to="/sign-in" search={{ next }} {...props} />}
      mt="lg"
      size="md"
    >
      Sign in
    </Button>
  </SignInFrame>
);
