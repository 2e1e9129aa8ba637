import {createRequire} from 'node:module';
import {type DefaultTreeAdapterTypes, parse} from 'parse5';

interface XmlParser {
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'opentag', listener: (tag: {name: string; attributes: object}) => void): void;
  on(event: 'text', listener: (text: string) => void): void;
  on(event: string, listener: () => void): void;
  write(text: string): {close(): void};
}

/** The package's own types do not compile under our strict settings. */
const {SaxesParser} = createRequire(import.meta.url)('saxes') as {SaxesParser: new () => XmlParser};

export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The text directly in the element. */
  readonly text: string;
}

/**
 * Reads a strictly well-formed document of XML 1.0, with a parser that is independent of the writer.
 *
 * @throws Error if it is not well-formed, or has anything but elements and text
 */
export function readXml(document: string): XmlElement {
  interface Open {
    name: string;
    children: XmlElement[];
    text: string;
  }
  const root: Open = {name: '', children: [], text: ''};
  const open = [root];
  const parser = new SaxesParser();
  const foreign = (what: string) => () => {
    throw new Error(`The document has a ${what}`);
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({name, attributes}) => {
    if (Object.keys(attributes).length > 0) throw new Error(`The element ${name} has attributes`);
    const element: Open = {name, children: [], text: ''};
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on('closetag', () => open.pop());
  parser.on('cdata', foreign('CDATA section'));
  parser.on('comment', foreign('comment'));
  parser.on('doctype', foreign('document type'));
  parser.on('processinginstruction', foreign('processing instruction'));
  parser.write(document).close();
  const [element] = root.children;
  if (element === undefined) throw new Error('The document is empty');
  return element;
}

type HtmlNode = DefaultTreeAdapterTypes.Node;

/**
 * The structure of a page as a browser parses it: elements and the names of their attributes, in order, without text or
 * values.
 *
 * @throws Error if the page is not valid HTML
 */
export function structureOf(page: string): string {
  const document = parse(page, {
    onParseError: ({code, startLine}) => {
      throw new Error(`The page is malformed in line ${startLine}: ${code}`);
    },
  });
  return structureOfNode(document);
}

function structureOfNode(node: HtmlNode): string {
  if (node.nodeName === '#comment') return '<!-- -->';
  if (!('childNodes' in node)) return '';
  const children = node.childNodes.map(structureOfNode).join('');
  if (!('tagName' in node)) return children;
  const names = node.attrs.map(({name}) => ` ${name}`).join('');
  return `<${node.tagName}${names}>${children}</${node.tagName}>`;
}

export interface HtmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * The elements of a page with their attributes, in order, as a browser parses it.
 *
 * @throws Error if the page is not valid HTML
 */
export function elementsOf(page: string): HtmlElement[] {
  structureOf(page);
  return elementsIn(parse(page));
}

function elementsIn(node: HtmlNode): HtmlElement[] {
  const own = 'tagName' in node ? [{name: node.tagName, attributes: attributesOf(node)}] : [];
  return 'childNodes' in node ? [...own, ...node.childNodes.flatMap(elementsIn)] : own;
}

function attributesOf({attrs}: DefaultTreeAdapterTypes.Element): Map<string, string> {
  return new Map(attrs.map(({name, value}) => [name, value]));
}
