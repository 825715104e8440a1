import { Button, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Section } from "../parts/section.tsx";

/** The steps to the first call, for users without a key. */
export function FirstSteps({ confirmed, freeCall }: { confirmed: boolean; freeCall: boolean }) {
  return (
    <Section title="Get started">
      <ol className="tb-steps">
        <Step number={1} title="Confirm your email address" state={confirmed ? "done" : "current"}>
          {confirmed ? "Done." : "Open the link in the email that we sent you."}
        </Step>
        <Step number={2} title="Create an API key" state={confirmed ? "current" : "later"}>
          The key is shown only once, so have a safe place ready to store it.
          {confirmed && (
            <div>
              <Button component={Link} to="/settings/api-keys" mt="sm">
                Go to API keys
              </Button>
            </div>
          )}
        </Step>
        <Step number={3} title="Make a call" state="later">
          Paste the sample call into a terminal.
          {freeCall && " Your first successful call is free."}
        </Step>
      </ol>
      <Text size="sm" c="dimmed">
        You can <Link to="/tools">try every tool in the browser</Link> without a key.
      </Text>
    </Section>
  );
}

const CheckIcon = () => (
  <svg width="16" height="16" viewBox="0 0 16 16" fill="none" aria-hidden="true">
    <path
      d="M3.5 8.500l3 3 6-6.500"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
    />
  </svg>
);

function Step(props: {
  number: number;
  title: string;
  state: "done" | "current" | "later";
  children: ReactNode;
}) {
  const { state } = props;
  return (
    <li data-done={state === "done"} aria-current={state === "current" ? "step" : undefined}>
      <span className="tb-step-number" aria-hidden="true">
        {state === "done" ? <CheckIcon /> : props.number}
      </span>
      <div>
        <Title order={3}>{props.title}</Title>
        <Text component="div" c="dimmed" mt={2}>
          {props.children}
        </Text>
      </div>
    </li>
  );
}
