import {attributes, html, type Html} from '../html.ts';
import {type DashboardRequest, type Handler, NotFound, type PageReply} from '../request.ts';
import {reference} from '../generated/reference.ts';
import {
  type ApiReference,
  forSite,
  type Piece,
  type ShownHeader,
  type ShownOperation,
  type ShownResponse,
} from './description.ts';

/** The first page of the reference: an introduction and all operations. */
export const referencePage: Handler = (request) => {
  const {texts, root} = request;
  const {summary, paragraphs, groups, others} = reference;
  return show(
    request,
    texts.reference.title,
    html`<p class="links-lead" lang="en">${summary}</p>
      ${paragraphs.map((paragraph) => html`<p lang="en">${pieces(request, paragraph)}</p>`)}
      ${texts.reference.inEnglish !== '' && html`<p>${texts.reference.inEnglish}</p>`}
      <p>
        ${texts.reference.files} <a href="${root}openapi.json">openapi.json</a> (OpenAPI 3.1),
        <a href="${root}short-url.xsd">short-url.xsd</a> (XML Schema)
      </p>
      ${groups.map(
        ({name, text, operations}) =>
          html`<h2>${titleOf(request, name)}</h2>
            <p lang="en">${pieces(request, text)}</p>
            <dl class="links-operations">
              ${operations.map(
                (operation) =>
                  html`<dt>
                      <a href="${root}reference/${operation.name}">${operationTitle(request, operation)}</a>
                      <code>${operation.method}</code>
                    </dt>
                    <dd lang="en">${pieces(request, firstSentence(operation.text))}</dd>`,
              )}
            </dl>`,
      )}
      ${others.map(
        ({title, text, responses: list}) =>
          html`<h3>${titleOf(request, title)}</h3>
            <p lang="en">${pieces(request, text)}</p>
            ${responses(request, list)}`,
      )}`,
  );
};

/** The page of one operation: its path, parameters, examples and answers. */
export const operationPage: Handler = (request) => {
  const {texts, path} = request;
  const operations = reference.groups.flatMap((group) => group.operations);
  const operation = operations.find(({name}) => `reference/${name}` === path);
  if (operation === undefined) throw new NotFound();
  const {method, text, parameters, examples, address, body: posted} = operation;
  return show(
    request,
    operationTitle(request, operation),
    html`<p class="links-path">
        <code
          ><b>${method}</b>
          ${operation.path.map(({text: part, isCode}) => html`${isCode ? html`<var>${part}</var>` : part}<wbr />`)}</code
        >
      </p>
      <p lang="en">${pieces(request, text)}</p>
      ${
        parameters.length > 0 &&
        html`<h2>${texts.reference.parameters}</h2>
          <dl class="links-definitions" lang="en">
            ${parameters.map(
              ({name, text: about}) =>
                html`<dt><code>${name}</code></dt>
                  <dd>${pieces(request, about)}</dd>`,
            )}
          </dl>`
      }
      ${
        examples.length > 0 &&
        html`<h2>${texts.reference.example}</h2>
          <pre
            tabindex="0"
          ><code>curl ${operation.hasKeyInHeader && `-H 'Authorization: Bearer API_KEY' `}${posted && `-H 'Content-Type: application/json' -d '${forSite(posted, request)}' `}'${forSite(address, request)}'</code></pre>
          ${examples.map(
            ({format, text: body}) =>
              html`<h3>${texts.api.answerIn} ${format}</h3>
                <pre tabindex="0"><code>${forSite(body, request)}</code></pre>`,
          )}`
      }
      <h2>${texts.reference.answers}</h2>
      ${responses(request, operation.responses)}`,
  );
};

