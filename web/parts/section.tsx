import { Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import "./records.css";

/** A part of a screen with its own heading; `side` is shown beside the heading. */
export function Section(props: {
  title: string;
  description?: ReactNode;
  side?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className="tb-section" aria-labelledby={id}>
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
      {props.children}
    </section>
  );
}
