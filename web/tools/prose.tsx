import { Fragment } from "react";

/** Renders text from the API description, with backticks as code. */
export const Prose = ({ text }: { text: string }) =>
  text.split("`").map((piece, at) => {
    const key = `${at} ${piece}`;
    return at % 2 === 1 ? (
      <code key={key} className="tool-word">
        {piece}
      </code>
    ) : (
      <Fragment key={key}>{piece}</Fragment>
    );
  });
