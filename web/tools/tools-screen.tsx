import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { toolIcon } from "#site/icons.ts";
import { toolsWithPage } from "../page-facts.ts";
import { Icon } from "../parts/icon.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import "./tools.css";

/** The list of tools, all of which run in the browser. */
export default function ToolsScreen() {
  return (
    <>
      <PageTitle title="Tools" />
      <Text className="tool-lead">
        Use the tools here for free, without an account, or call them through the API.
      </Text>
      <Text size="sm" className="tool-private">
        <Icon name="lock" size={18} />
        <span>
          They run in your browser with the same code as the API. Nothing you enter leaves the page,
          unless you run a call through the API.
        </span>
      </Text>
      <ul className="tool-cards">
        {toolsWithPage().map(({ name, title, summary }) => (
          <li key={name}>
            <Link to="/tools/$name" params={{ name }}>
              <span className="tool-tile">
                <Icon name={toolIcon(name)} size={24} />
              </span>
              <strong>{title}</strong>
              <code>{name}</code>
              <p>{summary}</p>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
