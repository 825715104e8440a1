import { Button } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useSearchText } from "../addresses.ts";
import { useVisitor } from "../queries.ts";
import { ProblemDetails } from "../request.ts";
import { checkNewPassword } from "./field-checks.ts";
import { PasswordField, SubmitButton } from "./fields.tsx";
import { knownAddress } from "./known-address.ts";
import { Problems } from "./problems.tsx";
import { useLinkToken, useResetPassword, useSignIn } from "./requests.ts";
import { RedirectToNext, SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

/**
 * The target of the link in the email, with a single-use token, or with `error` if the link is no longer valid. The page that
 * confirms an address leads here too, with the address: then the new password signs in as well.
 */
export default function ResetPasswordScreen() {
  const { token, email, forget } = useLinkToken();
  const isLinkInvalid = useSearchText("error") !== "" || token === "";
  const user = useVisitor().data?.user ?? null;
  const [isDone, setIsDone] = useState(false);
  const choose = useChoosePassword(token, email);
  const form = useForm({ password: checkNewPassword }, async (texts) => {
    await choose(texts.password);
    forget();
    knownAddress.set(email);
    setIsDone(true);
  });
  if (isDone && email !== "" && user !== null) return <RedirectToNext next="/home" />;
  if (isDone) return <Done />;
  if (isLinkInvalid || isExpired(form.error)) return <ExpiredLink />;
  return (
    <SignInFrame
      title={email === "" ? "Choose a new password" : "Choose your password"}
      lead={
        email === "" ? (
          "This signs you out everywhere. Then sign in with your new password."
        ) : (
          <>
            <strong>{email}</strong> is confirmed. The password from the sign-up was removed,
            because it was chosen in another browser and might not be yours.
          </>
        )
      }
    >
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems fieldErrors={form.fieldErrors} error={form.error} attempt={form.attempt} />
        {/* Tells password managers whose password this is. */}
        {email !== "" && (
          <input type="text" name="email" autoComplete="username" value={email} readOnly hidden />
        )}
        <PasswordField {...form.field("password")} isNew label="New password" />
        <SubmitButton
          busy={form.busy}
          label={email === "" ? "Set password" : "Set password and sign in"}
          busyLabel="Saving"
        />
      </form>
    </SignInFrame>
  );
}

/** Sets the password. With an address it then signs in, by the ordinary sign-in, so that nothing of it is bypassed. */
function useChoosePassword(token: string, email: string) {
  const reset = useResetPassword();
  const signIn = useSignIn();
  const navigate = useNavigate();
  return async (newPassword: string) => {
    const setting = reset.mutateAsync({ token, newPassword });
    // The password may be set although its response was lost. The sign-in shows which.
    await setting.catch((error: unknown) => {
      if (email === "" || !isExpired(error)) throw error;
    });
    if (email === "") return;
    const order = { email, password: newPassword };
    const { secondFactor = false } = await signIn.mutateAsync(order).catch(async (error) => {
      await setting;
      // The password is set. The page says so and leads to the sign-in, where this error shows up again.
      if (error instanceof ProblemDetails) return { secondFactor: false };
      throw error;
    });
    if (secondFactor) await navigate({ to: "/confirm-sign-in", search: { next: "/home" } });
  };
}

const isExpired = (error: unknown): boolean =>
  error instanceof ProblemDetails && ["INVALID_TOKEN", "TOKEN_EXPIRED"].includes(error.code);

const Done = () => (
  <SignInFrame title="Password changed" done lead="You can now sign in with your new password.">
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
