/** The API Worker as it is, with the access that tests of releases have. */
import { createTestWorker } from "./release-access.ts";

export { AccountLedger } from "../../../src/apps/edge/api-worker.ts";

export default createTestWorker((stub) => ({
  perform: (...given) => stub.perform(...given),
  call: (...given) => stub.call(...given),
}));
