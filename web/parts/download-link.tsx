import { Button, type ButtonProps } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { MouseEvent, ReactNode } from "react";
import { absoluteUrl } from "../addresses.ts";
import { request } from "../request.ts";
import { Failure } from "./message.tsx";

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
  const start = useMutation({
    mutationFn: () => request("GET", "/dashboard/downloads/ready"),
    onSuccess: () => save(path),
  });
  const link = {
    href: absoluteUrl(path),
    download: true,
    onClick(event: MouseEvent) {
      event.preventDefault();
      if (!start.isPending) start.mutate();
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

/** The attribute keeps the page where it is, should the download be rejected after all. */
function save(path: string): void {
  const link = document.createElement("a");
  link.href = absoluteUrl(path);
  link.download = "";
  link.click();
}
