import type { OpenApiDocument } from "#api/openapi/document.ts";
import { methodBadge } from "./code-block.ts";
import type { DocsPage } from "./docs-frame.ts";
import { operationsOf } from "./docs-reference.ts";
import { SELLING } from "./docs-selling.ts";
import { contentsOf, type DocsSection, guideSection, scrollTable } from "./guide-blocks.ts";
import { type Html, html, prose } from "./html.ts";
import type { PageOptions, SettingShown } from "./page-options.ts";

/** How to run the service: enough to start and keep it; `docs/` of the source has the rest. */
export function selfHostingPage(document: OpenApiDocument, options: PageOptions): DocsPage {
  const sections = [
    START,
    ACCOUNTS,
    ...(options.settings === undefined ? [] : [settings(options.settings)]),
    ...(options.people ? [EMAILS, SELLING] : []),
    PROXY,
    CONTAINER,
    watching(document),
    FAILURES,
    BACKUP,
    FLEET,
    EDGE,
    LIMITS,
  ];
  return {
    path: "/docs/self-hosting",
    label: "Self-hosting",
    title: "Self-hosting",
    description:
      "Run your own Toolbooth with one command: settings, proxy, container, metrics, backup, PostgreSQL, Cloudflare.",
    lead: "Your own copy with one command: one process, one folder of data, no other service.",
    contents: contentsOf(sections),
    body: sections.map(guideSection),
  };
}

const START: DocsSection = {
  id: "start",
  title: "Start it",
  blocks: [
    "You need a copy of the source and npm. Node 24 comes with it as a dependency on Linux with glibc (x64 and arm64); elsewhere bring Node 24 or newer.",
    "On an empty data folder the first start makes a demo account with starter credits and prints its key once, with a curl line to paste. It does so only where the service listens on this machine alone; elsewhere the first account is yours to make.",
    { label: "In the folder of the source", language: "shell", code: "npm ci && npm start" },
  ],
};

const ACCOUNTS: DocsSection = {
  id: "command-line",
  title: "Accounts, keys and credits",
  blocks: [
    "The command line works on the same data beside the running server; what it changes counts at the next call. An account that is made with it is verified at once. `help` lists the commands, `<command> --help` explains one, and `--json` makes every answer one JSON object.",
    {
      list: [
        "Accounts: create, list, suspend, resume, close.",
        "Keys: create, list, revoke. Credits: grant, show. Payments: list, reconcile.",
        "Books and data: audit, report, backup, restore, export, import.",
      ],
    },
    {
      label: "An account with 1,000 credits and a key",
      language: "shell",
      code: `npm run -s toolbooth -- account create you@example.com --credits 1000
npm run -s toolbooth -- key create you@example.com --label production
npm run -s toolbooth -- help`,
    },
  ],
};

/** Defaults are values or words; a value is shown as code. */
const settings = (list: readonly SettingShown[]): DocsSection => ({
  id: "settings",
  title: "Settings",
  blocks: [
    "Settings are environment variables, read once at the start. An empty value counts as unset. All faults come in one message, and the service does not start with one; an unknown `TOOLBOOTH_*` name is a fault too.",
    scrollTable(
      "All settings",
      ["Setting", "Default", "Meaning"],
      list.map(({ name, fallback, meaning }) => [
        html`<code>${name}</code>`,
        fallback === ""
          ? "unset"
          : fallback.includes(" ")
            ? fallback
            : html`<code>${fallback}</code>`,
        prose(meaning),
      ]),
    ),
  ],
});

const EMAILS: DocsSection = {
  id: "letters",
  title: "Letters and signing in",
  blocks: [
    "People sign up with an e-mail address, and a letter confirms it. Set `SMTP_URL` and `MAIL_FROM` to have letters sent; without a mail server they stay in the folder `outbox` in `DATA_DIR`. Only on your own machine, with `HOST` a loopback address and `PUBLIC_URL` unset, are they in the log too, with their links.",
    {
      list: [
        "A mail server that is slow or gone delays letters and nothing else: they wait on the disk and are sent again.",
        "Letters that anybody can cause by typing an address go to it at most 4 times an hour and 12 times a day; those for a new password are counted apart.",
        "What you do to a person's keys and account on the command line, a letter tells them.",
        "`TOOLBOOTH_SIGN_UP=closed` leaves it to you who gets an account.",
        "Signing in with GitHub or Google is offered where its two settings are given.",
      ],
    },
  ],
};

const PROXY: DocsSection = {
  id: "proxy",
  title: "Behind a reverse proxy",
  blocks: [
    "The service speaks HTTP/1.1 and leaves TLS to a proxy.",
    {
      list: [
        "Set `PUBLIC_URL` to the address that people use. Links come from it and never from a request, and people sign in at that address alone. Without it that is this machine.",
        "Let bodies of 6.1 MB through: that is a text of 1 MB with every character escaped. Keep the proxy's time-outs at 60 seconds or more.",
        "Name the proxy in `TOOLBOOTH_TRUSTED_PROXIES`. Limits on signing in, signing up, letters and changes are counted by the visitor's network; without it all visitors count as one, and one of them can have everybody refused. The log warns when it sees that.",
        "Set `METRICS_TOKEN`. Without it `/metrics` answers callers on this machine, and a proxy is one.",
      ],
    },
  ],
};

