import type {Fields} from '../../http/koa/form-body.ts';
import {withQuery} from '../addresses.ts';
import {attributes, type Attributes, type Content, html, type Html} from '../html.ts';
import {confirmedIn, tokenField} from '../forms/protection.ts';
import type {Plural} from '../formats.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';

/** A form that posts to an action of the dashboard, with its token. */
export function actionForm(
  {root, token}: DashboardRequest,
  action: string,
  hidden: Readonly<Record<string, string | undefined>>,
  content: Content,
  own: Attributes = {},
): Html {
  return html`<form ${attributes({method: 'post', action: root + action, ...own})}>
    ${hiddenInputs({[tokenField]: token, ...hidden})} ${content}
  </form>`;
}

/** Fields that are undefined are left out. */
export function hiddenInputs(fields: Readonly<Record<string, string | undefined>>): Html[] {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => html`<input ${attributes({type: 'hidden', name, value})} />`);
}

/** Links of which one leads to what is shown. */
export function chooser(
  label: string,
  choices: ReadonlyArray<{readonly text: string; readonly href: string; readonly isCurrent: boolean}>,
): Html {
  return html`<nav class="links-spans" aria-label="${label}">
    <ul>
      ${choices.map(({text, href, isCurrent}) => html`<li><a ${attributes({href, 'aria-current': isCurrent && 'true'})}>${text}</a></li>`)}
    </ul>
  </nav>`;
}

/**
 * A button that copies the text in `data-copy`, or that of the element whose id is in `data-copy-from`. It is hidden if
 * scripts are off.
 */
export function copyButton({texts}: DashboardRequest, own: Attributes, content: Content = texts.copy): Html {
  const all = {type: 'button', class: 'links-button links-small links-copy', 'data-done': texts.copied, ...own};
  return html`<button ${attributes(all)}>${content}</button>`;
}

/** A button with an icon that copies a text, beside a short URL. */
export function copyIcon(request: DashboardRequest, text: string): Html {
  const {copy} = request.texts;
  return copyButton(
    request,
    {class: 'links-icon links-copy', 'data-copy': text, title: copy, 'aria-label': `${copy}: ${text}`},
    html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path class="links-before" d="M5.5 5.5h8v8h-8zM10.5 5V2.5h-8v8H5" />
      <path class="links-after" d="m3 8.5 3.5 3.5L13 4.5" />
    </svg>`,
  );
}

/** What an action has done. The focus goes to it, so that the Tab key leads on from there. */
export function notice(content: Content): Html {
  return html`<div class="links-row links-notice" role="status" tabindex="-1" autofocus>${content}</div>`;
}

/** What the user should know, which is no error. */
export function note(text: string): Html {
  return html`<div class="links-row links-notice links-neutral" role="status" tabindex="-1" autofocus>
    <p>${text}</p>
  </div>`;
}

/** The confirmation of the action that the query names, if it is one of these. */
export function doneNotice(request: DashboardRequest, texts: Readonly<Record<string, string>>): Html | undefined {
  const text = texts[confirmedIn(request) ?? ''];
  return text === undefined ? undefined : notice(html`<p>${text}</p>`);
}

/** The confirmation that an action has changed several links, if the query names it. */
export function countNotice(request: DashboardRequest, texts: Readonly<Record<string, Plural>>): Html | undefined {
  const text = texts[confirmedIn(request) ?? ''];
  return text && notice(html`<p>${request.formats.count(Number(request.query.get('count')), text)}</p>`);
}

/** An error message. The focus brings it into view, because the page is shown from its top. */
export function alert(content: Content): Html {
  return html`<p class="links-error links-alert" role="alert" tabindex="-1" autofocus>${content}</p>`;
}

/** Marks an account that the operator has blocked. */
export function blockedMark({account}: Texts): Html {
  return html`<span class="links-status links-blocked">${account.blocked}</span>`;
}

/** A link to the list of links, above a page that it leads to. */
export function backLink({texts, root}: DashboardRequest): Html {
  return html`<p class="links-back"><a href="${root}#links-list">← ${texts.link.back}</a></p>`;
}

/** A part of a page with a heading, and the id `links-<name>`. */
export function card(name: string, title: Content, content: Content): Html {
  return html`<section class="links-card" id="links-${name}" aria-labelledby="links-${name}-title">
    <h2 id="links-${name}-title">${title}</h2>
    ${content}
  </section>`;
}

/** The text in place of an empty list. */
export function emptyState(title: string, text?: Content): Html {
  return html`<div class="links-empty">
    <p><strong>${title}</strong></p>
    ${text !== undefined && html`<p>${text}</p>`}
  </div>`;
}

interface Confirmed {
  readonly action: string;
  readonly hidden?: Readonly<Record<string, string>>;
  /** What the user should know before. */
  readonly content: Content;
  /** The text of the button; by default that of the summary. */
  readonly confirm?: string;
  /** What the action is about, for screen readers. */
  readonly about?: string;
}

/** A button behind a closed `<details>`, which asks for confirmation without a script. */
export function confirmed(
  request: DashboardRequest,
  summary: string,
  {action, hidden = {}, content, about, confirm = summary.replace('…', '')}: Confirmed,
): Html {
  const button = html`<button class="links-button links-danger">${confirm}</button>`;
  return html`<details class="links-more">
    <summary ${attributes({'aria-label': about && `${summary} ${about}`})}>${summary}</summary>
    <div class="links-warning">${actionForm(request, action, hidden, html`${content} ${button}`)}</div>
  </details>`;
}

/** A name and a value in a `<dl>`. */
export function property(name: string, value: Content, note?: string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
    ${note !== undefined && html`<dd class="links-before">${note}</dd>`}
  </div>`;
}

/** When something was created, with the time zone, which a reader elsewhere cannot guess. */
export function createdProperty({texts, formats}: DashboardRequest, created: string): Html {
  return property(`${texts.accounts.created} (${formats.timeZone})`, formats.moment(created));
}

/** A link to the operator's page of an account, with the name and the email address that the host gives. */
export async function accountLink({root, describeAccount}: DashboardRequest, account: string): Promise<Html> {
  const {name, email} = await describeAccount(account);
  const details = [name === undefined ? undefined : account, email].filter((text) => text !== undefined);
  return html`<a href="${withQuery(`${root}account`, {account})}" class="links-strong"><bdi>${name ?? account}</bdi></a
    >${details.map((text) => html` <span class="links-fact"><bdi>${text}</bdi></span>`)}`;
}

/** A form that sends the fields of another one again, with its token, which is checked then. */
export function sendAgain({messages}: Texts, action: string, fields: Fields): Html {
  return html`<form method="post" action="${action}">
    ${hiddenInputs(Object.fromEntries(fields))}
    <p><button class="links-button">${messages.sendAgain}</button></p>
  </form>`;
}
