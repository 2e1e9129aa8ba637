// Playwright's types name these of a browser's. Without what is in them nothing of a page is at hand in a program that
// runs on Node.js; with the whole library of a browser's types, `document` would compile there too.
declare global {
  interface Node {
    readonly nodeType: number;
  }
  type HTMLElement = Node;
  type SVGElement = Node;
  type HTMLElementTagNameMap = Record<string, HTMLElement>;
}

export {};
