import { creditSections } from "./docs-credits.ts";
import type { DocsPage } from "./docs-frame.ts";
import { contentsOf, type DocsSection, guideSection } from "./guide-blocks.ts";
import { type Html, html } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import { type DashboardOffer, type PageOptions, signUpIsOpen } from "./page-options.ts";

/** Who pays for calls, and how accounts, keys and credits are kept. */
export function accountsPage(options: PageOptions): DocsPage {
  const { people } = options;
  const sections = [
    ...(people ? [account(options, people), emails(options)] : [operatorsAccount()]),
    keys(options),
    ...creditSections(options),
    ...(people ? [safety(options)] : []),
    closing(options),
  ];
  return {
    path: "/docs/accounts",
    label: "Accounts, keys, credits",
    title: "Accounts, keys and credits",
    description:
      "How to get an account and API keys of Toolbooth, where credits come from and when they end.",
    lead: "An account owns keys and credits. Any of its keys spends its credits.",
    contents: contentsOf(sections),
    body: sections.map(guideSection),
  };
}

function account(options: PageOptions, { providers, starter }: DashboardOffer): DocsSection {
  const { signUp, selfHosting } = pageLinks(options.publicUrl);
  const names = { github: "GitHub", google: "Google" };
  const others = providers.map((provider) => names[provider]).join(" or ");
  const isOpen = signUpIsOpen(options);
  const gift =
    starter.credits > 0
      ? `; with the confirmation come ${starter.credits} starter credits, once, for ${starter.days} days`
      : "";
  return {
    id: "account",
    title: "Your account",
    blocks: [
      isOpen
        ? html`<p><a href="${signUp}">Sign up</a> with an e-mail address and a password of 10 to 128 characters. There are no other rules for passwords: a long sentence is a good one.</p>\n`
        : html`<p>New accounts of this service are opened by its operator, for an address. Once that is done, <a href="${signUp}">sign up</a> with this address and a password of 10 to 128 characters.</p>\n`,
      ...(others === ""
        ? []
        : [`Or sign in with ${others}; the address that is verified there counts here.`]),
      `A letter brings a link. Open it and press the button to confirm the address, then sign in. Until then there are no keys and no credits${isOpen ? gift : ""}.`,
      ...(isOpen
        ? [
            "Where the operator had opened an account for your address before, signing up takes it over, and there are no starter credits.",
          ]
        : []),
      "Nobody can find out here whether an address has an account: signing up, signing in and asking for a new password look the same for addresses that are known and those that are not.",
      html`<p>On <a href="${selfHosting}">a copy of your own</a> accounts can also be made on the command line, without a letter.</p>\n`,
    ],
  };
}

const emails = ({ publicUrl }: PageOptions): DocsSection => ({
  id: "letters",
  title: "Letters",
  blocks: [
    "Letters are about your account alone: to confirm an address, to choose a new password, and to tell you that a key was made or revoked, or that your password or your address has changed.",
    html`<p>When credits run low or are about to expire a letter tells you too, unless you choose otherwise: <a href="${pageLinks(publicUrl).webhooks}#letters">Webhooks and notices</a>.</p>\n`,
    "If a letter does not come within minutes, look into the folder for spam, then ask for it again on the page that promised it. A link does not hold for ever: one that confirms an address 24 hours, one to a new password one hour, and that once. A new password, and a change of your address, end every other link to a new password. The page behind a link that holds no more says so and sends another.",
  ],
});

const operatorsAccount = (): DocsSection => ({
  id: "account",
  title: "Your account",
  blocks: [
    "Accounts of this service are made by its operator on the command line. Ask there for an account, a key or credits.",
  ],
});

function keys({ publicUrl, people }: PageOptions): DocsSection {
  const { keys: page, calls } = pageLinks(publicUrl);
  return {
    id: "keys",
    title: "API keys",
    blocks: [
      people
        ? html`<p>Make, rename and revoke keys under <a href="${page}">Settings, API keys</a>. An account has up to 25 keys that are not revoked, and makes up to 100 within 24 hours.</p>\n`
        : html`<p>Keys are made and revoked by the operator on the command line.</p>\n`,
      {
        list: [
          "A key is shown once, when it is made. The service keeps only its SHA-256: a lost key cannot be shown again, only replaced.",
          "Make one key for each place that calls, and label it with that place: production, staging, the laptop. Then one can be revoked without the others.",
          "A revoked key is refused from the next call on, for good.",
          ...(people
            ? [
                "Before you revoke a key, the page tells how many calls it made in the last 24 hours.",
              ]
            : []),
          "Credits belong to the account, not to the key: a new key brings none, and a revoked one takes none away.",
        ],
      },
      html`<p>How a key is sent: <a href="${calls}#authentication">Authentication</a>.</p>\n`,
    ],
  };
}

function safety({ publicUrl }: PageOptions): DocsSection {
  return {
    id: "safety",
    title: "Keeping it yours",
    blocks: [
      settingsLink(publicUrl),
      {
        list: [
          "Change your password; you are then signed out everywhere else.",
          "See where you are signed in, and sign out there.",
          "Read what happened: when you signed in, and when a key was made, renamed or revoked.",
        ],
      },
      "Whoever tries wrong passwords is slowed down, and refused for a while where they go on. A browser in which you signed in with your password before, or used the link of a letter, is never refused because of strangers who guess. If you are refused in another one, ask there for a new password and open the link.",
    ],
  };
}

const settingsLink = (publicUrl: string): Html =>
  html`<p>Under <a href="${pageLinks(publicUrl).account}">Settings, Account</a> you can:</p>\n`;

const closing = ({ people }: PageOptions): DocsSection => ({
  id: "closing",
  title: "Closing an account",
  blocks: [
    people
      ? "You can close your account yourself, under Settings, Account. It cannot be undone. While an account is suspended it can neither be closed nor get another address."
      : "The operator closes an account when you ask for it. It cannot be undone.",
    {
      list: [
        "Its keys are refused at once.",
        "Its credits are forfeited.",
        "Your address and all else that is personal is deleted. The figures of the ledger stay, without a name.",
        "A keyed hash of the address stays, so that another account of the same address gets no second free call and no second starter credits.",
      ],
    },
  ],
});
