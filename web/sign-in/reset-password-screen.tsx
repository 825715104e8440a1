import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ProblemDetails } from "../request.ts";
import { checkNewPassword } from "./error-text.ts";
import { PasswordField, SubmitButton } from "./fields.tsx";
import { Problems } from "./problems.tsx";
import { useLinkToken, useResetPassword } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";
import { useSearchText } from "./use-search.ts";

/** The link of the letter leads here, with a token that works once; or with `error` where it works no more. */
export default function ResetPasswordScreen() {
  const { token, forget } = useLinkToken();
  const broken = useSearchText("error") !== "" || token === "";
  const [done, setDone] = useState(false);
  const reset = useResetPassword();
  const form = useForm({ password: checkNewPassword }, async (texts) => {
    await reset.mutateAsync({ token, newPassword: texts.password });
    forget();
    setDone(true);
  });
  if (done) return <Done />;
  if (broken || isSpent(form.error)) return <SpentLink />;
  return (
    <SignInFrame
      title="Choose a new password"
      lead="Afterwards you are signed out everywhere and sign in with the new password."
    >
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems faults={form.faults} error={form.error} attempt={form.attempt} />
        <PasswordField {...form.field("password")} isNew label="New password" />
        <SubmitButton busy={form.busy} words="Set the password" busyWords="Setting" />
      </form>
    </SignInFrame>
  );
}

const isSpent = (error: unknown): boolean =>
  error instanceof ProblemDetails && ["INVALID_TOKEN", "TOKEN_EXPIRED"].includes(error.code);

const Done = () => (
  <SignInFrame title="Your password is set" lead="Sign in with it to go on.">
    <Button renderRoot={(props) => <Link to="/sign-in" {...props} />} mt="lg" size="md">
      Sign in
    </Button>
  </SignInFrame>
);

const SpentLink = () => (
  <SignInFrame
    title="This link works no more"
    lead="A link to a new password works once and for one hour. Ask for a new one; your old password still holds until you set another."
  >
    <Button renderRoot={(props) => <Link to="/forgot-password" {...props} />} mt="lg" size="md">
      Send me a new link
    </Button>
    <div className="tb-door-foot">
      <p>
        <Link to="/sign-in">Back to sign in</Link>
      </p>
    </div>
  </SignInFrame>
);
