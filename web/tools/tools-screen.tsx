import { TOOL_LIST } from "virtual:tools";
import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { PageTitle } from "../parts/page-title.tsx";
import "./tools.css";

/** The tools that can be used in the browser, which are all of them. */
export default function ToolsScreen() {
  return (
    <>
      <PageTitle title="Tools" />
      <Text className="tool-lead">
        Use them here for free and without an account, or call them through the API.
      </Text>
      <Text size="sm" className="tool-private">
        They run in your browser, with the code of the API. Nothing you enter leaves the page.
      </Text>
      <ul className="tool-cards">
        {TOOL_LIST.map(({ name, title, summary }) => (
          <li key={name}>
            <Link to="/tools/$name" params={{ name }}>
              <strong>{title}</strong>
              <span>{summary}</span>
              <code>{name}</code>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
