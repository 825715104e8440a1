import { Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import "./records.css";

/** A name and what belongs to it, in a `<dl>`. */
export const Fact = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** A number at the top of a screen, in a `<dl className="tb-stats">`; `children` is one line about it. */
export const Stat = (props: {
  name: string;
  value: ReactNode;
  unit?: string;
  children: ReactNode;
}) => (
  <Fact name={props.name}>
    <span className="tb-stat">
      {props.value}
      {props.unit !== undefined && <small> {props.unit}</small>}
    </span>
    <span className="tb-stat-text">{props.children}</span>
  </Fact>
);

/** A part of a screen with its own heading; `side` is shown beside the heading. `beside`: the content may stand beside it. */
export function Section(props: {
  title: string;
  description?: ReactNode;
  side?: ReactNode;
  beside?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      className={props.beside ? "tb-section tb-section-beside" : "tb-section"}
      aria-labelledby={id}
    >
      <div className="tb-section-head">
        <div>
          <Title order={2} id={id}>
            {props.title}
          </Title>
          {props.description !== undefined && (
            <Text c="dimmed" size="sm" mt={4} maw="44rem">
              {props.description}
            </Text>
          )}
        </div>
        {props.side}
      </div>
      {props.beside ? <div>{props.children}</div> : props.children}
    </section>
  );
}
