/** How a state looks. In a file without JSX, so that modules tested in Node can import it. */
export type Tone = "ok" | "warn" | "bad" | "soft";
export type Shape = "check" | "cross" | "clock" | "plus" | "minus" | "back" | "empty";
export type StateLabel = { title: string; shape: Shape; tone: Tone };
