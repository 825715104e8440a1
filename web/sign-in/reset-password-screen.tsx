import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useSearchText } from "../addresses.ts";
import { ProblemDetails } from "../request.ts";
import { checkNewPassword } from "./field-checks.ts";
import { PasswordField, SubmitButton } from "./fields.tsx";
import { Problems } from "./problems.tsx";
import { useLinkToken, useResetPassword } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

/** The target of the link in the email, with a single-use token, or with `error` if the link is no longer valid. */
export default function ResetPasswordScreen() {
  const { token, forget } = useLinkToken();
  const isLinkInvalid = useSearchText("error") !== "" || token === "";
  const [done, setDone] = useState(false);
  const reset = useResetPassword();
  const form = useForm({ password: checkNewPassword }, async (texts) => {
    await reset.mutateAsync({ token, newPassword: texts.password });
    forget();
    setDone(true);
  });
  if (done) return <Done />;
  if (isLinkInvalid || isExpired(form.error)) return <ExpiredLink />;
  return (
    <SignInFrame
      title="Choose a new password"
      lead="This signs you out everywhere. Then sign in with your new password."
    >
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems fieldErrors={form.fieldErrors} error={form.error} attempt={form.attempt} />
        <PasswordField {...form.field("password")} isNew label="New password" />
        <SubmitButton busy={form.busy} label="Set password" busyLabel="Saving" />
      </form>
    </SignInFrame>
  );
}

const isExpired = (error: unknown): boolean =>
  error instanceof ProblemDetails && ["INVALID_TOKEN", "TOKEN_EXPIRED"].includes(error.code);

const Done = () => (
  <SignInFrame title="Password changed" lead="You can now sign in with your new password.">
    <Button renderRoot={(props) => <Link to="/sign-in" {...props} />} mt="lg" size="md">
      Sign in
    </Button>
  </SignInFrame>
);

const ExpiredLink = () => (
  <SignInFrame
    title="This link is no longer valid"
    lead="A password reset link works once, within one hour. Request a new one. Until you set a new password, your old one still works."
  >
    <Button renderRoot={(props) => <Link to="/forgot-password" {...props} />} mt="lg" size="md">
      Request a new link
    </Button>
    <div className="tb-sign-in-foot">
      <p>
        <Link to="/sign-in">Back to sign in</Link>
      </p>
    </div>
  </SignInFrame>
);
