import type {CreateLink} from '../../index.ts';
import {type Entered, filled, toCreate, wrongInputs} from '../forms/link-fields.ts';
import {mistakeOf, tagsIn} from '../forms/inputs.ts';
import {hasScheme} from '../forms/long-url.ts';
import {placesOf} from '../forms/rules.ts';
import type {DashboardRequest} from '../request.ts';
import type {LinkRow} from './rows.ts';

/** The fields of a row, with those of all. */
function withAll({form}: DashboardRequest, {entered}: LinkRow): Entered {
  const tags = tagsIn(`${entered.tags ?? ''},${form.get('tags') ?? ''}`).join(', ');
  return {...entered, tags, base_domain: filled(entered.base_domain) ?? form.get('base_domain') ?? ''};
}

/** The link to create for a row. */
export function newLink(request: DashboardRequest, row: LinkRow): CreateLink {
  return toCreate(withAll(request, row), placesOf(request.language));
}

/** What is wrong with a row before the shortener is asked. */
export function mistakeIn(request: DashboardRequest, row: LinkRow): string | undefined {
  const {texts} = request;
  const entered = withAll(request, row);
  if (row.mistake !== undefined) return row.mistake;
  if (row.isClosed) return texts.many.mistakes.closed;
  if (!filled(entered.url)) return texts.errors.missing_url;
  if (!hasScheme(entered.url ?? '')) return texts.errors.codes.invalid_url;
  const [wrong] = wrongInputs(entered);
  return wrong && mistakeOf(wrong, texts);
}
