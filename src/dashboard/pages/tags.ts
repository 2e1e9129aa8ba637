import {html} from '../html.ts';
import {withQuery} from '../addresses.ts';
import {backLink, emptyState} from '../parts/pieces.ts';
import type {Handler} from '../request.ts';

const maxTags = 1000;

/** The tags of the account, the most used first. Unlike other pages it reads all links, so it is loaded only on request. */
export const tagsPage: Handler = async (request) => {
  const {texts, formats, shortener, account, root} = request;
  const tags = (await shortener.links.tags(account)).slice(0, maxTags);
  const {list} = texts;
  return {
    title: list.allTags,
    content: html`${backLink(request)}
      <h1>${list.allTags}</h1>
      ${
        tags.length === 0
          ? emptyState(list.noTags)
          : html`<ul class="links-tags" id="links-all-tags">
              ${tags.map(
                ({tag, links}) =>
                  html`<li>
                    <a class="links-tag" href="${withQuery(root, {tag})}#links-list"
                      ><bdi>${tag}</bdi> <span class="links-note">${formats.number(links)}</span></a
                    >
                  </li>`,
              )}
            </ul>`
      }`,
  };
};
