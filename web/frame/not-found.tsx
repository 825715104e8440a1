import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { PageTitle } from "../parts/page-title.tsx";

export function NotFound() {
  return (
    <>
      <PageTitle title="There is no such page" />
      <Text>
        The address may be misspelt, or the page has moved. <Link to="/tools">See the tools</Link>.
      </Text>
    </>
  );
}
