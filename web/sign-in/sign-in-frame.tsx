import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { PageTitle } from "../parts/page-title.tsx";

/** The narrow column that all pages of signing up and in share. */
export const SignInFrame = ({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
}) => (
  <div className="tb-door">
    <PageTitle title={title} />
    {lead !== undefined && (
      <Text component="div" c="dimmed" className="tb-break">
        {lead}
      </Text>
    )}
    {children}
  </div>
);
