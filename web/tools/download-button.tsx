import { Button } from "@mantine/core";

/** Saves a text as a file. It is made when asked for, so that a large one is not held twice. */
export function DownloadButton({
  content,
  type,
  file,
  plain = false,
}: {
  content: string | Uint8Array;
  type: string;
  file: string;
  /** Beside a copy button it looks like that. */
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

/** The browser reads the address after the click, so it is given back a little later. */
const KEPT_MS = 60_000;

function save(content: string | Uint8Array, type: string, file: string): void {
  const url = URL.createObjectURL(new Blob([content as string], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
