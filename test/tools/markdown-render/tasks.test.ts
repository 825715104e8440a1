import { check } from "./cases.ts";

const OPEN =
  '<input class="task-list-item-checkbox" disabled="" type="checkbox" aria-label="Incomplete task"> ';
const DONE =
  '<input class="task-list-item-checkbox" checked="" disabled="" type="checkbox" aria-label="Completed task"> ';
const CSS = "the classes in github-markdown-css 5.8.1 and the names on github.com";

check("lists of tasks have GitHub's classes, and each box a name", [
  {
    markdown: "- [ ] a\n- [x] b\n- [X] c",
    html: `<ul class="contains-task-list">\n<li class="task-list-item">${OPEN}a</li>\n<li class="task-list-item">${DONE}b</li>\n<li class="task-list-item">${DONE}c</li>\n</ul>\n`,
    text: "- [ ] a\n- [x] b\n- [x] c",
    source: CSS,
  },
  {
    markdown: "- a\n- [ ] b",
    html: `<ul class="contains-task-list">\n<li>a</li>\n<li class="task-list-item">${OPEN}b</li>\n</ul>\n`,
    source: CSS,
  },
  {
    markdown: "3. [ ] a\n\n4. b",
    html: `<ol start="3" class="contains-task-list">\n<li class="task-list-item">\n<p>${OPEN}a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ol>\n`,
    source: CSS,
  },
  {
    markdown: "- a\n  - [x] b\n    - c",
    html: `<ul>\n<li>a\n<ul class="contains-task-list">\n<li class="task-list-item">${DONE}b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n</li>\n</ul>\n`,
    source: CSS,
  },
  {
    markdown: "> 1) [ ] a",
    html: `<blockquote>\n<ol class="contains-task-list">\n<li class="task-list-item">${OPEN}a</li>\n</ol>\n</blockquote>\n`,
    source: CSS,
  },
  {
    markdown: "- [ ]a\n- [y] b\n- [ ]",
    html: "<ul>\n<li>[ ]a</li>\n<li>[y] b</li>\n<li>[ ]</li>\n</ul>\n",
    source: "micromark-extension-gfm-task-list-item, fixture basic.html of GitHub",
  },
  {
    markdown: "- # [ ] a\n- b\n\n  [ ] c",
    html: "<ul>\n<li>\n<h1>[ ] a</h1>\n</li>\n<li>\n<p>b</p>\n<p>[ ] c</p>\n</li>\n</ul>\n",
    source: "micromark-extension-gfm-task-list-item, fixture basic.html of GitHub",
  },
]);
