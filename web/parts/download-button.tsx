import { Button } from "@mantine/core";
import { saveFile } from "./save-file.ts";

/** Saves content as a file. */
export function DownloadButton({
  content,
  type,
  file,
  plain = false,
}: {
  content: string | Uint8Array<ArrayBuffer>;
  type: string;
  file: string;
  /** Looks like a copy button, to be shown beside one. */
  plain?: boolean;
}) {
  return (
    <Button
      variant={plain ? "subtle" : "default"}
      size={plain ? "compact-sm" : "xs"}
      className="tool-download"
      aria-label={`Download ${file}`}
      onClick={() => saveFile(content, type, file)}
    >
      Download
    </Button>
  );
}
