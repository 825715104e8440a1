/** The part of md4w that the benchmarks use. Its own types stand behind a condition that is never reached. */
declare module "md4w" {
  export function init(): Promise<void>;
  export function mdToHtml(markdown: string): string;
}
