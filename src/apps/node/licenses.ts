import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { SITE_FILES } from "#site/site-files.ts";
import { siteFileSource } from "../../../web/site-file-source.ts";

/** The licenses of the packages whose code is in our bundles: most of them require that their text goes along. */

/** `identifier` is that of SPDX. */
export type License = { name: string; version: string; identifier: string; text: string };

/** Where the build of the pages writes which packages its bundles are made of. */
export const PAGE_LICENSES = ["licenses-front.json", "licenses-pages.json"] as const;

/** What a package must not be passed on without. */
const LICENSE_FILES = /^(?:licen[cs]e|copying|notice)/i;

/** Of the packages that files below `node_modules` are from. */
export function licensesOf(checkout: string, files: readonly string[]): License[] {
  const folders = files.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .map((folder) => readLicense(path.join(checkout, folder)));
}

/** Of the packages in the pages, and of the fonts. */
export function bundledInPages(checkout: string, pages: string): License[] {
  type Listed = { name: string; version: string };
  const read = (...parts: string[]) => JSON.parse(readFileSync(path.join(...parts), "utf8"));
  const installed = Object.entries<Listed>(read(checkout, "package-lock.json").packages);
  const listed = PAGE_LICENSES.flatMap((name): Listed[] => read(pages, name));
  const folders = listed.map(({ name, version }) => {
    const found = installed.find(
      ([folder, each]) => folder.endsWith(`node_modules/${name}`) && each.version === version,
    );
    if (found === undefined) throw new Error(`package-lock.json lacks ${name} ${version}`);
    return path.join(checkout, found[0]);
  });
  return [...folders.map(readLicense), ...licensesOf(checkout, SITE_FILES.map(siteFileSource))];
}

function readLicense(folder: string): License {
  const read = (name: string) => readFileSync(path.join(folder, name), "utf8");
  const { name, version, license, author } = JSON.parse(read("package.json"));
  const files = readdirSync(folder).filter((each) => LICENSE_FILES.test(each));
  // Some packages name only the license.
  const text =
    files.map((file) => read(file).trim()).join("\n\n") || `By ${author?.name ?? author}`;
  return { name, version, identifier: license, text };
}

/** Each package once, in the order of their names. */
export function licensesText(licenses: readonly License[]): string {
  const byPackage = new Map(licenses.map((each) => [`${each.name} ${each.version}`, each]));
  const texts = [...byPackage]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, { identifier, text }]) => `${title} (${identifier})\n\n${text}\n`);
  const head = "Toolbooth contains code of these packages, each under its own license.\n";
  return [head, ...texts].join(`\n${"-".repeat(80)}\n\n`);
}
