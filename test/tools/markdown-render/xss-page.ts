/**
 * What runs inside of the page. Every function is sent there as its source, so it uses nothing from outside of
 * itself but types, and the little of a page's world that is declared here.
 */
export type Rules = {
  /** Element -> attribute -> a pattern of its whole value, or "address". */
  elements: Record<string, Record<string, string>>;
  protocols: readonly string[];
};

export type Way = "as a document" | "through innerHTML" | "read from its own innerHTML";

export type Order = { way: Way; htmls: readonly string[]; rules: Rules; settleMs: number };

/** `index`: in which of the htmls, where that is known. */
export type Finding = { index?: number; what: string };

type PageNode = { nodeType: number; textContent: string; childNodes: Iterable<PageNode> };
type PageElement = PageNode & {
  localName: string;
  namespaceURI: string;
  attributes: Iterable<{ name: string; value: string }>;
  children: Iterable<PageElement>;
  innerHTML: string;
};

declare const window: Record<string, unknown> & { tell(what: string): void };
declare function addEventListener(
  name: "securitypolicyviolation",
  hear: (event: { effectiveDirective: string; blockedURI: string }) => void,
): void;
declare const document: {
  readyState: string;
  images: Iterable<{ complete: boolean }>;
  documentElement: PageElement;
  head: PageElement;
  body: PageElement & { replaceChildren(...elements: PageElement[]): void };
  baseURI: string;
  createElement(name: string): PageElement;
};
declare const console: Record<string, unknown>;
declare const navigation: {
  addEventListener(
    name: string,
    hear: (event: { destination: { url: string }; preventDefault(): void }) => void,
  ): void;
};

/** In every frame before anything else: whatever a script would call is reported, and no navigation takes place. */
export function watch(): void {
  const { tell } = window;
  const reported = (name: string) => () => tell(`script: ${name}`);
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) window[name] = reported(name);
  for (const name of ["debug", "error", "info", "log", "warn"]) {
    console[name] = reported(`console.${name}`);
  }
  // The document's policy forbids what Markdown has no use for. It stops nothing, and tells of each attempt.
  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
    tell(`policy: ${effectiveDirective} ${blockedURI}`),
  );
  // Forms, refreshes and scripts, of any scheme but javascript:, which reports itself by what it runs.
  navigation.addEventListener("navigate", (event) => {
    tell(`went to ${event.destination.url}`);
    event.preventDefault();
  });
}

/**
 * Shows the htmls, each in an article of its own, and looks at what became of them. No link is followed: every attribute is one of
 * the rules', and so is the protocol of every address.
 */
export async function look({ way, htmls, rules, settleMs }: Order): Promise<Finding[]> {
  const findings: Finding[] = [];
  const see = (what: string, index?: number) =>
    findings.push(index === undefined ? { what } : { index, what });
  const articles = () => [...document.body.children];
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  function show(): void {
    if (way === "through innerHTML") {
      document.body.replaceChildren(...htmls.map(() => document.createElement("article")));
      articles().forEach((article, index) => {
        article.innerHTML = htmls[index] as string;
      });
    } else if (way === "read from its own innerHTML") {
      for (const article of articles()) article.innerHTML = String(article.innerHTML);
    }
  }

  async function settle(): Promise<void> {
    const isDone = () =>
      document.readyState === "complete" && [...document.images].every((each) => each.complete);
    for (let rounds = 0; rounds < 100 && !isDone(); rounds += 1) await pause(20);
    await pause(settleMs);
  }

  /** What stands between the articles, or adds to the elements that the page has itself. */
  function lookAround(): void {
    const shape = (element: PageElement) =>
      `${element.localName}${[...element.attributes].map(({ name }) => `[${name}]`).join("")}`;
    const expected = { html: "head,body", head: "meta[charset],title", body: undefined };
    const { documentElement: html, head, body } = document;
    for (const [name, element] of Object.entries({ html, head, body })) {
      if (shape(element) !== name) see(`the page's own element became ${shape(element)}`);
      const inside = [...element.children].map(shape).join();
      const wanted = expected[name as "html"] ?? htmls.map(() => "article").join();
      if (inside !== wanted) see(`${name} has other children than the page's`);
    }
    const between = [...body.childNodes].filter((node) => node.nodeType === 3);
    if (between.some((text) => /\S/.test(text.textContent))) see("body has text of its own");
  }

  function checkElement(element: PageElement, index: number): void {
    const { localName, namespaceURI } = element;
    const isKnown = namespaceURI.endsWith("/xhtml") && Object.hasOwn(rules.elements, localName);
    const allowed = isKnown ? rules.elements[localName] : undefined;
    if (allowed === undefined) see(`element ${localName}`, index);
    for (const { name, value } of element.attributes) {
      const place = `${localName}[${name}]`;
      if (/^on/i.test(name)) see(`handler ${place}`, index);
      const pattern = Object.hasOwn(allowed ?? {}, name) ? allowed?.[name] : undefined;
      if (pattern === undefined) see(`attribute ${place}`, index);
      else if (pattern === "address") checkAddress(value, index);
      else if (!new RegExp(`^(?:${pattern})$`, "su").test(value))
        see(`value of ${place}: ${value}`, index);
    }
  }

  function checkAddress(value: string, index: number): void {
    // As it stands, and as the page resolves it. Where it is no address at all, there is nowhere to go.
    for (const url of [URL.parse(value), URL.parse(value, document.baseURI)]) {
      if (url !== null && !rules.protocols.includes(url.protocol))
        see(`protocol ${url.protocol}`, index);
    }
  }

  function checkNodes(node: PageNode, index: number): void {
    for (const child of node.childNodes) {
      if (child.nodeType === 1) checkElement(child as PageElement, index);
      else if (child.nodeType !== 3) see(`node of type ${child.nodeType}`, index);
      checkNodes(child, index);
    }
  }

  show();
  await settle();
  lookAround();
  articles().forEach(checkNodes);
  return findings;
}
