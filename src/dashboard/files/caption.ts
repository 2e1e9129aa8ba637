import {beginning, html} from '../html.ts';

/** How many characters are in a line, and how many lines there are. */
const lineLength = 28;
const maxLines = 2;

/** Puts a title below the QR code of an SVG, where the code has its white margin already. */
export function captioned(svg: string, title: string): string {
  const [, width = '0', height = '0', side = '0'] = /width="(\d+)" height="(\d+)" viewBox="0 0 (\d+) /.exec(svg) ?? [];
  const lines = linesOf(title);
  const [module, modules] = [Number(width) / Number(side), Number(side)];
  // Letters of a line fill the width of the code.
  const size = modules / lineLength / 0.62;
  const added = Math.ceil(size * 1.3 * lines.length);
  const texts = lines.map(
    (line, index) =>
      html`<text
        x="${modules / 2}"
        y="${(modules + size * (0.7 + 1.3 * index)).toFixed(2)}"
        font-family="sans-serif"
        font-size="${size.toFixed(2)}"
        text-anchor="middle"
        >${line}</text
      >`,
  );
  return svg
    .replace(`height="${height}"`, `height="${Math.round(Number(height) + added * module)}"`)
    .replace(`viewBox="0 0 ${side} ${side}"`, `viewBox="0 0 ${side} ${modules + added}"`)
    .replace(`d="M0 0h${side}v${side}H0z"`, `d="M0 0h${side}v${modules + added}H0z"`)
    .replace('</svg>', `${texts.map(String).join('')}</svg>`);
}

/** The words of a title in lines. */
function linesOf(title: string): string[] {
  const lines: string[] = [''];
  for (const word of title.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= lineLength) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const filled = lines.filter((line) => line !== '').flatMap(cut);
  const shown = filled.slice(0, maxLines);
  return filled.length > maxLines ? [...shown.slice(0, -1), `${shown.at(-1) ?? ''}…`] : shown;
}

/** A word that is too long for a line, in pieces. Chinese has no spaces. */
function cut(line: string): string[] {
  const lines: string[] = [];
  for (let rest = Array.from(line); rest.length > 0;) {
    let length = rest.length;
    while (length > 1 && widthOf(rest.slice(0, length).join('')) > lineLength) length -= 1;
    lines.push(rest.slice(0, length).join(''));
    rest = rest.slice(length);
  }
  return lines;
}

/** Letters of East Asia are twice as wide. */
function widthOf(text: string): number {
  return Array.from(beginning(text, 200)).reduce((sum, letter) => sum + (letter > '\u2E7F' ? 2 : 1), 0);
}
