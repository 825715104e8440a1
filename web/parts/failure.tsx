import { Alert, Button, Text } from "@mantine/core";
import { Offline, ProblemDetails } from "../request.ts";

/** What went wrong where something should stand, and a way to try again. */
export function Failure({
  error,
  onRetry,
}: {
  error: unknown;
  onRetry?: (() => void) | undefined;
}) {
  const { title, detail } = explain(error);
  const requestId = error instanceof ProblemDetails ? error.requestId : null;
  return (
    <Alert
      color="red"
      // The frame says it in colour already.
      variant={error instanceof Offline ? "default" : "light"}
      title={title}
      role="alert"
      className="tb-failure"
    >
      <Text size="sm">{detail}</Text>
      {requestId !== null && (
        <Text size="sm" mt="xs" c="dimmed">
          Request id: <code>{requestId}</code>
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

export function explain(error: unknown): { title: string; detail: string } {
  if (error instanceof Offline) {
    return {
      title: "The service cannot be reached",
      detail: "Check your connection. This page tries again by itself.",
    };
  }
  if (error instanceof ProblemDetails) {
    const title = error.status >= 500 ? "Something went wrong on our side" : "That did not work";
    return { title, detail: error.detail };
  }
  return {
    title: "Something went wrong on this page",
    detail: "Try again; if it stays, reload the page.",
  };
}
