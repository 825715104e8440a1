import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Where there is nothing yet: what would stand here, and how to get there. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <section className="tb-empty">
      <Title order={2} size="h3">
        {title}
      </Title>
      {children !== undefined && (
        <Text component="div" c="dimmed" mt="xs" maw="34rem">
          {children}
        </Text>
      )}
      {action !== undefined && <div className="tb-empty-action">{action}</div>}
    </section>
  );
}
