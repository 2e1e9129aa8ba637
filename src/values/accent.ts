import {patterned} from './shape.ts';

/** A site's colour for both colour schemes, as CSS colours. Its contrast is enough for text. */
export interface Accent {
  readonly light: AccentColors;
  readonly dark: AccentColors;
}

export interface AccentColors {
  /** The colour of links, and the background of buttons. */
  readonly accent: string;
  readonly onAccent: string;
}

type Color = readonly [red: number, green: number, blue: number];

const black: Color = [0, 0, 0];
const white: Color = [255, 255, 255];
/** The backgrounds with the lowest contrast: the darkest of the light scheme, the brightest of the dark scheme. */
const surfaces = {light: [232, 236, 241], dark: [44, 51, 60]} as const satisfies Record<string, Color>;
/** WCAG requires 4.5 for text. The rest is a margin for rounding. */
const minContrast = 4.6;

/** A colour of the form `#rgb` or `#rrggbb` in an option. */
export const aColor = patterned('^#([0-9A-Fa-f]{3}){1,2}$', {expected: 'a colour such as #0b5d66'});

/**
 * Adapts a colour to both schemes: makes it darker or lighter until the contrast is enough for text.
 *
 * @param color `#rgb` or `#rrggbb`
 */
export function accentOf(color: string): Accent {
  const wanted = parse(color);
  return {light: fit(wanted, surfaces.light, black), dark: fit(wanted, surfaces.dark, white)};
}

function fit(wanted: Color, surface: Color, towards: Color): AccentColors {
  let fitted = wanted;
  for (let share = 0.02; contrast(fitted, surface) < minContrast && share <= 1; share += 0.02) {
    fitted = mix(wanted, towards, share);
  }
  const onAccent = contrast(fitted, white) >= contrast(fitted, black) ? white : black;
  return {accent: format(fitted), onAccent: format(onAccent)};
}

function parse(color: string): Color {
  const digits = color.length === 4 ? color.replaceAll(/[\da-f]/gi, '$&$&') : color;
  const at = (start: number): number => parseInt(digits.slice(start, start + 2), 16);
  return [at(1), at(3), at(5)];
}

function format(color: Color): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function mix(color: Color, other: Color, share: number): Color {
  const at = (index: 0 | 1 | 2): number => Math.round(color[index] + (other[index] - color[index]) * share);
  return [at(0), at(1), at(2)];
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
function contrast(one: Color, other: Color): number {
  const [bright = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dark + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
