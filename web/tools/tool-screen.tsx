import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ToolShown } from "#site/app-shell.ts";
import { absoluteUrl, base } from "../addresses.ts";
import { toolsWithPage } from "../page-facts.ts";
import { Empty } from "../parts/empty-state.tsx";
import { Icon } from "../parts/icon.tsx";
import { Failure } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock } from "../parts/placeholders.tsx";
import { Prose } from "../parts/prose.tsx";
import { useVisitor } from "../queries.ts";
import { loadToolWithView } from "./load-view.ts";
import { Playground } from "./playground.tsx";
import "./tools.css";

/** A tool that runs in the browser, without an account or an API call; or an own tool, whose calls go through the API. */
export default function ToolScreen() {
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const entry = toolsWithPage().find((tool) => tool.name === name);
  return entry === undefined ? <UnknownTool name={name} /> : <ToolPage key={name} entry={entry} />;
}

function ToolPage({ entry }: { entry: ToolShown }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["tool", entry.name],
    queryFn: () => loadToolWithView(entry),
    // Code, which stays as it is while the page is open, and has nothing to compare.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
  const visitor = useVisitor().data;
  const apiUrl = visitor?.apiUrl ?? absoluteUrl("");
  const prices = Object.entries(visitor?.user?.account.prices ?? {});
  const [, ownPrice = null] = prices.find(([name]) => name === entry.name) ?? [];
  return (
    <>
      <PageTitle title={entry.title}>
        <nav className="tool-links" aria-label="About this tool">
          <a href={`${base()}${entry.docs}`}>
            <Icon name="docs" size={18} />
            Reference
          </a>
          <Link to="/tools">
            <Icon name="tools" size={18} />
            All tools
          </Link>
        </nav>
      </PageTitle>
      <Text className="tool-lead">
        <Prose text={entry.summary} />
      </Text>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingBlock height={360} />}
      {data !== undefined && (
        <div className="tool-play">
          <Playground {...data} apiUrl={apiUrl} ownPrice={ownPrice} />
        </div>
      )}
    </>
  );
}

function UnknownTool({ name }: { name: string }) {
  return (
    <>
      <PageTitle title="Tool not found" />
      <Empty
        icon="tools"
        title={`No tool is called “${name.slice(0, 40)}”`}
        action={<Link to="/tools">View all tools</Link>}
      >
        The name may be misspelled. Names are lowercase, with hyphens.
      </Empty>
    </>
  );
}
