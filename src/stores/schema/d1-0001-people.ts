import { ADDRESS_TABLES } from "./sqlite-0001-ledger.ts";
import { sqlite0003People } from "./sqlite-0003-people.ts";

/** People at the edge: the tables of the SQLite store, as they are. */
export const d10001People = `${ADDRESS_TABLES}
${sqlite0003People}`;
