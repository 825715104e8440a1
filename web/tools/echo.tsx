import { Text } from "@mantine/core";
import { LongCode } from "./long-code.tsx";
import type { ResultProps } from "./plain-result.tsx";

const BODY_MEMBER = '"body":';

/** Cuts the body out of the text: parsing would lose numbers beyond a double and the order of keys. */
export default function EchoResult({ response }: ResultProps) {
  const { receivedAt } = JSON.parse(response) as { receivedAt: string };
  const body = response.slice(response.indexOf(BODY_MEMBER) + BODY_MEMBER.length, -1);
  return (
    <div>
      <Text size="sm" c="dimmed" mb="xs">
        Received at <time dateTime={receivedAt}>{receivedAt}</time> (UTC)
      </Text>
      <LongCode code={body} label="The body, exactly as sent" />
    </div>
  );
}
