import { Text } from "@mantine/core";
import { CopyButton } from "../parts/code-block.tsx";
import type { ResultProps } from "./plain-result.tsx";

type HashResponse = {
  algorithm: string;
  hash: string;
  length: number;
  encoding?: "hex" | "base64" | "base64url";
};

export default function HashResult({ response }: ResultProps) {
  const { algorithm, hash, length, encoding = "hex" } = JSON.parse(response) as HashResponse;
  return (
    <div className="tool-card">
      <Text size="sm" c="dimmed">
        {algorithm}, {length} {UNITS[encoding]}
      </Text>
      <p className="tool-hash">{hash}</p>
      <CopyButton text={hash} label="Copy the hash" />
    </div>
  );
}

const UNITS = {
  hex: "hex digits",
  base64: "characters of Base64",
  base64url: "characters of Base64url",
};
