import { Link } from "@tanstack/react-router";
import { base } from "../base.ts";

/** The pages of a person who has signed in. */
export function MemberLinks() {
  return (
    <>
      <ul>
        <li>
          <Link to="/home">Home</Link>
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
          <Link to="/settings/notifications">Notices</Link>
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

/** Open to everyone. The documentation is made by the server, so it is a link and no route. */
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
