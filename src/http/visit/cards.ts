import type {IncomingHttpHeaders} from 'node:http';
import {isbot} from 'isbot';
import {targetOfUrl} from '../../link/long-url.ts';
import type {LinkRecord} from '../../link/record.ts';
import {maxAgentLength} from './bots.ts';

/** What chat programs and social networks show of a link. */
export interface Card {
  readonly title: string | null;
  readonly description: string | null;
  /** An https URL, in ASCII. */
  readonly image: string | null;
}

/** Programs that show a link to people, among the bots. Search engines are not: they follow the link. */
const previewAgents =
  /facebook|facebot|meta-external|twitterbot|linkedinbot|slack|discord|telegram|whatsapp|skype|microsoftpreview|teams|viber|kakao|pinterest|reddit|tumblr|vkshare|mastodon|cardyb|bluesky|snap url|google-pagerenderer|embedly|iframely|zoom|mattermost|rocket\.chat|synapse|nextcloud|line\//i;

export function cardOf({previewTitle, previewDescription, previewImage}: LinkRecord): Card | undefined {
  if ((previewTitle ?? previewDescription ?? previewImage) === undefined) return undefined;
  return {
    title: previewTitle ?? null,
    description: previewDescription ?? null,
    image: previewImage === undefined ? null : targetOfUrl(previewImage),
  };
}

/** Whether a request comes from a program that makes a preview of a link for people. */
export function isPreviewer({req}: {readonly req: {readonly headers: IncomingHttpHeaders}}): boolean {
  const agent = (req.headers['user-agent'] ?? '').slice(0, maxAgentLength);
  return previewAgents.test(agent) && isbot(agent);
}
