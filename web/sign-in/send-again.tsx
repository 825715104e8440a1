import { Button, Text } from "@mantine/core";
import { useEffect, useState } from "react";

const WAIT_MS = 60_000;

/** Sends a letter again, at most once a minute, and says when it may. */
export function SendAgain({
  onSend,
  pending,
  sentAlready = true,
}: {
  onSend: () => Promise<unknown>;
  pending: boolean;
  /** Whether a letter has just gone out, so that the wait has begun. */
  sentAlready?: boolean;
}) {
  const [left, start] = useCountdown(sentAlready);
  const [again, setAgain] = useState(false);
  async function send() {
    if (pending || left > 0) return;
    setAgain(false);
    try {
      await onSend();
      start();
      setAgain(true);
    } catch {
      // Whoever handed `onSend` in shows what went wrong.
    }
  }
  const words = pending ? "Sending" : "Send the letter again";
  return (
    <div className="tb-send-again">
      <Button
        variant="default"
        aria-busy={pending}
        aria-disabled={left > 0}
        onClick={() => void send()}
      >
        {left > 0 ? `Send again in ${left} s` : words}
      </Button>
      <Text role="status" size="sm" c="dimmed">
        {again ? "Sent. Look into your mail, the spam folder too." : ""}
      </Text>
    </div>
  );
}

/** Until the deadline that `start` sets. */
function useCountdown(begun: boolean): [left: number, start: () => void] {
  const [until, setUntil] = useState(() => (begun ? Date.now() + WAIT_MS : 0));
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
