import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { UserView } from "#api/dashboard/shapes.ts";
import { explain } from "../parts/message.tsx";
import { useSignOut } from "../sign-in/requests.ts";
import { ColourScheme } from "./colour-scheme.tsx";
import { Panel } from "./panel.tsx";

/** The account menu of the header. */
export const AccountPanel = ({ user }: { user: UserView }) => (
  <Panel label={`Account: ${user.email}`} button={<UserIcon />}>
    <Text size="sm" c="dimmed">
      Signed in as
    </Text>
    <Text size="sm" fw={600} className="tb-break">
      {user.email}
    </Text>
    <ul className="tb-panel-links">
      <li>
        <Link to="/home">Home</Link>
      </li>
      <li>
        <Link to="/settings/account">Account settings</Link>
      </li>
      <li>
        <Link to="/settings/api-keys">API keys</Link>
      </li>
    </ul>
    <ColourScheme />
    <SignOut />
  </Panel>
);

export function SignOut() {
  const signOut = useSignOut();
  return (
    <>
      <Button
        variant="default"
        fullWidth
        mt="md"
        aria-busy={signOut.isPending}
        onClick={() => !signOut.isPending && signOut.mutate()}
      >
        {signOut.isPending ? "Signing out" : "Sign out"}
      </Button>
      {signOut.isError && (
        <Text role="alert" size="sm" c="red" mt="xs">
          {explain(signOut.error).detail}
        </Text>
      )}
    </>
  );
}

const UserIcon = () => (
  <svg width="22" height="22" viewBox="0 0 24 24" fill="none" aria-hidden="true">
    <circle cx="12" cy="8.5" r="3.75" stroke="currentColor" strokeWidth="1.7" />
    <path
      d="M4.5 20c1-3.7 4-5.5 7.5-5.5s6.5 1.8 7.5 5.5"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
    />
  </svg>
);
