import type { ReactNode } from "react";
import { PageTitle } from "../parts/page-title.tsx";

/** The narrow column of the sign-in and sign-up pages. */
export const SignInFrame = ({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
}) => (
  <div className="tb-sign-in">
    <PageTitle title={title} />
    {lead !== undefined && <div className="tb-lead tb-break">{lead}</div>}
    {children}
  </div>
);
