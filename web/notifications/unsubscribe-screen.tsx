import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { UnsubscribedView } from "#api/dashboard/shapes.ts";
import { Refusal } from "../request.ts";
import { SubmitButton } from "../sign-in/fields.tsx";
import { Problems } from "../sign-in/problems.tsx";
import { useLinkToken } from "../sign-in/requests.ts";
import { Door } from "../sign-in/sign-in-frame.tsx";
import { useUnsubscribe } from "./notification-settings.ts";

/** The link at the end of a letter leads here. Opening it does nothing yet: programs that scan mail open links too. */
export default function UnsubscribeScreen() {
  const { token } = useLinkToken();
  const unsubscribe = useUnsubscribe();
  const { data, error } = unsubscribe;
  if (data !== undefined) return <Ended letters={data.letters} />;
  // Nothing else is asked here that could be wrong.
  const isNoLink = error instanceof Refusal && error.status < 500 && error.status !== 429;
  if (token === "" || isNoLink) return <NoLink />;
  return (
    <Door
      title="Unsubscribe"
      lead="One click, and letters of this sort about your credits stop. Nothing else of your account changes."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!unsubscribe.isPending) unsubscribe.mutate(token);
        }}
      >
        <Problems faults={{}} error={error} attempt={unsubscribe.failureCount} />
        <SubmitButton
          busy={unsubscribe.isPending}
          words="Stop these letters"
          busyWords="Stopping"
        />
      </form>
    </Door>
  );
}

const SORTS: Record<UnsubscribedView["letters"], string> = {
  low: "a low balance, or about none being left",
  expiring: "credits that are about to expire",
};

const Ended = ({ letters }: UnsubscribedView) => (
  <Door
    title="These letters have stopped"
    lead={<>You get no more letters about {SORTS[letters]}.</>}
  >
    <Text mt="md">
      You can switch them on again at any time: sign in, and go to Settings, Notices.
    </Text>
    <ToNotices>Go to Notices</ToNotices>
  </Door>
);

const NoLink = () => (
  <Door
    title="This link does not work"
    lead="It is not complete, or no longer good. Open it once more out of the newest letter, or choose under Settings, Notices which letters you get."
  >
    <ToNotices>Go to Notices</ToNotices>
  </Door>
);

const ToNotices = ({ children }: { children: ReactNode }) => (
  <Button
    renderRoot={(props) => <Link to="/settings/notices" {...props} />}
    mt="lg"
    size="md"
    variant="default"
  >
    {children}
  </Button>
);
