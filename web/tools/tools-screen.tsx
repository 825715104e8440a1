import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { toolIcon } from "#site/icons.ts";
import { browserTools, toolsWithPage } from "../page-facts.ts";
import { Icon } from "../parts/icon.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import "./tools.css";

/** The list of the tools that have a page. */
export default function ToolsScreen() {
  const tools = toolsWithPage();
  const isMixed = browserTools().length > 0 && browserTools().length < tools.length;
  return (
    <>
      <PageTitle title="Tools" />
      <Text className="tool-lead">Use the tools on their pages, or call them through the API.</Text>
      <Text size="sm" className="tool-private">
        <Icon name={browserTools().length > 0 ? "lock" : "keys"} size={18} />
        <span>{costOf(browserTools().length, tools.length)}</span>
      </Text>
      <ul className="tool-cards">
        {tools.map(({ name, title, summary, page }) => (
          <li key={name}>
            <Link to="/tools/$name" params={{ name }}>
              <span className="tool-tile">
                <Icon name={toolIcon(name)} size={24} />
              </span>
              <strong>{title}</strong>
              <code>{name}</code>
              <p>
                {summary.replaceAll("`", "")}
                {isMixed && page === "api" && <span className="tool-paid">Needs an API key</span>}
              </p>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** What the pages cost, and where the input goes. `inBrowser` of the `count` tools run on their page. */
function costOf(inBrowser: number, count: number): string {
  if (inBrowser === 0) return "Each page calls the API with your key. A call costs its price.";
  const here =
    "free, need no account, and run in your browser with the same code as the API. Nothing you enter leaves the page, unless you run a call through the API.";
  return inBrowser === count
    ? `They are ${here}`
    : `Those marked “Needs an API key” call the API. The others are ${here}`;
}
