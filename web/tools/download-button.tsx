import { Button } from "@mantine/core";

/** Saves content as a file. The file is created on click, so that large content is not held in memory twice. */
export function DownloadButton({
  content,
  type,
  file,
  plain = false,
}: {
  content: string | Uint8Array;
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
      onClick={() => save(content, type, file)}
    >
      Download
    </Button>
  );
}

/** The browser reads the URL after the click, so it is revoked later. */
const REVOKE_AFTER_MS = 60_000;

function save(content: string | Uint8Array, type: string, file: string): void {
  const url = URL.createObjectURL(new Blob([content as string], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}
