import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { UnsubscribedView } from "#api/dashboard/shapes.ts";
import { ProblemDetails } from "../request.ts";
import { SubmitButton } from "../sign-in/fields.tsx";
import { Problems } from "../sign-in/problems.tsx";
import { useLinkToken } from "../sign-in/requests.ts";
import { SignInFrame } from "../sign-in/sign-in-frame.tsx";
import { useUnsubscribe } from "./notification-settings.ts";

/** The link at the end of a letter leads here. Opening it does nothing yet: programs that scan mail open links too. */
export default function UnsubscribeScreen() {
  const { token } = useLinkToken();
  const unsubscribe = useUnsubscribe();
  const { data, error } = unsubscribe;
  if (data !== undefined) return <Ended emails={data.emails} />;
  // Nothing else is asked here that could be wrong.
  const isNoLink = error instanceof ProblemDetails && error.status < 500 && error.status !== 429;
  if (token === "" || isNoLink) return <NoLink />;
  return (
    <SignInFrame
      title="Unsubscribe"
      lead="One click, and letters of this sort about your credits stop. Nothing else of your account changes."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!unsubscribe.isPending) unsubscribe.mutate(token);
        }}
      >
        <Problems fieldErrors={{}} error={error} attempt={unsubscribe.failureCount} />
        <SubmitButton
          busy={unsubscribe.isPending}
          words="Stop these letters"
          busyLabel="Stopping"
        />
      </form>
    </SignInFrame>
  );
}

const SORTS: Record<UnsubscribedView["emails"], string> = {
  low: "a low balance, or about none being left",
  expiring: "credits that are about to expire",
};

const Ended = ({ emails }: UnsubscribedView) => (
  <SignInFrame
    title="These letters have stopped"
    lead={<>You get no more letters about {SORTS[emails]}.</>}
  >
    <Text mt="md">
      You can switch them on again at any time: sign in, and go to Settings, Notices.
    </Text>
    <ToNotifications>Go to Notices</ToNotifications>
  </SignInFrame>
);

const NoLink = () => (
  <SignInFrame
    title="This link does not work"
    lead="It is not complete, or no longer good. Open it once more out of the newest letter, or choose under Settings, Notices which letters you get."
  >
    <ToNotifications>Go to Notices</ToNotifications>
  </SignInFrame>
);

const ToNotifications = ({ children }: { children: ReactNode }) => (
  <Button
    renderRoot={(props) => <Link to="/settings/notifications" {...props} />}
    mt="lg"
    size="md"
    variant="default"
  >
    {children}
  </Button>
);
