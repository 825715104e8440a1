import { useSyncExternalStore } from "react";
import { connection } from "../connection.ts";

export const useConnection = () => useSyncExternalStore(connection.subscribe, connection.get);
