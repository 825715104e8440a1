import { Button, Group, Text } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { memberLinkOf } from "#site/member-links.ts";
import { base } from "../addresses.ts";
import { toolsWithPage } from "../page-facts.ts";
import { Failure, Message } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { OutdatedScreen } from "./screen-of.ts";

/** The heading of a screen, shown while it is loading. */
export function titleOf(path: string): string {
  const page = path.replace(/[?#].*$/, "");
  return memberLinkOf(page)?.label ?? OTHERS[page] ?? "Loading";
}
const OTHERS: Record<string, string> = { "/tools": "Tools", "/sign-in": "Sign in" };

/** While the session or the code of the screen is loading. */
export function Pending() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <>
      <PageTitle title={titleOf(path)} />
      <LoadingRows />
    </>
  );
}

export function NotFound() {
  return (
    <>
      <PageTitle title="Page not found" />
      <Text c="dimmed">The address may be misspelled, or the page has moved.</Text>
      <Group gap="sm" mt="lg">
        {toolsWithPage().length > 0 && (
          <Button renderRoot={(props) => <Link to="/tools" {...props} />}>Browse tools</Button>
        )}
        <Button component="a" href={`${base()}/`} variant="default">
          Go to the front page
        </Button>
      </Group>
    </>
  );
}

/** A screen that threw an error, or whose code was replaced by a newer version. */
export function CrashedScreen({ error }: { error: unknown }) {
  const reload = () => location.reload();
  return (
    <>
      <PageTitle title="This page cannot be shown" />
      {error instanceof OutdatedScreen ? (
        <Message
          tone="soft"
          role="alert"
          title="A newer version of this page is available."
          action={
            <Button size="sm" onClick={reload}>
              Load the new version
            </Button>
          }
        >
          The service was updated after you opened this page.
        </Message>
      ) : (
        <Failure error={error} onRetry={reload} />
      )}
    </>
  );
}
