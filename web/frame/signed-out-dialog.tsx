import { Button, Text, Title } from "@mantine/core";
import { addressOf } from "../base.ts";
import { Dialog } from "./dialog.tsx";

/** The session ended while a page was open. What stands on the page stays readable behind it until the person goes. */
export function SignedOutDialog({ next }: { next: string }) {
  const target = addressOf(`/sign-in?next=${encodeURIComponent(next)}`);
  return (
    <Dialog label="Sign in again" className="tb-dialog">
      <Title order={2}>Sign in again</Title>
      <Text mt="xs">
        Your session has ended, or you signed out in another window. Nothing of your account has
        changed. After signing in you come back to this page.
      </Text>
      <Button component="a" href={target} mt="lg">
        Sign in
      </Button>
    </Dialog>
  );
}
