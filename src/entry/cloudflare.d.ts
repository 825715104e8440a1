/** The little that is used of the platform's modules; its own types would bring a second DOM along. */
declare module "cloudflare:workers" {
  export class DurableObject {
    constructor(state: never, env: never);
  }
}
