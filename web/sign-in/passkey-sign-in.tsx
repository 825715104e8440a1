import { Button, Text } from "@mantine/core";
import { useEffect } from "react";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { Failure } from "../parts/message.tsx";
import { passkeyObstacle, worksElsewhere } from "../passkey-obstacle.tsx";
import { ProblemDetails } from "../request.ts";
import { usePasskeySignIn } from "./requests.ts";

/** The server forgets a challenge after five minutes. */
const RENEW_MS = 4 * 60_000;

/**
 * A button for signing in with a passkey, and passkeys among the suggestions of the email field. `isRequired`: nothing else signs the
 * user in, so where passkeys do not work, the page says why.
 */
export function PasskeySignIn({
  visitor,
  isRequired,
  onSignedIn,
}: {
  visitor: Visitor;
  isRequired: boolean;
  onSignedIn?: () => void;
}) {
  const obstacle = passkeyObstacle(visitor);
  const canUse = obstacle === null;
  const signIn = usePasskeySignIn(onSignedIn);
  const suggested = useSuggestedPasskeys(canUse && !signIn.isPending, onSignedIn);
  if (!canUse) {
    return isRequired || worksElsewhere(visitor) ? (
      <Text mt="md" size="sm" c="dimmed">
        {obstacle}
      </Text>
    ) : null;
  }
  return (
    <div className="tb-providers">
      <Button
        variant="default"
        size="md"
        aria-busy={signIn.isPending}
        onClick={() => !signIn.isPending && signIn.mutate(false)}
      >
        Sign in with a passkey
      </Button>
      {(signIn.isError || suggested.isError) && <Failure error={signIn.error ?? suggested.error} />}
    </div>
  );
}

/** Waits for a passkey from the suggestions, while `isActive`. The dialog of the button takes its place. */
function useSuggestedPasskeys(isActive: boolean, onSignedIn?: () => void) {
  const signIn = usePasskeySignIn(onSignedIn);
  const { mutateAsync, reset } = signIn;
  useEffect(() => {
    if (!isActive) return;
    let isOver = false;
    const loading = import("../passkeys.ts");
    const start = async () => {
      if (!(await (await loading).supportsAutofill()) || isOver) return;
      // The user did not ask for the suggestions, so only an error of the service is shown: the passkey that was chosen
      // does not sign in. Browsers end the wait with errors of many names, such as NotSupportedError without a device.
      await mutateAsync(true).catch((error: unknown) => {
        if (!(error instanceof ProblemDetails)) reset();
      });
    };
    void start().catch(() => {});
    const renewing = setInterval(() => void start().catch(() => {}), RENEW_MS);
    return () => {
      isOver = true;
      clearInterval(renewing);
      void loading.then(({ cancelPasskey }) => cancelPasskey()).catch(() => {});
    };
  }, [isActive, mutateAsync, reset]);
  return signIn;
}
