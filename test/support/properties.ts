import fc from "fast-check";
import { SEED } from "./random.ts";

/** fast-check, whose properties and samples begin at `TEST_SEED`: what it found is found again. */
fc.configureGlobal({ seed: SEED });

export default fc;
