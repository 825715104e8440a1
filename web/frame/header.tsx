import { Link, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { base } from "../addresses.ts";
import { AccountPanel, SignOut } from "./account-panel.tsx";
import { ColourScheme } from "./colour-scheme.tsx";
import { Dialog } from "./dialog.tsx";

import { MemberLinks, OpenLinks } from "./navigation.tsx";
import { Panel } from "./panel.tsx";

/** `visitor` is undefined until the session is loaded. */
export function Header({ visitor, isMember }: { visitor: Visitor | undefined; isMember: boolean }) {
  const user = visitor?.user ?? null;
  return (
    <header className="tb-header">
      <a className="tb-brand" href={`${base()}/`}>
        <Logo />
        Toolbooth
      </a>
      <nav className="tb-wide tb-header-links" aria-label="Tools and documentation">
        <OpenLinks />
      </nav>
      <div className="tb-wide tb-header-side">
        {user !== null && !isMember && <HomeLink />}
        {user !== null && <AccountPanel user={user} />}
        {visitor !== undefined && user === null && <SignInLinks signUp={visitor.signUp} />}
        {user === null && (
          <Panel label="Appearance" button={<AppearanceIcon />}>
            <ColourScheme />
          </Panel>
        )}
      </div>
      <Drawer visitor={visitor} />
    </header>
  );
}

const HomeLink = () => (
  <ul className="tb-header-links">
    <li>
      <Link to="/home">Home</Link>
    </li>
  </ul>
);

const SignInLinks = ({ signUp }: { signUp: Visitor["signUp"] }) => (
  <ul className="tb-header-links">
    <li>
      <Link to="/sign-in">Sign in</Link>
    </li>
    {signUp === "open" && (
      <li>
        <Link to="/sign-up" className="tb-sign-up">
          Sign up
        </Link>
      </li>
    )}
  </ul>
);

/** On narrow screens, the contents of the header and the sidebar. */
function Drawer({ visitor }: { visitor: Visitor | undefined }) {
  const [open, setOpen] = useState(false);
  const user = visitor?.user ?? null;
  const router = useRouter();
  const close = () => setOpen(false);
  // Not on click: if the link were removed before the router handled the click, the browser would load the page.
  useEffect(() => router.subscribe("onBeforeNavigate", () => setOpen(false)), [router]);
  return (
    <div className="tb-narrow">
      <button
        type="button"
        className="tb-header-button"
        aria-haspopup="dialog"
        aria-label="Open menu"
        onClick={() => setOpen(true)}
      >
        <MenuIcon />
      </button>
      {open && (
        <Dialog label="Menu" className="tb-drawer" onClose={close}>
          <div className="tb-drawer-top">
            <span className="tb-brand">
              <Logo />
              Toolbooth
            </span>
            <button
              type="button"
              className="tb-header-button"
              aria-label="Close menu"
              onClick={close}
            >
              <CloseIcon />
            </button>
          </div>
          <DrawerLinks visitor={visitor} />
          <ColourScheme />
          {user !== null && (
            <>
              <p className="tb-drawer-user">Signed in as {user.email}</p>
              <SignOut />
            </>
          )}
        </Dialog>
      )}
    </div>
  );
}

function DrawerLinks({ visitor }: { visitor: Visitor | undefined }) {
  const user = visitor?.user ?? null;
  return (
    <nav className="tb-side-links" aria-label="Pages">
      {user !== null && <MemberLinks />}
      {visitor !== undefined && user === null && <SignInLinks signUp={visitor.signUp} />}
      <OpenLinks />
    </nav>
  );
}

/** The same logo as in src/site/shell.ts. */
const Logo = () => (
  <svg width="24" height="24" viewBox="0 0 24 24" fill="none" aria-hidden="true">
    <rect width="24" height="24" rx="6" fill="currentColor" />
    <path d="M7 19V9.5m0 3L18.5 6" stroke="var(--tb-bg)" strokeWidth="2.4" strokeLinecap="round" />
    <circle cx="7" cy="12.5" r="2.2" fill="var(--tb-bg)" />
  </svg>
);

const Icon = ({ path }: { path: string }) => (
  <svg width="22" height="22" viewBox="0 0 24 24" fill="none" aria-hidden="true">
    <path d={path} stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
  </svg>
);
const MenuIcon = () => <Icon path="M4 7h16M4 12h16M4 17h16" />;
const CloseIcon = () => <Icon path="M6 6l12 12M18 6L6 18" />;
const AppearanceIcon = () => (
  <svg width="20" height="20" viewBox="0 0 24 24" fill="none" aria-hidden="true">
    <circle cx="12" cy="12" r="8.2" stroke="currentColor" strokeWidth="1.7" />
    <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor" />
  </svg>
);
