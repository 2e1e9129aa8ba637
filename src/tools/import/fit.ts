import {ShortUrlError} from '../../errors.ts';
import {beginning, inOneLine, isWithin} from '../../values/characters.ts';
import {isObject} from '../../values/describe.ts';
import {fields, givenNames, type InputRules, type ShownName, tagList, visitLimit} from '../../link/fields.ts';
import {deviceOf} from '../../tables/targets.ts';
import type {CreateLink} from '../../link/link.ts';
import {maxRules, readRules} from '../../link/rules.ts';
import type {Note, NoteCode, SourceLink} from '../../tables/source-link.ts';

/** A link as a create of this site accepts it, and the changes that were needed. */
export interface Fitted {
  readonly asked: CreateLink;
  readonly isDisabled: boolean;
  readonly notes: readonly Note[];
}

type Fit = (value: unknown, notes: Note[], rules: InputRules) => unknown;

/** Values of other shorteners that are changed or left out, because a create would refuse the whole link for them. */
const changes: Readonly<Partial<Record<ShownName, Fit>>> = {
  title: (title, notes) => fitLine('title', title, notes, 'title_changed'),
  tags: (tags, notes) => fitTags(tags as readonly string[], notes),
  maxVisits: (limit, notes) => fitLimit(limit as number, notes),
  expiredUrl: kept('expiredUrl'),
  rules: fitRules,
  previewTitle: (title, notes) => fitLine('previewTitle', title, notes),
  previewDescription: (text, notes) => fitLine('previewDescription', text, notes),
  previewImage: kept('previewImage'),
  reference: kept('reference'),
  utm: fitUtm,
};

/** Adapts a link to the limits of this site. Its destination and its protection never change. */
export function fit(source: SourceLink, baseDomain: string, rules: InputRules): Fitted {
  const notes: Note[] = [...(source.notes ?? [])];
  const {url, shortPart, domain, end, password, isBlocked, isLocked} = source;
  if (isLocked) {
    const message = 'The password is unknown. Visitors cannot open the link until its owner sets a new one.';
    notes.push({code: 'password_unknown', message});
  }
  if (isBlocked) {
    const message = 'The operator of the other site has blocked the link, so it is blocked here too.';
    notes.push({code: 'blocked', message});
  }
  const fitted: Partial<CreateLink> = Object.fromEntries(
    givenNames.flatMap((name) => {
      const value = source.fields[name as ShownName];
      const change = changes[name as ShownName];
      return value === undefined ? [] : [[name, change ? change(value, notes, rules) : value]];
    }),
  );
  const own = domain === undefined ? undefined : rules.bases.find(domain);
  // An expired link without an expiry date or limit must not work again.
  const isStopped = source.isExpired === true && end === undefined && fitted.maxVisits === undefined;
  return {
    asked: {...fitted, url, customUrl: shortPart, baseDomain: own?.domain ?? baseDomain, password},
    isDisabled: source.isDisabled === true || isStopped,
    notes,
  };
}

/** A text in one line of at most the maximum length. */
function fitLine(
  name: 'title' | 'previewTitle' | 'previewDescription',
  given: unknown,
  notes: Note[],
  code: NoteCode = 'value_changed',
): string | undefined {
  if (typeof given !== 'string') return undefined;
  const {parameter, shape} = fields[name];
  const {maxLength = 0} = shape.schema;
  const whole = inOneLine(given);
  if (isWithin(whole, maxLength)) return whole === '' ? undefined : whole;
  notes.push({code, message: `The ${parameter} was cut to ${maxLength} characters.`});
  return `${beginning(whole, maxLength - 1).trimEnd()}…`;
}

/** Leaves out a value that a create would refuse. */
function kept(name: ShownName): Fit {
  return (value, notes, rules) => {
    const given = typeof value === 'string' ? inOneLine(value) : value;
    const reason = refusalOf(() => fields[name].read(given, name, rules));
    if (reason === undefined) return given;
    notes.push({code: 'value_dropped', message: `The ${fields[name].parameter} was left out. ${reason}`});
    return undefined;
  };
}

/** What a check says against a value. */
function refusalOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ShortUrlError) return error.message;
    throw error;
  }
}

/** The parts of a campaign that fit, each by itself. */
function fitUtm(given: unknown, notes: Note[], rules: InputRules): unknown {
  if (!isObject(given)) return kept('utm')(given, notes, rules);
  const parts = Object.entries(given).flatMap(([name, value]) =>
    kept('utm')({[name]: typeof value === 'string' ? inOneLine(value) : value}, notes, rules) === undefined
      ? []
      : [[name, inOneLine(String(value))] as const],
  );
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/** The rules that fit, in their order, with the values that programs have for those that links here know. */
function fitRules(given: unknown, notes: Note[], {schemes}: InputRules): unknown {
  const rules = (Array.isArray(given) ? (given as unknown[]) : [given]).map(normalRule);
  const reasons: string[] = [];
  const fitting = rules
    .filter((rule) => {
      const reason = refusalOf(() => readRules([rule], schemes));
      if (reason !== undefined) reasons.push(reason);
      return reason === undefined;
    })
    .slice(0, maxRules);
  if (fitting.length < rules.length) {
    const message = `${rules.length - fitting.length} of ${rules.length} rules were left out. ${reasons[0] ?? `A link has at most ${maxRules}.`}`;
    notes.push({code: 'rules_dropped', message});
  }
  return fitting.length === 0 ? undefined : fitting;
}

function normalRule(rule: unknown): unknown {
  if (!isObject(rule) || typeof rule['device'] !== 'string') return rule;
  return {...rule, device: deviceOf(rule['device'])};
}

function fitTags(tags: readonly string[], notes: Note[]): readonly string[] {
  const whole = Array.from(
    new Set(tags.map((tag) => inOneLine(tag.replaceAll(',', ' ')).normalize('NFC')).filter(Boolean)),
  );
  const cut = whole.map((tag) => beginning(tag, tagList.maxItem).trimEnd());
  const fitting = Array.from(new Set(cut)).slice(0, tagList.max);
  if (fitting.join() !== whole.join() || tags.some((tag) => tag.includes(','))) {
    const message = `The tags were cut to ${tagList.max} tags of at most ${tagList.maxItem} characters without commas.`;
    notes.push({code: 'tags_changed', message});
  }
  return fitting;
}

function fitLimit(limit: number, notes: Note[]): number | undefined {
  if (limit <= visitLimit.max) return limit;
  notes.push({code: 'limit_dropped', message: `The visit limit was above ${visitLimit.max} and was removed.`});
  return undefined;
}
