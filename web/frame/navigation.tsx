import { Link } from "@tanstack/react-router";
import { base } from "../addresses.ts";

/** The pages for signed-in users. */
export function MemberLinks() {
  return (
    <>
      <ul>
        <li>
          <Link to="/home">Home</Link>
        </li>
        <li>
          <Link to="/requests">Requests</Link>
        </li>
        <li>
          <Link to="/usage">Usage</Link>
        </li>
        <li>
          <Link to="/credits">Credits</Link>
        </li>
      </ul>
      <p id="tb-settings">Settings</p>
      <ul aria-labelledby="tb-settings">
        <li>
          <Link to="/settings/api-keys">API keys</Link>
        </li>
        <li>
          <Link to="/settings/notifications">Notifications</Link>
        </li>
        <li>
          <Link to="/settings/webhooks">Webhooks</Link>
        </li>
        <li>
          <Link to="/settings/account">Account</Link>
        </li>
      </ul>
    </>
  );
}

/** The pages that need no account. The server renders the documentation, so it is a plain link. */
export const OpenLinks = () => (
  <ul>
    <li>
      <Link to="/tools">Tools</Link>
    </li>
    <li>
      <a href={`${base()}/docs`}>Documentation</a>
    </li>
  </ul>
);
