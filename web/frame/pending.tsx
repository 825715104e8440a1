import { useRouterState } from "@tanstack/react-router";
import { LoadingRows } from "../parts/loading.tsx";
import { PageTitle } from "../parts/page-title.tsx";

/** As the screens call themselves. */
const TITLES: Record<string, string> = {
  "/home": "Home",
  "/usage": "Usage",
  "/credits": "Credits",
  "/settings/api-keys": "API keys",
  "/settings/account": "Account",
  "/tools": "Tools",
  "/sign-up": "Sign up",
  "/sign-in": "Sign in",
};
export const titleOf = (path: string): string => TITLES[path.replace(/[?#].*$/, "")] ?? "Loading";

/** While nobody knows yet who looks, or the screen's file is on its way, the heading stands already. */
export function Pending() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <>
      <PageTitle title={titleOf(path)} />
      <LoadingRows />
    </>
  );
}
