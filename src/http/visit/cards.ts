import type {Context} from 'koa';
import {targetOfUrl} from '../../link/long-url.ts';
import type {LinkRecord} from '../../link/record.ts';
import {isPreview} from './agents.ts';

/** What chat programs and social networks show of a link. */
export interface Card {
  readonly title: string | null;
  readonly description: string | null;
  /** An https URL, in ASCII. */
  readonly image: string | null;
}

export function cardOf({previewTitle, previewDescription, previewImage}: LinkRecord): Card | undefined {
  if ((previewTitle ?? previewDescription ?? previewImage) === undefined) return undefined;
  return {
    title: previewTitle ?? null,
    description: previewDescription ?? null,
    image: previewImage === undefined ? null : targetOfUrl(previewImage),
  };
}

/** Whether the visitor gets the card of the link instead of a redirect. */
export function showsCard(ctx: Context, record: LinkRecord): boolean {
  return cardOf(record) !== undefined && isPreview(ctx);
}
