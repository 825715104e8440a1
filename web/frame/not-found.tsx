import { Button, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { base } from "../base.ts";
import { PageTitle } from "../parts/page-title.tsx";

export function NotFound() {
  return (
    <>
      <PageTitle title="There is no such page" />
      <Text c="dimmed">The address may be misspelt, or the page has moved.</Text>
      <Group gap="sm" mt="lg">
        <Button renderRoot={(props) => <Link to="/tools" {...props} />}>Open the tools</Button>
        <Button component="a" href={`${base()}/`} variant="default">
          Go to the front page
        </Button>
      </Group>
    </>
  );
}
