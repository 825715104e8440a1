import { Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { isUnavailable, OfflineError, ProblemDetails } from "../request.ts";
import { Alert } from "./alert.tsx";
import type { Tone } from "./tone.ts";
import "./records.css";

/** A highlighted sentence or two, with an optional action. Screen readers announce it when `live` is set. */
export function Message(props: {
  tone: Tone;
  title?: string;
  live?: boolean;
  action?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div
      className="tb-message"
      data-tone={props.tone}
      role={props.live === true ? "status" : undefined}
    >
      <div>
        {props.title !== undefined && <strong>{props.title} </strong>}
        {props.children}
      </div>
      {props.action}
    </div>
  );
}

/** An error in place of the content that could not be shown, with a button to retry. `hint`: what happens next. */
export function Failure({
  error,
  onRetry,
  hint,
}: {
  error: unknown;
  onRetry?: (() => void) | undefined;
  hint?: string | undefined;
}) {
  const { title, detail } = explain(error);
  const requestId = error instanceof ProblemDetails ? error.requestId : null;
  return (
    <Alert
      color="red"
      // The frame already shows a coloured banner while the service is unreachable, and what is unavailable comes back by itself.
      plain={error instanceof OfflineError || isUnavailable(error)}
      title={title}
      role="alert"
      className="tb-failure"
    >
      <Text size="sm">
        {detail} {hint}
      </Text>
      {requestId !== null && (
        <Text size="sm" mt="xs" c="dimmed">
          Request ID: <code>{requestId}</code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Button mt="sm" size="sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

function titleOf(error: ProblemDetails): string {
  if (isUnavailable(error)) return "Temporarily unavailable";
  return error.status >= 500
    ? "Something went wrong on our side"
    : "We could not complete your request";
}

/** The title and the sentence that the pages show for an error. */
export function explain(error: unknown): { title: string; detail: string } {
  if (error instanceof OfflineError) {
    return {
      title: "The service cannot be reached",
      detail: "Check your connection. This page reconnects automatically.",
    };
  }
  if (error instanceof ProblemDetails) {
    return { title: titleOf(error), detail: error.detail };
  }
  return {
    title: "Something went wrong on this page",
    detail: "Try again. If the problem persists, reload the page.",
  };
}
