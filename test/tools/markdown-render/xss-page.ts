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

export type Seen = {
  /** `index`: in which of the htmls, where that is known. */
  findings: { index?: number; what: string }[];
  clicked: number;
  followed: number;
};

type Attribute = { name: string; value: string };
type PageNode = { nodeType: number; textContent: string; childNodes: Iterable<PageNode> };
type PageElement = PageNode & {
  scrollHeight: number;
  localName: string;
  namespaceURI: string;
  attributes: Iterable<Attribute>;
  children: Iterable<PageElement>;
  querySelectorAll(selector: string): Iterable<PageElement>;
  innerHTML: string;
  getClientRects(): ArrayLike<{ x: number; y: number; width: number; height: number }>;
  focus?(): void;
  dispatchEvent(event: object): void;
};
type PageWindow = Record<string, unknown> & {
  tell(what: string): void;
  navigated: string[];
};

declare const window: PageWindow;
declare function addEventListener(
  name: "securitypolicyviolation",
  hear: (event: { effectiveDirective: string; blockedURI: string }) => void,
): void;
declare const document: Record<string, unknown> & {
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
declare const Element: new () => PageElement;
declare const HTMLCollection: new () => object;
declare const MouseEvent: new (name: string, options: object) => object;

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
  window.navigated = [];
  // Links, forms, refreshes and scripts, of any scheme but javascript:, which reports itself by what it runs.
  navigation.addEventListener("navigate", (event) => {
    window.navigated.push(event.destination.url);
    event.preventDefault();
  });
}

/** Shows the htmls, each in an article of its own, looks at what became of them, and uses every link. */
export async function look({ way, htmls, rules, settleMs }: Order): Promise<Seen> {
  const seen: Seen = { findings: [], clicked: 0, followed: 0 };
  const see = (what: string, index?: number) =>
    seen.findings.push(index === undefined ? { what } : { index, what });
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
      if (name === "id" || name === "name") checkName(value, index);
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

  /** A page's scripts find an element with this name where they look for a variable of their own. */
  function checkName(value: string, index: number): void {
    if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(value) || value in Object.prototype)
      see(`global name ${value}`, index);
  }

  /** What the document has of itself, and now has an element for. A window keeps its own. */
  function checkDocument(): void {
    let own: Record<string, PropertyDescriptor> = {};
    // Not of the document itself: an element goes by its name there as if the document had it of itself.
    let from: object | null = Object.getPrototypeOf(document);
    for (; from !== null; from = Object.getPrototypeOf(from))
      own = { ...Object.getOwnPropertyDescriptors(from), ...own };
    for (const [name, { get, value }] of Object.entries(own)) {
      const found = document[name];
      const isMarkup = found instanceof Element || found instanceof HTMLCollection;
      if (isMarkup && found !== (get ? get.call(document) : value))
        see(`clobbered document.${name}`);
    }
  }

  function checkNodes(node: PageNode, index: number): void {
    for (const child of node.childNodes) {
      if (child.nodeType === 1) checkElement(child as PageElement, index);
      else if (child.nodeType !== 3) see(`node of type ${child.nodeType}`, index);
      checkNodes(child, index);
    }
  }

  /** Focus, the mouse over it, and a click: what is followed must be of an allowed protocol. */
  function use(element: PageElement, index: number): void {
    window.navigated = [];
    seen.clicked += 1;
    element.focus?.();
    for (const name of ["mouseover", "mouseenter", "mousemove", "mousedown", "mouseup", "click"]) {
      element.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
    }
    seen.followed += window.navigated.length;
    for (const address of window.navigated) checkAddress(address, index);
    window.navigated = [];
  }

  show();
  await settle();
  lookAround();
  articles().forEach(checkNodes);
  checkDocument();
  for (const address of window.navigated) see(`went by itself to ${address}`);
  articles().forEach((article, index) => {
    for (const element of article.querySelectorAll("a, area, button, input, label, summary"))
      use(element, index);
  });
  await pause(settleMs);
  for (const address of window.navigated) see(`went later to ${address}`);
  return seen;
}

export function fullHeight(): number {
  return document.documentElement.scrollHeight;
}

/** The middle of every link that has a place on the page. */
export function findLinks(): { x: number; y: number }[] {
  return [...document.body.querySelectorAll("a")].flatMap((link) => {
    const place = link.getClientRects()[0];
    if (place === undefined || place.width < 1 || place.height < 1) return [];
    return [{ x: place.x + place.width / 2, y: place.y + place.height / 2 }];
  });
}

/** Where the page would have gone since it was asked last. */
export function takeNavigated(): string[] {
  return window.navigated.splice(0);
}
