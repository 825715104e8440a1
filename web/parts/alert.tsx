import type { ReactNode, Ref } from "react";

/**
 * A block that says what went wrong, or what to know. It is not Mantine's, because every page has one ready and that one brings a
 * button to close it. `plain`: without the colour, where the frame already shows a coloured banner.
 */
export const Alert = ({
  color,
  title,
  plain = false,
  className = "",
  children,
  ...rest
}: {
  color: "red" | "accent";
  title?: ReactNode;
  plain?: boolean;
  className?: string;
  role?: "alert" | "status";
  tabIndex?: number;
  ref?: Ref<HTMLDivElement>;
  children?: ReactNode;
}) => (
  <div {...rest} className={`tb-alert ${className}`} data-color={plain ? "plain" : color}>
    {title !== undefined && <div className="tb-alert-title">{title}</div>}
    {children}
  </div>
);
