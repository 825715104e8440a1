import { sqlite0004Letters } from "./sqlite-0004-letters.ts";

/** Letters that wait, at the edge: the tables of the SQLite store, as they are. */
export const d10002Letters = sqlite0004Letters;
