import { TOOL_LIST } from "virtual:tools";
import { Anchor, Text } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Tool } from "#tools/define-tool.ts";
import { Failure } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Empty, LoadingBlock } from "../parts/placeholders.tsx";
import { loadTool } from "./load-tool.ts";
import "./tools.css";
import { Workbench } from "./workbench.tsx";

/** A tool that runs in the browser, without an account or an API call. */
export default function ToolScreen() {
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const entry = TOOL_LIST.find((tool) => tool.name === name);
  return entry === undefined ? <UnknownTool name={name} /> : <ToolPage key={name} entry={entry} />;
}

function ToolPage({ entry }: { entry: (typeof TOOL_LIST)[number] }) {
  const { tool, error, retry } = useTool(entry.name);
  return (
    <>
      <PageTitle title={entry.title}>
        <Anchor component={Link} to="/tools" underline="always">
          All tools
        </Anchor>
      </PageTitle>
      <Text className="tool-lead">{entry.summary}</Text>
      <Text size="sm" className="tool-private">
        This tool runs in your browser with the same code as the API. Nothing you enter leaves this
        page, and no credits are used.
      </Text>
      {error !== null && <Failure error={error} onRetry={retry} />}
      {tool === null && error === null && <LoadingBlock height={360} />}
      {tool !== null && <Workbench tool={tool} />}
    </>
  );
}

function useTool(name: string) {
  const [tool, setTool] = useState<Tool<unknown> | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isUnmounted = false;
    setError(null);
    loadTool(name).then(
      (loaded) => !isUnmounted && setTool(loaded),
      (cause: unknown) => !isUnmounted && setError(cause),
    );
    return () => {
      isUnmounted = true;
    };
  }, [name, attempt]);
  return { tool, error, retry: () => setAttempt((count) => count + 1) };
}

function UnknownTool({ name }: { name: string }) {
  return (
    <>
      <PageTitle title="Tool not found" />
      <Empty
        icon="tools"
        title={`No tool is called “${name.slice(0, 40)}”`}
        action={
          <Anchor component={Link} to="/tools" underline="always">
            View all tools
          </Anchor>
        }
      >
        The name may be misspelled. Names are lowercase, with hyphens.
      </Empty>
    </>
  );
}
