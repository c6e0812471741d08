import { SaxesParser } from 'saxes';
import { S3Error } from './s3-error.js';

/** What an element holds: text, other elements, or nothing at all, in which case it is left out. */
export type XmlContent = string | number | boolean | readonly XmlNode[] | undefined;
export type XmlNode = readonly [name: string, content: XmlContent];

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text: string): string {
  // S3 writes characters that XML 1.0 does not have as references too: keys may hold them, and clients read them so.
  // eslint-disable-next-line no-control-regex -- exactly those are meant
  return text.replace(/[&<>"\x00-\x1f\x7f\ufffe\uffff]/g, (char) => ESCAPES[char] ?? `&#${char.charCodeAt(0)};`);
}

function write([name, content]: XmlNode): string {
  if (content === undefined) return '';
  const inner = Array.isArray(content) ? (content as readonly XmlNode[]).map(write).join('') : escape(String(content));
  return `<${name}>${inner}</${name}>`;
}

/** What every document begins with; nothing may stand before it. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** A document whose declaration has been sent already. */
export function withoutDeclaration(document: string): string {
  return document.slice(XML_DECLARATION.length);
}

/** An answer of S3. */
export function xmlDocument(root: string, content: readonly XmlNode[]): string {
  return `${XML_DECLARATION}<${root} xmlns="${NAMESPACE}">${content.map(write).join('')}</${root}>`;
}

/** S3's errors are in no namespace. */
export function xmlError(content: readonly XmlNode[]): string {
  return `${XML_DECLARATION}${write(['Error', content])}`;
}

/** An element of a request. */
export class XmlElement {
  readonly children: XmlElement[] = [];
  text = '';

  constructor(readonly name: string) {}

  /** All children of a name. */
  all(name: string): readonly XmlElement[] {
    return this.children.filter((child) => child.name === name);
  }

  /** The text of the first child of a name. */
  textOf(name: string): string | undefined {
    return this.children.find((child) => child.name === name)?.text;
  }
}

const MAX_DEPTH = 8;

/**
 * Reads the XML of a request. There are no document types, and so no entities but XML's own five.
 * @param root what the outermost element must be
 * @throws S3Error MalformedXML
 */
export function readXml(text: string, root: string): XmlElement {
  const open: XmlElement[] = [];
  let outermost: XmlElement | undefined;
  const malformed = (why: string): S3Error => new S3Error('MalformedXML', `the XML of the request: ${why}`);
  const parser = new SaxesParser();
  parser.on('error', () => {
    throw malformed('it is not well-formed');
  });
  parser.on('doctype', () => {
    throw malformed('a document type is not allowed');
  });
  parser.on('opentag', ({ name }) => {
    const element = new XmlElement(name.replace(/^.*:/, ''));
    if (open.length >= MAX_DEPTH) throw malformed('it is too deep');
    open.at(-1)?.children.push(element);
    outermost ??= element;
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  const addText = (more: string): void => {
    const element = open.at(-1);
    if (element) element.text += more;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(text).close();
  if (outermost?.name !== root) throw malformed(`the outermost element must be ${root}`);
  return outermost;
}
