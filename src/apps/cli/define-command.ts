import type { Call, Command, Outcome } from "./command.ts";
import { type Deployment, withDeployment } from "./deployment.ts";
import type { Argument } from "./takes.ts";

type Takes<Given> = { takes: { [Name in keyof Given]: Argument<Given[Name]> } };
type Described = Omit<Command, "takes" | "run">;

/** What a command is given beside its words: the call, and the deployment that it is about. */
export type Session = Call & Deployment;

/** A command on a deployment, which is open while it runs. */
export const command = <Given>({
  check,
  run,
  creates = false,
  ...described
}: Described &
  Takes<Given> & {
    /** Throws what is wrong with what was typed, before any data is looked for. */
    check?(given: Given, call: Call): void;
    /** Where there is no data yet, its tables are made. */
    creates?: boolean;
    run(given: Given, session: Session): Promise<Outcome>;
  }): Command => ({
  ...described,
  async run(call, given) {
    check?.(given, call);
    const onDeployment = (deployment: Deployment) => run(given, { ...call, ...deployment });
    return withDeployment(call, onDeployment, { create: creates });
  },
});

/** A command that finds for itself what it works on: files, and data that is not there yet. */
export const commandOnFiles = <Given>(
  its: Described & Takes<Given> & { run(call: Call, given: Given): Promise<Outcome> },
): Command => its;
