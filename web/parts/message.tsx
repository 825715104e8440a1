import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { isUnavailable, OfflineError, ProblemDetails } from "../request.ts";
import type { Tone } from "./tone.ts";
import "./records.css";

/**
 * A highlighted sentence or two, with an optional action. `live`: screen readers announce it when it appears. `plain`: a frame
 * without a colour, where the page already shows a coloured banner.
 */
export function Message(props: {
  tone: Tone | "plain";
  title?: string;
  live?: boolean;
  role?: "alert" | "status";
  action?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div
      className="tb-message"
      data-tone={props.tone}
      role={props.live === true ? "status" : props.role}
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
  // The frame already shows a coloured banner while the service is unreachable, and what is unavailable comes back by itself.
  const isPlain = error instanceof OfflineError || isUnavailable(error);
  return (
    <Message
      tone={isPlain ? "plain" : "bad"}
      title={`${title}.`}
      role="alert"
      action={
        onRetry !== undefined && (
          <Button size="sm" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {detail} {hint}
      {requestId !== null && (
        <>
          {" "}
          Request ID: <code>{requestId}</code>
        </>
      )}
    </Message>
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
  const detail = passkeyProblem(error);
  if (detail !== undefined) return { title: "The passkey was not used", detail };
  return {
    title: "Something went wrong on this page",
    detail: "Try again. If the problem persists, reload the page.",
  };
}

/** The sentence for an error of the browser's dialog for passkeys, which has a code where @simplewebauthn/browser recognizes it. */
function passkeyProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error ? error.code : undefined;
  if (code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED") {
    return "This device already has a passkey for your account.";
  }
  if (code === "ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT") {
    return "This device cannot verify who you are. Use one with a PIN, a fingerprint or a screen lock.";
  }
  return error.name === "NotAllowedError" || typeof code === "string"
    ? "The dialog was closed, or it took too long. Try again."
    : undefined;
}
