import { useEffect, useMemo, useRef, useState } from "react";
import { SCHEME_ATTRIBUTE } from "#site/tokens.ts";
import { formatNumber } from "../../parts/numbers.ts";
import { CodeView } from "../code-view.tsx";
import { PREVIEW_CHARS, previewPage } from "../preview-page.ts";
import type { ResultProps } from "../tool-view.ts";
import { Button, DownloadButton, Tabs } from "../ui.tsx";

export const dropLabel = "Drop the file to render it";
export const fillsScreen = true;

export default function MarkdownResult({ response }: ResultProps) {
  const [open, setOpen] = useState<"preview" | "html" | "text" | "outline">("preview");
  const result = useMemo(() => JSON.parse(response.body) as Result, [response.body]);
  const { html, text } = result;
  return (
    <Tabs
      label="Form of the result"
      open={open}
      onOpen={setOpen}
      tabs={[
        { name: "preview", label: "Preview", content: () => <Preview html={html} /> },
        {
          name: "html",
          label: "HTML",
          content: () => (
            <CodeView code={html} label="HTML" syntax="html" tall>
              <DownloadButton content={html} type="text/html" file="rendered.html" />
            </CodeView>
          ),
        },
        {
          name: "text",
          label: "Plain text",
          content: () =>
            text === undefined ? (
              <p className="play-empty">
                To get plain text as well, choose “HTML and plain text” under Result.
              </p>
            ) : (
              <CodeView code={text} label="Plain text" tall>
                <DownloadButton content={text} type="text/plain" file="rendered.txt" />
              </CodeView>
            ),
        },
        {
          name: "outline",
          label: "Outline",
          content: () => <OutlineView {...result} />,
        },
      ]}
    />
  );
}

type Result = {
  html: string;
  text?: string;
  frontMatter?: string;
  outline?: { level: number; text: string }[];
  title?: string;
  words?: number;
};

/** What the options add besides HTML and text. */
function OutlineView({ frontMatter, outline, title, words = 0 }: Result) {
  if (outline === undefined && frontMatter === undefined) {
    return (
      <p className="play-empty">
        To get the headings and the number of words, switch on “Outline”.
      </p>
    );
  }
  const lines = (outline ?? []).map(({ level, text }) => `${"  ".repeat(level - 1)}${text}`);
  return (
    <>
      {outline !== undefined && (
        <>
          <p className="play-help">
            {title === "" ? "No title." : `Title: ${title}.`} {formatNumber(words)}{" "}
            {words === 1 ? "word" : "words"}.
          </p>
          <CodeView code={lines.join("\n")} label="Headings" tall />
        </>
      )}
      {frontMatter !== undefined && <CodeView code={frontMatter} label="Front matter" tall />}
    </>
  );
}

function Preview({ html }: { html: string }) {
  const scheme = useScheme();
  const [showsAll, setShowsAll] = useState(false);
  const isCut = html.length > PREVIEW_CHARS && !showsAll;
  const preview = useMemo(
    () => previewPage(isCut ? html.slice(0, PREVIEW_CHARS) : html, scheme),
    [html, isCut, scheme],
  );
  const frame = useRef<HTMLIFrameElement>(null);
  // Not a property of the element: React would turn it into a text, which Trusted Types do not accept here.
  useEffect(() => {
    if (frame.current !== null) frame.current.srcdoc = preview.page;
  }, [preview]);
  return (
    <>
      <iframe className="play-preview" title="Rendered Markdown" sandbox="" ref={frame} />
      {isCut && (
        <p className="play-help">
          The preview shows the beginning of {formatNumber(html.length)} characters of HTML, so that
          typing stays smooth. <Button onClick={() => setShowsAll(true)}>Show all</Button>
        </p>
      )}
      <p className="play-help">
        Links do not open in this preview.
        {preview.images > 0 && " Images are not loaded, to protect your privacy."}
      </p>
    </>
  );
}

/** The colours of the page: chosen by the user, or those of the system. */
function schemeNow(): "light" | "dark" {
  const chosen = document.documentElement.getAttribute(SCHEME_ATTRIBUTE);
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function useScheme(): "light" | "dark" {
  const [scheme, setScheme] = useState(schemeNow);
  useEffect(() => {
    const follow = () => setScheme(schemeNow());
    const observer = new MutationObserver(follow);
    observer.observe(document.documentElement, {
      attributeFilter: [SCHEME_ATTRIBUTE],
    });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", follow);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", follow);
    };
  }, []);
  return scheme;
}
