import type { ComponentType } from "react";
import type { Inputs } from "./call-plan.ts";
import type { FieldValues } from "./tool-fields.ts";
import type { ShownResponse } from "./use-response.ts";

/** The result of a call with status 200. */
export type ResultProps = { response: ShownResponse };
/** Shown below the result, whether there is one or not. */
export type BesideProps = {
  inputs: Inputs;
  response: ShownResponse | null;
  /** False for inputs of a link, which must not be worked on until the user says so. */
  mayRun: boolean;
};
/** Shown above the fields. */
export type HelperProps = {
  values: FieldValues;
  onChange(values: FieldValues): void;
};

/** What `views/<tool>.tsx` exports. A tool without a view shows its response field by field. */
export type ToolView = {
  default?: ComponentType<ResultProps>;
  Beside?: ComponentType<BesideProps>;
  Helper?: ComponentType<HelperProps>;
  /** What happens to a dropped file. */
  dropLabel?: string;
  /** The page can fill the screen, for a tool whose input and result are long. */
  fillsScreen?: boolean;
};
