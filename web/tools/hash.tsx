import { Text } from "@mantine/core";
import { CopyButton } from "../parts/code-block.tsx";
import type { ResultProps } from "./plain-result.tsx";

type HashResponse = { algorithm: string; hash: string; length: number };

export default function HashResult({ response }: ResultProps) {
  const { algorithm, hash, length } = JSON.parse(response) as HashResponse;
  return (
    <div className="tool-card">
      <Text size="sm" c="dimmed">
        {algorithm}, {length} hex digits
      </Text>
      <p className="tool-hash">{hash}</p>
      <CopyButton text={hash} label="Copy the hash" />
    </div>
  );
}
