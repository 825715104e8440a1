import { Button, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { StartedView } from "#api/dashboard/shapes.ts";
import type { useSendCode } from "./requests.ts";

const WAIT_MS = 60_000;

/** Resends the email with a code, a minute after the last one. `sentAt`: when another mutation than `send` sent it, or 0. */
export function SendAgain(props: {
  send: ReturnType<typeof useSendCode>;
  email: string;
  sentAt: number;
  /** Learns what the service said. */
  onSent: (started: StartedView) => void;
}) {
  const { send, email, sentAt } = props;
  const resentAt = send.isSuccess ? send.submittedAt : 0;
  const secondsLeft = useSecondsUntil(Math.max(sentAt, resentAt) + WAIT_MS);
  const label = send.isPending ? "Sending" : "Resend email";
  return (
    <div className="tb-send-again">
      <Button
        variant="default"
        aria-busy={send.isPending}
        aria-disabled={secondsLeft > 0}
        onClick={() => secondsLeft > 0 || send.mutate(email, { onSuccess: props.onSent })}
      >
        {secondsLeft > 0 ? `Resend in ${secondsLeft} s` : label}
      </Button>
      <Text role="status" size="sm" c="dimmed">
        {send.isSuccess ? "Sent. Check your inbox and your spam folder." : ""}
      </Text>
    </div>
  );
}

function useSecondsUntil(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= until) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil((until - Math.max(now, until - WAIT_MS)) / 1_000));
}