const CONTAINER: DocsSection = {
  id: "container",
  title: "In a container",
  blocks: [
    "The image is based on Debian, runs as the user `node`, and keeps its data in `/data`. `PUBLIC_URL` is the address that people type, with the port that is published.",
    {
      label: "Build it and run it",
      language: "shell",
      code: `docker build -t toolbooth .
docker run -p 8787:8787 -e PUBLIC_URL=http://localhost:8787 -v toolbooth:/data toolbooth
docker exec <container> node src/apps/cli/main.ts account create you@example.com --credits 1000`,
    },
  ],
};

function watching(document: OpenApiDocument): DocsSection {
  return {
    id: "watching",
    title: "Watching it",
    blocks: [
      "Machines ask these; they are free and need no key.",
      endpoints(document),
      "The log is one JSON object a line on standard error. Keys, bodies and headers are never in it, but for the `X-Request-Id` that a caller may choose, and for letters on your own machine without a mail server.",
      "On `SIGTERM` or `SIGINT` it stops listening, answers what it has accepted, closes the ledger and exits with 0.",
    ],
  };
}

function endpoints(document: OpenApiDocument): Html {
  const rows = operationsOf(document, "Operation").map(({ path, operation }) => [
    html`${methodBadge("GET")} <code>${path}</code>`,
    html`${prose(operation.summary)}<small>${prose(operation.description)}</small>`,
  ]);
  return scrollTable("Endpoints for operators", ["Endpoint", "What it tells"], rows);
}

const FAILURES: DocsSection = {
  id: "failures",
  title: "What a failure looks like",
  blocks: [
    {
      table: {
        head: ["Failure", "What callers see", "What you do"],
        rows: [
          [
            "Disk full or read-only",
            "503 with `Retry-After`, nothing charged; `/readyz` answers 503",
            "Make room; it recovers by itself",
          ],
          [
            "Killed, power lost",
            "Connections break; every 200 that was sent is in the ledger",
            "Start it again",
          ],
          [
            "Too many large inputs",
            "503 with `Retry-After` for the large ones",
            "Raise `TOOLBOOTH_TOOL_THREADS`, add cores",
          ],
          ["Clock set back", "Grants may be spendable again for that time", "Keep NTP running"],
        ],
      },
    },
  ],
};

const BACKUP: DocsSection = {
  id: "backup",
  title: "Backup and the secret",
  blocks: [
    "Everything is in `DATA_DIR`. Keep it on a local disk; network file systems break SQLite's locks. `backup` takes a consistent copy while the server runs, `restore` puts one in place while it does not: everybody signs in again, and keys that were revoked since the backup work again until you revoke them anew.",
    "`SECRET` tags keys. Unset, it is made once and kept with the data, and backups hold it. To rotate it, put the new one first: `SECRET=new,old`; drop the old one once no key made under it is in use.",
    {
      label: "A copy of everything",
      language: "shell",
      code: "npm run -s toolbooth -- backup /somewhere/toolbooth.backup",
    },
  ],
};

const FLEET: DocsSection = {
  id: "fleet",
  title: "Several nodes on PostgreSQL",
  blocks: [
    "When one machine is not enough, any number of equal nodes share a PostgreSQL 18. `DATABASE_URL` makes a node one of them, and nothing else changes: a credit is spent once, a key that is revoked on one node is refused by all at the next call, and a retry with the same `Idempotency-Key` finds its answer on any of them.",
    {
      label: "A node, and the command line beside it",
      language: "shell",
      code: `export DATABASE_URL=postgres://toolbooth:password@db.example.com/toolbooth
npm start
npm run -s toolbooth -- account list`,
    },
    "`export` and `import` move what there is. `docs/fleet.md` of the source has a compose file, a Kubernetes manifest, sizes, backups and what a failure looks like.",
  ],
};

const EDGE: DocsSection = {
  id: "cloudflare",
  title: "Deploy to Cloudflare",
  blocks: [
    "At the network edge the service is two Workers: one answers the calls near their callers, with a Durable Object for each account; one has the pages, the people and the operator's way in, over a D1 database. You need the Workers Paid plan, and a provider that sends letters over HTTPS. `docs/cloudflare.md` of the source explains each step, `docs/edge-costs.md` what a million calls cost.",
    {
      label: "Try both Workers on this machine",
      language: "shell",
      code: "npm ci && npm run edge",
    },
    "Then make the database and put its id into `wrangler.jsonc` (twice) and `wrangler.site.jsonc`. Write the settings into two files: `SECRET` and `PUBLIC_URL` for the calls; the same two, `MAIL_API_TOKEN`, `MAIL_FROM` and `TOOLBOOTH_OPERATOR_TOKEN` for the pages.",
    {
      label: "The first deployment",
      language: "shell",
      code: `npx wrangler login
npx wrangler d1 create toolbooth
npx wrangler deploy --env alone --secrets-file calls.env
npm run build:edge
npx wrangler d1 migrations apply DB --remote -c wrangler.site.jsonc
npx wrangler deploy -c wrangler.site.jsonc --secrets-file people.env
npx wrangler deploy --env=""`,
    },
    {
      label: "The first account, from anywhere",
      language: "shell",
      code: `export TOOLBOOTH_REMOTE=https://tools.example.com TOOLBOOTH_OPERATOR_TOKEN=...
npm run -s toolbooth -- account create you@example.com --credits 1000
npm run -s toolbooth -- key create you@example.com --label production`,
    },
  ],
};

const LIMITS: DocsSection = {
  id: "limits-today",
  title: "What it is not yet",
  blocks: [
    "Credits are sold in packs and with a lifetime plan, through Stripe alone; there are no subscriptions and no bills after the fact.",
    "Every commit is synced to the disk before its answer leaves. Whether that survives a loss of power is up to the disk.",
  ],
};
