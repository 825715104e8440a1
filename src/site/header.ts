import { type IconName, icon } from "./icons.ts";
import { brandMark } from "./mark.ts";
import { type Html, html, raw } from "./markup.ts";
import { MEMBER_LINKS, type MemberLink, SETTINGS_LINKS } from "./member-links.ts";
import { basePath, pageLinks } from "./page-links.ts";
import { linksToPricing, type PageOptions, toolsWithPage } from "./page-options.ts";

/**
 * The header of every page, and the menus that its buttons open. It is the same for all visitors, because pages are cached: it
 * has the links of signed-in users and those of everybody else, and an attribute of the root element, which a script sets before
 * the first paint, decides which are visible (`web/front/early.ts`, `web/shell/`). The menus are popovers, which open without a script.
 */
export function renderHeader(path: string | null, options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const entries = openLinks(options);
  return html`<a class="tb-skip" href="#content">Skip to content</a>
<header class="tb-header" data-base="${basePath(options.publicUrl)}"${sells(options) && raw(" data-sells")}><div class="tb-bar">
<a class="tb-brand" href="${links.front}">${brandMark(options)}<span>${options.name}</span></a>
<nav class="tb-links" aria-label="Pages">
${entries.map(([href, label]) => link(href, label, path, options))}</nav>
<button type="button" class="tb-search tb-scripted" data-open="search" aria-haspopup="dialog" aria-keyshortcuts="Control+K">${icon("search", 18)}<span class="tb-search-label">Search</span><kbd>Ctrl K</kbd></button>
<button type="button" class="tb-icon-button tb-scripted tb-wide" popovertarget="tb-appearance" aria-label="Appearance">${icon("sun")}${icon("moon")}</button>
${visitorLinks(options)}<button type="button" class="tb-icon-button tb-narrow" popovertarget="tb-menu" aria-label="Menu">${icon("menu", 22)}</button>
</div></header>
<div popover id="tb-appearance" class="tb-popover" role="dialog" aria-label="Appearance">${appearanceChoice("tb-appearance-choice")}</div>
${accountMenu(path, options)}<div popover id="tb-menu" class="tb-popover tb-menu" role="dialog" aria-label="Menu">
<nav class="tb-nav tb-if-in" aria-label="Dashboard">${menuLinks(path, options)}</nav>
<nav class="tb-nav" aria-label="Pages"><ul>${entries.map(([href, label]) => html`<li>${link(href, label, path, options)}</li>`)}</ul></nav>
<div class="tb-menu-actions tb-if-out"><a class="tb-button" href="${links.signIn}">Sign in</a></div>
<div class="tb-if-in">${signedInAs()}</div>
<div class="tb-scripted">${appearanceChoice("tb-menu-appearance")}</div>
</div>
`;
}

const sells = ({ dashboard }: PageOptions): boolean => dashboard.prices.payable;

/** The links that need no account. */
function openLinks(options: PageOptions): [string, string][] {
  const links = pageLinks(options.publicUrl);
  return [
    [toolsWithPage(options).length > 0 ? links.tools : `${links.docs}#tools`, "Tools"],
    ...(linksToPricing(options) ? ([[links.pricing, "Pricing"]] as [string, string][]) : []),
    [links.docs, "Documentation"],
  ];
}

function link(href: string, label: string, path: string | null, options: PageOptions): Html {
  const here = path === null ? null : basePath(options.publicUrl) + path;
  const current = here === href ? "page" : here?.startsWith(`${href}/`) ? "true" : null;
  return html`<a href="${href}"${current && html` aria-current="${current}"`}>${label}</a>\n`;
}

/** Both kinds of links have the same place, so that nothing moves when the page learns who the visitor is. */
function visitorLinks(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  return html`<div class="tb-visitor tb-wide">
<div class="tb-if-out"><a class="tb-button" href="${links.signIn}">Sign in</a></div>
<div class="tb-if-in"><a href="${links.home}">Dashboard</a><button type="button" class="tb-icon-button" popovertarget="tb-account" aria-label="Account" data-account>${icon("account")}</button></div>
</div>
`;
}

function accountMenu(path: string | null, options: PageOptions): Html {
  const base = basePath(options.publicUrl);
  const shown = [MEMBER_LINKS[0], SETTINGS_LINKS[0], SETTINGS_LINKS.at(-1)] as MemberLink[];
  return html`<div popover id="tb-account" class="tb-popover" role="dialog" aria-label="Account">
<nav class="tb-nav" aria-label="Your account"><ul>${shown.map((entry) => memberLink(entry, path, base))}</ul></nav>
${signedInAs()}</div>
`;
}

/** The script fills in the address and handles the button. */
const signedInAs = () =>
  html`<div class="tb-signed-in"><p>Signed in as <strong data-email></strong></p>
<button type="button" class="tb-button tb-quiet" data-sign-out>Sign out</button><p role="alert" data-sign-out-error></p></div>
`;

/** The navigation of the dashboard, in the menu of narrow screens. */
const menuLinks = (path: string | null, options: PageOptions): Html =>
  dashboardLinks(basePath(options.publicUrl), path, memberLink);

/** The same beside the pages of the dashboard, with icons. The other pages do without them, to stay small. */
export const sideLinks = (path: string | null, options: PageOptions): Html =>
  dashboardLinks(basePath(options.publicUrl), path, (entry, here, base) =>
    memberLink(entry, here, base, icon(entry.icon, 18)),
  );

function dashboardLinks(
  base: string,
  path: string | null,
  link: (entry: MemberLink, path: string | null, base: string) => Html,
): Html {
  const list = (entries: readonly MemberLink[]) =>
    html`<ul>${entries.map((entry) => link(entry, path, base))}</ul>\n`;
  return html`${list(MEMBER_LINKS)}<p>Settings</p>${list(SETTINGS_LINKS)}`;
}

const memberLink = (entry: MemberLink, path: string | null, base: string, image?: Html): Html =>
  html`<li><a href="${base}${entry.path}"${entry.path === path && raw(' aria-current="page"')}>${image}${entry.label}</a></li>`;

const APPEARANCES: readonly [value: string, label: string, icon: IconName][] = [
  ["auto", "System", "system"],
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"],
];

/** `name` differs between two choices on a page. */
const appearanceChoice = (name: string): Html =>
  html`<fieldset class="tb-choice" data-appearance><legend>Appearance</legend><div>${APPEARANCES.map(
    ([value, label, iconName]) =>
      html`<label><input type="radio" name="${name}" value="${value}"><span>${icon(iconName, 16)}${label}</span></label>`,
  )}</div></fieldset>`;
