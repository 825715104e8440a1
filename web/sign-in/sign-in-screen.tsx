import { Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useNext, useSearchText } from "../addresses.ts";
import { Alert } from "../parts/alert.tsx";
import { explain } from "../parts/message.tsx";
import { useVisitor } from "../queries.ts";
import { ProblemDetails } from "../request.ts";
import { useSignInElsewhere } from "./await-sign-in.ts";
import { checkEmail, checkPassword } from "./field-checks.ts";
import { EmailField, PasswordField, SubmitButton } from "./fields.tsx";
import { knownAddress } from "./known-address.ts";
import { useOffer } from "./offer.ts";
import { PasskeySignIn } from "./passkey-sign-in.tsx";
import { Problems } from "./problems.tsx";
import { Providers } from "./providers.tsx";
import { useSendVerification, useSignIn } from "./requests.ts";
import { SendAgain } from "./send-again.tsx";
import { RedirectToNext, SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

export default function SignInScreen() {
  const visitor = useVisitor();
  const offer = useOffer();
  const next = useNext();
  if (visitor.data?.user) return <RedirectToNext next={next} />;
  return <SignInForm next={next} open={offer.signUp !== "closed"} />;
}

function SignInForm({ next, open }: { next: string; open: boolean }) {
  const signIn = useSignIn();
  const navigate = useNavigate();
  const form = useForm(
    { email: checkEmail, password: checkPassword },
    async (texts) => {
      const order = { email: texts.email.trim(), password: texts.password };
      knownAddress.set(order.email);
      const { secondFactor = false } = await signIn.mutateAsync(order);
      if (secondFactor) await navigate({ to: "/confirm-sign-in", search: { next } });
      // Otherwise `SignInScreen` re-renders with the session and redirects.
    },
    { email: knownAddress.get() },
  );
  const unverified =
    form.error instanceof ProblemDetails && form.error.code === "EMAIL_NOT_VERIFIED";
  return (
    <SignInFrame title="Sign in">
      <ProviderProblem />
      <Providers next={next} />
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        {unverified ? (
          <Unverified email={form.texts.email.trim()} />
        ) : (
          <Problems fieldErrors={form.fieldErrors} error={form.error} attempt={form.attempt} />
        )}
        <EmailField {...form.field("email")} suggestsPasskeys />
        <PasswordField {...form.field("password")} isNew={false} label="Password" />
        <SubmitButton busy={form.busy} label="Sign in" busyLabel="Signing in" />
      </form>
      <PasskeySignIn />
      <div className="tb-sign-in-foot">
        <p>
          <Link to="/forgot-password">Forgot password?</Link>
        </p>
        {open && (
          <p>
            New here? <Link to="/sign-up">Sign up</Link>
          </p>
        )}
      </div>
    </SignInFrame>
  );
}

/** The password was right, so this browser keeps it: confirming the address in another tab signs in here too. */
function Unverified({ email }: { email: string }) {
  const send = useSendVerification();
  useSignInElsewhere();
  return (
    <Alert color="accent" role="alert" title="Confirm your email address first">
      <Text size="sm" mb="sm" className="tb-break">
        Open the link in the email that we sent to {email}. In this browser, it signs you in.
      </Text>
      <SendAgain
        pending={send.isPending}
        sentAlready={false}
        onSend={() => send.mutateAsync(email)}
      />
      {send.isError && (
        <Text size="sm" c="red" mt="sm">
          {explain(send.error).detail}
        </Text>
      )}
    </Alert>
  );
}

/** A failed sign-in at a provider returns here, with the error code in the URL. */
function ProviderProblem() {
  const reason = useSearchText("error");
  if (reason === "") return null;
  return (
    <Alert color="red" role="alert" title="Sign-in failed" className="tb-alert-top">
      {Object.hasOwn(PROVIDER_PROBLEMS, reason) ? PROVIDER_PROBLEMS[reason] : OTHER_PROBLEM}
    </Alert>
  );
}

const PROVIDER_PROBLEMS: Record<string, string> = {
  access_denied: "You did not grant access. Try again, or use your email address and password.",
};
const OTHER_PROBLEM =
  "The provider could not sign you in. Try again, or use your email address and password.";
