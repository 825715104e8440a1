import { counted } from "../parts/numbers.ts";
import { DownloadButton } from "./download-button.tsx";
import { LongCode } from "./long-code.tsx";
import type { ResultProps } from "./plain-result.tsx";

export default function UuidResult({ response }: ResultProps) {
  const { uuids } = JSON.parse(response) as { uuids: string[] };
  const lines = uuids.join("\n");
  return (
    <LongCode code={lines} label={counted(uuids.length, "UUID")}>
      <DownloadButton content={`${lines}\n`} type="text/plain" file="uuids.txt" plain />
    </LongCode>
  );
}
