import { Alert, Button, Text } from "@mantine/core";
import { Failure } from "../parts/failure.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Outdated } from "./screen-of.ts";

/** A screen that failed, or whose file has given way to a newer one. */
export function Broken({ error }: { error: unknown }) {
  const reload = () => location.reload();
  return (
    <>
      <PageTitle title="This page cannot be shown" />
      {error instanceof Outdated ? (
        <Newer onReload={reload} />
      ) : (
        <Failure error={error} onRetry={reload} />
      )}
    </>
  );
}

function Newer({ onReload }: { onReload: () => void }) {
  return (
    <Alert
      color="accent"
      variant="light"
      role="alert"
      title="There is a newer version of this page"
    >
      <Text size="sm">The service has been updated since you opened it.</Text>
      <Button mt="sm" size="sm" onClick={onReload}>
        Load the new version
      </Button>
    </Alert>
  );
}
