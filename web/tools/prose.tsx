import { Fragment } from "react";

/** A text of the API's description: what stands between backticks is code. */
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
