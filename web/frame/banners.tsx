import { Button } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";
import { contactHref } from "#top-up.ts";
import { DAY_MS } from "../parts/numbers.ts";
import { readStored, store } from "../shell/storage.ts";

const DISMISSED_UNTIL = "tb-low-balance-dismissed-until";

/**
 * Says on every page that the account is suspended, or that its balance is low or used up. It knows that from the visitor, which
 * every page has loaded before it renders, so nothing moves.
 */
export function Banners({ visitor }: { visitor: Visitor }) {
  if (visitor.user?.account.state !== "suspended") return <BalanceBanner visitor={visitor} />;
  const { contact } = visitor.sales;
  return (
    <p className="tb-banner" data-tone="bad" role="status">
      <strong>Your account is suspended.</strong> API calls with your keys are rejected. You keep
      your keys and credits.{" "}
      {contact === null ? (
        "Contact the operator of this service."
      ) : (
        <>
          Contact the operator: <a href={contactHref(contact)}>{contact}</a>.
        </>
      )}
    </p>
  );
}

/** Not on the tab on which credits are bought. A low balance can be dismissed for a day. */
function BalanceBanner({ visitor }: { visitor: Visitor }) {
  const { pathname, searchStr } = useRouterState({ select: ({ location }) => location });
  const [dismissed, setDismissed] = useState(
    () => Number(readStored(DISMISSED_UNTIL)) > Date.now(),
  );
  const account = visitor.user?.account;
  if (account === undefined || account.level === "enough") return null;
  const tab = new URLSearchParams(searchStr).get("tab");
  if (pathname === "/credits" && (tab === null || tab === "buy")) return null;
  if (account.level === "gone") {
    return (
      <div className="tb-banner tb-banner-row" data-tone="bad" role="status">
        <p>
          <strong>You have no credits left.</strong> The API rejects calls with 402 until you get
          more.{isAsking(visitor.sales) && " Ask the operator of this service for credits."}
        </p>
        <GetCredits sales={visitor.sales} />
      </div>
    );
  }
  if (dismissed) return null;
  return (
    <div className="tb-banner tb-banner-row" data-tone="warn" role="status">
      <p>
        <strong>{counted(account.balance, "credit")} left.</strong> At 0 the API rejects calls. Your
        alert level is under <Link to="/settings/notifications">Settings, Notifications</Link>.
      </p>
      <GetCredits sales={visitor.sales} />
      <Button
        variant="default"
        onClick={() => {
          store(DISMISSED_UNTIL, String(Date.now() + DAY_MS));
          setDismissed(true);
        }}
      >
        Dismiss for a day
      </Button>
    </div>
  );
}

/** Nothing is sold, and there is no address to link to. */
const isAsking = ({ payable, contact }: Visitor["sales"]) => !payable && contact === null;

/** The one primary action: buying, or writing to the operator who gives credits. */
function GetCredits({ sales }: { sales: Visitor["sales"] }) {
  if (sales.payable) {
    return (
      <Button component={Link} to="/credits">
        Buy credits
      </Button>
    );
  }
  return sales.contact === null ? null : (
    <Button component="a" href={contactHref(sales.contact)}>
      Contact the operator
    </Button>
  );
}
