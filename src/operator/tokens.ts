/** A token of the setting TOOLBOOTH_OPERATOR_TOKEN; its name stands in the lines of what was done with it. */
export type OperatorToken = { name: string; token: string };
