import { Button, type ButtonProps } from "@mantine/core";
import type { MouseEvent, ReactNode } from "react";
import { absoluteUrl } from "../addresses.ts";
import { useSend } from "../queries.ts";
import { request } from "../request.ts";
import { Failure } from "./message.tsx";

type Content = string | Uint8Array<ArrayBuffer>;

/** The browser reads the URL after the click, so it is revoked later. */
const REVOKE_AFTER_MS = 60_000;

/** Saves content as a file. Call it on a click, so that large content is not held in memory twice before. */
export function saveFile(content: Content, type: string, file: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  clickLink(url, file);
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}

/** The attribute keeps the page where it is, should the download be rejected after all. */
function clickLink(href: string, file: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = file;
  link.click();
}

/** Saves content as a file. It looks like a copy button, to be shown beside one. */
export const DownloadButton = (props: { content: Content; type: string; file: string }) => (
  <Button
    variant="subtle"
    size="compact-sm"
    className="tb-copy"
    aria-label={`Download ${props.file}`}
    onClick={() => saveFile(props.content, props.type, props.file)}
  >
    Download
  </Button>
);

/**
 * A link to a file that the service writes while it is downloaded. Only some may be downloaded at once, and a browser does not show the
 * error of a download, so a click first asks whether it may begin.
 */
export function DownloadLink({
  path,
  button,
  children,
}: {
  path: string;
  /** Looks like a button. */
  button?: Pick<ButtonProps, "size">;
  children: ReactNode;
}) {
  const href = absoluteUrl(path);
  const start = useSend({
    mutationFn: () => request("GET", "/dashboard/downloads/ready"),
    onSuccess: () => clickLink(href, ""),
  });
  const link = {
    href,
    download: true,
    onClick(event: MouseEvent) {
      event.preventDefault();
      start.mutate();
    },
  };
  return (
    <>
      {button === undefined ? (
        <a {...link}>{children}</a>
      ) : (
        <Button component="a" variant="default" {...button} {...link}>
          {children}
        </Button>
      )}
      {start.isError && <Failure error={start.error} />}
    </>
  );
}
