import { Button, Tabs, Text } from "@mantine/core";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { formatNumber } from "#counted.ts";
import { SCHEME_ATTRIBUTE } from "#site/tokens.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { DownloadButton } from "../../parts/download.tsx";
import { PREVIEW_CHARS, previewPage } from "../preview-page.ts";
import type { ResultProps } from "../tool-view.ts";

export const dropLabel = "Drop the file to render it";
export const fillsScreen = true;

export default function MarkdownResult({ response }: ResultProps) {
  const result = useMemo(() => JSON.parse(response.body) as Result, [response.body]);
  const { html, text } = result;
  return (
    <Tabs defaultValue="preview" keepMounted={false}>
      <Tabs.List aria-label="Form of the result">
        <Tabs.Tab value="preview">Preview</Tabs.Tab>
        <Tabs.Tab value="html">HTML</Tabs.Tab>
        <Tabs.Tab value="text">Plain text</Tabs.Tab>
        <Tabs.Tab value="outline">Outline</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="preview" pt="sm">
        <Preview html={html} />
      </Tabs.Panel>
      <Tabs.Panel value="html" pt="sm">
        <CodeBlock code={html} label="HTML" syntax="html" scrolls>
          <DownloadButton content={html} type="text/html" file="rendered.html" />
        </CodeBlock>
      </Tabs.Panel>
      <Tabs.Panel value="text" pt="sm">
        {text === undefined ? (
          <p className="play-empty">
            To get plain text as well, choose “HTML and plain text” under Result.
          </p>
        ) : (
          <CodeBlock code={text} label="Plain text" scrolls>
            <DownloadButton content={text} type="text/plain" file="rendered.txt" />
          </CodeBlock>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="outline" pt="sm">
        <OutlineView {...result} />
      </Tabs.Panel>
    </Tabs>
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
          <Text size="sm" c="dimmed">
            {title === "" ? "No title." : `Title: ${title}.`} {formatNumber(words)}{" "}
            {words === 1 ? "word" : "words"}.
          </Text>
          <CodeBlock code={lines.join("\n")} label="Headings" scrolls />
        </>
      )}
      {frontMatter !== undefined && <CodeBlock code={frontMatter} label="Front matter" scrolls />}
    </>
  );
}

function Preview({ html }: { html: string }) {
  const scheme = useSyncExternalStore(followScheme, schemeNow);
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
        <Text size="sm" c="dimmed">
          The preview shows the beginning of {formatNumber(html.length)} characters of HTML, so that
          typing stays smooth.{" "}
          <Button variant="default" size="compact-sm" onClick={() => setShowsAll(true)}>
            Show all
          </Button>
        </Text>
      )}
      <Text size="sm" c="dimmed">
        Links do not open in this preview.
        {preview.images > 0 && " Images are not loaded, to protect your privacy."}
      </Text>
    </>
  );
}

/** The colours of the page (`web/shell/appearance.ts`). */
const schemeNow = () => document.documentElement.getAttribute(SCHEME_ATTRIBUTE) ?? "light";

function followScheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: [SCHEME_ATTRIBUTE] });
  return () => observer.disconnect();
}