/** The page of the error codes and of the headers that every answer has. */
export const errorsPage: Handler = (request) => {
  const {texts} = request;
  const {errors, headers} = reference;
  return show(
    request,
    texts.reference.errors,
    html`<dl class="links-definitions" lang="en">
        ${errors.map(
          ({status, code, text}) =>
            html`<dt id="${code}"><code>${code}</code> ${status}</dt>
              <dd>${pieces(request, text)}</dd>`,
        )}
      </dl>
      <h2>${texts.reference.headers}</h2>
      <p>${texts.reference.headersText}</p>
      <dl class="links-definitions" lang="en">
        ${headers.map(
          ({name, value, text}) =>
            html`<dt><code>${name}: ${value}</code></dt>
              <dd>${pieces(request, text)}</dd>`,
        )}
      </dl>`,
  );
};

/** The titles are in the language of the dashboard. Texts of docs/openapi.json are English, and marked so. */
function show(request: DashboardRequest, title: string, content: Html): PageReply {
  return {
    title: `${title} · ${request.texts.reference.title}`,
    content: html`<div class="links-reference">
      ${navigation(request)}
      <article>
        <h1>${title}</h1>
        ${content}
      </article>
    </div>`,
  };
}

function titleOf({texts}: DashboardRequest, title: string): string {
  const known: Readonly<Record<string, string>> = texts.reference.titles;
  return known[title] ?? title;
}

function operationTitle(request: DashboardRequest, {title, hasKeyInPath}: ShownOperation): string {
  const text = titleOf(request, title);
  return hasKeyInPath ? request.texts.reference.withKeyInPath(text) : text;
}

function navigation(request: DashboardRequest): Html {
  const {texts, root, path} = request;
  const {groups} = reference;
  const entry = (to: string, name: string): Html =>
    html`<li><a ${attributes({href: root + to, 'aria-current': path === to && 'page'})}>${name}</a></li>`;
  const group = ({name: title, operations}: ApiReference['groups'][number], index: number): Html => {
    const isOpen = index === 0 || operations.some(({name}) => path === `reference/${name}`);
    return html`<details class="links-more" ${attributes({open: isOpen})}>
      <summary>${titleOf(request, title)}</summary>
      <ul>
        ${operations.map(({name, title: text}) => entry(`reference/${name}`, titleOf(request, text)))}
      </ul>
    </details>`;
  };
  return html`<nav class="links-contents" aria-label="${texts.reference.title}">
    <ul>
      ${entry('reference/', texts.reference.overview)}${entry('reference/errors', texts.reference.errors)}
    </ul>
    ${groups.map(group)}
  </nav>`;
}

function responses(request: DashboardRequest, list: readonly ShownResponse[]): Html {
  return html`<dl class="links-responses" lang="en">
    ${list.map(
      ({status, text, headers, errors}) =>
        html`<dt>${status}</dt>
          <dd>
            ${pieces(request, text)}
            ${errors.length > 0 && html`<span class="links-codes">${errors.map((code) => html`<a href="${request.root}reference/errors#${code}"><code>${code}</code></a> `)}</span>`}
            ${headers.map((header) => headerLine(request, header))}
          </dd>`,
    )}
  </dl>`;
}

function headerLine(request: DashboardRequest, {name, value, text}: ShownHeader): Html {
  return html`<span class="links-answer-header"
    ><code>${name}${value !== undefined && `: ${value}`}</code> ${pieces(request, text)}</span
  >`;
}

function pieces({root}: DashboardRequest, list: readonly Piece[]): Html[] {
  return list.map(({text, isCode, address}) => {
    if (isCode) return html`<code>${text}</code>`;
    return address === undefined ? html`${text}` : html`<a href="${root}${address}">${text}</a>`;
  });
}

function firstSentence(text: readonly Piece[]): Piece[] {
  const end = text.findIndex((piece) => !piece.isCode && /\.(?:\s|$)/.test(piece.text));
  return text
    .slice(0, end + 1 || undefined)
    .map((piece, index) =>
      index === end ? {...piece, text: piece.text.slice(0, piece.text.search(/\.(?:\s|$)/) + 1)} : piece,
    );
}
