import type { IconName } from "./icons.ts";

/** A page of the dashboard, as the navigation names it. */
export type MemberLink = { path: string; label: string; icon: IconName };

/** The pages of the dashboard for signed-in users, in the order of the navigation. */
export const MEMBER_LINKS: readonly MemberLink[] = [
  { path: "/home", label: "Home", icon: "home" },
  { path: "/requests", label: "Requests", icon: "requests" },
  { path: "/usage", label: "Usage", icon: "usage" },
  { path: "/credits", label: "Credits", icon: "credits" },
];

/** The pages of the group Settings. */
export const SETTINGS_LINKS: readonly MemberLink[] = [
  { path: "/settings/api-keys", label: "API keys", icon: "keys" },
  { path: "/settings/notifications", label: "Notifications", icon: "notifications" },
  { path: "/settings/webhooks", label: "Webhooks", icon: "webhooks" },
  { path: "/settings/account", label: "Account", icon: "account" },
];

/** The page of the dashboard at a path below the path of the service. */
export const memberLinkOf = (path: string): MemberLink | undefined =>
  [...MEMBER_LINKS, ...SETTINGS_LINKS].find((link) => link.path === path);

export const isMemberPath = (path: string): boolean => memberLinkOf(path) !== undefined;
