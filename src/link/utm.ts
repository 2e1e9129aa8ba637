import {isObject} from '../values/describe.ts';
import {malformed, type Reader, reader, readMembers} from '../values/input.ts';
import {line, type Shape, type ValueOf} from '../values/shape.ts';
import {object, optional} from '../values/objects.ts';

const aPart = line(100);

/** Each goes into the parameter `utm_source`, `utm_medium` and so on of a destination, in this order. */
const parts = {
  source: part('Where the visitors come from, such as `newsletter`.'),
  medium: part('The kind of place, such as `email`.'),
  campaign: part('The name of the campaign, such as `spring`.'),
  term: part('The search words of an advertisement.'),
  content: part('Which of several links or advertisements it is.'),
};

const anyParts = object(parts);

export type Utm = ValueOf<typeof anyParts>;
export type UtmPart = keyof typeof parts;

export const utmParts = Object.keys(parts) as readonly UtmPart[];

/** What is given is read by `readUtm`. */
export const utmShape: Shape<Utm> = {
  ...anyParts,
  holds: (value): value is Utm => anyParts.holds(value) && Object.keys(value).length > 0,
  schema: {title: 'Utm', description: 'The campaign of a link.', ...anyParts.schema, minProperties: 1},
  bounds: `one or more of ${utmParts.map((name) => `\`${name}\``).join(', ')}, each ${aPart.bounds}`,
  isEncoded: true,
};

const readers = Object.fromEntries(utmParts.map((name) => [name, reader(aPart, `${name} of the campaign`)]));

/** @throws ShortUrlError `malformed_parameter` */
export const readUtm: Reader<Utm> = (value) => {
  const given = isObject(value) && !Array.isArray(value) ? readMembers(value, 'A campaign is made of', readers) : {};
  const present = utmParts.filter((name) => name in given);
  if (present.length === 0) throw malformed(`The campaign must be an object with ${utmShape.bounds}.`);
  // In one order, as the XML of the API has them.
  return Object.fromEntries(present.map((name) => [name, given[name]]));
};

/** The parameters of a campaign, as they go into a URL. */
export function utmQuery(utm: Utm): string {
  const parameters = new URLSearchParams();
  for (const name of utmParts) if (utm[name] !== undefined) parameters.append(utmName(name), utm[name]);
  // Programs that do not read a plus sign as a space know `%20`.
  return parameters.toString().replaceAll('+', '%20');
}

/** The parameter of a part in a URL, and its column in a file. */
export function utmName(name: UtmPart): `utm_${UtmPart}` {
  return `utm_${name}`;
}

function part(sentence: string) {
  const shape = optional(aPart);
  return {...shape, schema: {description: sentence, ...shape.schema}};
}
