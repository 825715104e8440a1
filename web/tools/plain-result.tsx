import { Stack } from "@mantine/core";
import { LongCode } from "./long-code.tsx";

/** `response` is the JSON text of a response with status 200. */
export type ResultProps = { response: string };

/** The result of a tool that has no view of its own: each field of the response under its name. */
export function PlainResult({ response }: ResultProps) {
  const { ok: _, ...fields } = JSON.parse(response) as Record<string, unknown>;
  return (
    <Stack gap="md">
      {Object.entries(fields).map(([name, value]) => (
        <LongCode
          key={name}
          label={name}
          code={typeof value === "string" ? value : JSON.stringify(value, null, 2)}
        />
      ))}
    </Stack>
  );
}
