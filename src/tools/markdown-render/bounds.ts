/**
 * Bounds for constructs by which a short text could produce a huge or deeply nested result. Beyond a bound the text is
 * kept and its structure is flattened; no document is rejected.
 */

/**
 * Nested quotes, lists and items. Each line is matched against all open containers, so this also bounds the cost of a
 * line. Browsers flatten elements nested deeper than 512.
 */
export const CONTAINERS_MAX = 100;

/** Nested emphasis: `*a **a *a` nests deeper with every two characters, and browsers flatten beyond 512. */
export const INLINE_NESTING_MAX = 100;

/** Superscripts and subscripts within each other. */
export const SCRIPT_NESTING_MAX = 10;

/** CommonMark, section 4.7: a link label has at most 999 characters. */
export const LABEL_CHARS_MAX = 999;

/** CommonMark, section 6.3, requires at least three levels; this is cmark's limit. */
export const LINK_PARENTHESES_MAX = 32;

/**
 * A definition can be used any number of times: a hundred thousand references to a long address would produce
 * gigabytes. Beyond this many characters of addresses and titles, references become their text.
 */
export const referenceCharsMax = (sourceChars: number) => 4096 + 4 * sourceChars;

/**
 * A base URL may be long and a link short: a hundred thousand links would make hundreds of megabytes. Beyond this many
 * characters that the base URL has added, relative links and images become their text.
 */
export const resolvedCharsMax = (sourceChars: number) => 64 * 1024 + 4 * sourceChars;

/**
 * GFM fills a short row with empty cells: a thousand columns with rows of two characters would produce 5,000 times the
 * text. Beyond this many empty cells, a row ends where its text ends.
 */
export const filledCellsMax = (sourceChars: number) => 256 + Math.floor(sourceChars / 16);

/**
 * Repeated references to a footnote that get a link back, which takes about 240 characters for the four of `[^a]`.
 * References beyond this number still link to the footnote.
 */
export const waysBackMax = (sourceChars: number) => 50 + Math.floor(sourceChars / 256);

/**
 * An HTML tag can be as long as the paragraph, and quoted values within a tag can look like other tags. After this many
 * steps spent on unterminated tags, in multiples of the paragraph's length, `<` is text.
 */
export const FAILED_TAG_STEPS_FACTOR = 8;

/** Elements of raw HTML that are open at once, in the whole document or within one paragraph. Tags beyond it are dropped. */
export const SAFE_NESTING_MAX = 100;

/** Headings in an outline. An entry takes up to 20 times the characters of `# a`. */
export const OUTLINE_HEADINGS_MAX = 10_000;

/**
 * Plain text omits prefixes of a line beyond this: in ten nested ordered lists, a lazy line of one character would get
 * a prefix of a hundred.
 */
export const TEXT_PREFIX_CHARS_MAX = 40;
