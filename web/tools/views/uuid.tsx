import { counted } from "#counted.ts";
import { CopyButton } from "../../parts/code-block.tsx";
import { DownloadButton } from "../../parts/download.tsx";
import type { ResultProps } from "../tool-view.ts";

export default function UuidResult({ response }: ResultProps) {
  const { uuids } = JSON.parse(response.body) as { uuids: string[] };
  const lines = uuids.join("\n");
  return (
    <div className="play-card">
      <div className="play-card-head">
        <span>{counted(uuids.length, "UUID")}</span>
        <DownloadButton content={`${lines}\n`} type="text/plain" file="uuids.txt" />
        <CopyButton copy={lines} title={uuids.length === 1 ? "Copy" : "Copy all"} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard */}
      <ol className="play-uuids" tabIndex={0} aria-label="UUIDs">
        {uuids.map((uuid) => (
          <li key={uuid}>
            <code>{uuid}</code>
            {uuids.length > 1 && <CopyButton copy={uuid} name={`Copy ${uuid}`} />}
          </li>
        ))}
      </ol>
    </div>
  );
}
