import { Button, Text } from "@mantine/core";
import { useEffect, useState } from "react";

const WAIT_MS = 60_000;

/** Resends an email at most once a minute, and counts down until the next time. */
export function SendAgain({
  onSend,
  pending,
  sentAlready = true,
}: {
  onSend: () => Promise<unknown>;
  pending: boolean;
  /** Whether an email was just sent, so that the countdown starts at once. */
  sentAlready?: boolean;
}) {
  const [secondsLeft, start] = useCountdown(sentAlready);
  const [isResent, setIsResent] = useState(false);
  async function send() {
    if (pending || secondsLeft > 0) return;
    setIsResent(false);
    try {
      await onSend();
      start();
      setIsResent(true);
    } catch {
      // The component that passed `onSend` shows the error.
    }
  }
  const label = pending ? "Sending" : "Resend email";
  return (
    <div className="tb-send-again">
      <Button
        variant="default"
        aria-busy={pending}
        aria-disabled={secondsLeft > 0}
        onClick={() => void send()}
      >
        {secondsLeft > 0 ? `Resend in ${secondsLeft} s` : label}
      </Button>
      <Text role="status" size="sm" c="dimmed">
        {isResent ? "Sent. Check your inbox and your spam folder." : ""}
      </Text>
    </div>
  );
}

/** The seconds until the next send is allowed. `start` begins a new countdown. */
function useCountdown(isStarted: boolean): [secondsLeft: number, start: () => void] {
  const [until, setUntil] = useState(() => (isStarted ? Date.now() + WAIT_MS : 0));
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (until <= Date.now()) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= until) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [until]);
  const start = () => {
    setNow(Date.now());
    setUntil(Date.now() + WAIT_MS);
  };
  return [Math.max(0, Math.ceil((until - now) / 1_000)), start];
}
