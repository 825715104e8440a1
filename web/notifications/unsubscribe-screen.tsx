import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { UnsubscribedView } from "#api/dashboard/shapes.ts";
import { useSearchText } from "../addresses.ts";
import { useSend } from "../queries.ts";
import { ProblemDetails, request } from "../request.ts";
import { ConfirmForm, SignInFrame } from "../sign-in/sign-in-frame.tsx";

/** The target of the unsubscribe link in emails. */
export default function UnsubscribeScreen() {
  const token = useSearchText("token");
  // The token identifies the account, so no session is needed.
  const unsubscribe = useSend({
    mutationFn: () =>
      request<UnsubscribedView>(
        "POST",
        `/dashboard/notifications/unsubscribe?token=${encodeURIComponent(token)}`,
      ),
  });
  const { data, error } = unsubscribe;
  if (data !== undefined) return <Unsubscribed emails={data.emails} />;
  // The token is the only input, so a rejected request means that the link is invalid.
  const isInvalid = error instanceof ProblemDetails && error.status < 500 && error.status !== 429;
  if (token === "" || isInvalid) return <InvalidLink />;
  return (
    <SignInFrame
      title="Unsubscribe"
      lead="Click the button to stop emails of this kind about your credits. Nothing else about your account changes."
    >
      <ConfirmForm
        change={unsubscribe}
        action={["Unsubscribe", "Unsubscribing"]}
        onSubmit={() => unsubscribe.mutate()}
      />
    </SignInFrame>
  );
}

const TOPICS: Record<UnsubscribedView["emails"], string> = {
  low: "a low balance or having no credits left",
  expiring: "credits that are about to expire",
};

const Unsubscribed = ({ emails }: UnsubscribedView) => (
  <SignInFrame
    title="You are unsubscribed"
    waitsFor="notifications"
    lead={<>You will not receive any more emails about {TOPICS[emails]}.</>}
  >
    <Text mt="md">
      You can turn them on again at any time: sign in, then go to Settings, Notifications.
    </Text>
    <ToNotifications />
  </SignInFrame>
);

const InvalidLink = () => (
  <SignInFrame
    title="This link does not work"
    lead="It is incomplete or no longer valid. Open the link in the most recent email, or choose which emails you receive under Settings, Notifications."
  >
    <ToNotifications />
  </SignInFrame>
);

const ToNotifications = () => (
  <Button
    renderRoot={(props) => <Link to="/settings/notifications" {...props} />}
    mt="lg"
    size="md"
    variant="default"
  >
    Go to notification settings
  </Button>
);
