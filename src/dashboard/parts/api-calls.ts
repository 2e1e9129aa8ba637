import {type ApiOperation, pathOf} from '../api-calls.ts';
import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';

const formats = ['json', 'xml'] as const;

/**
 * API calls to copy: as a curl command that posts JSON with the key in a header, and as a URL with the key in the path.
 *
 * @param keySwitch the checkbox that shows the key; undefined if the page has one elsewhere
 */
export function apiCalls(request: DashboardRequest, operations: readonly ApiOperation[], keySwitch?: Html): Html {
  const {texts} = request;
  const choices = formats.map(
    (format, index) =>
      html`<label class="links-check"
        ><input
          type="radio"
          name="format"
          id="links-as-${format}"
          autocomplete="off"
          ${attributes({checked: index === 0})}
        />
        ${format.toUpperCase()}</label
      >`,
  );
  return html`<fieldset class="links-formats">
      <legend>${texts.api.answerIn}</legend>
      ${choices} ${keySwitch}
    </fieldset>
    <div class="links-calls">${operations.map((operation, index) => call(request, operation, index === 0))}</div>`;
}

function call(request: DashboardRequest, operation: ApiOperation, isOpen: boolean): Html {
  const {title, text} = request.texts.api.operations[operation.name];
  return html`<details class="links-call" ${attributes({open: isOpen})}>
    <summary><h3>${title}</h3></summary>
    <p>${text}</p>
    ${formats.map((format) => lines(request, operation, format))}
  </details>`;
}

function lines(request: DashboardRequest, operation: ApiOperation, format: string): Html {
  const {name, parameters} = operation;
  const [site = ''] = request.shortener.baseUrls;
  const key = secret(request.apiKey);
  const body = `-H 'Content-Type: application/json' -d '${JSON.stringify(parameters)}'`;
  const posted = `${body} '${site}/api/v1/shorturl/${operation.operation}.${format}'`;
  const command = html`curl -H 'Authorization: Bearer ${key}' ${posted}`;
  const address = html`${site}/api/v1/${key}/shorturl/${pathOf(operation)}.${format}`;
  return html`<div class="links-as-${format}">
    ${line(request, command, `${name}-curl-${format}`, 'curl')}
    ${line(request, address, `${name}-url-${format}`, 'URL')}
  </div>`;
}

function line({texts}: DashboardRequest, text: Html, id: string, kind: string): Html {
  const button = attributes({
    'data-copy-from': `links-${id}`,
    'data-done': texts.copied,
    'aria-label': `${texts.copy}: ${id}`,
  });
  return html`<div class="links-line">
    <span class="links-kind">${kind}</span><code id="links-${id}">${text}</code>
    <button type="button" class="links-button links-small links-copy" ${button}>${texts.copy}</button>
  </div>`;
}

/** The API key, and a mask that is shown while the key is hidden. Without a key, a placeholder. */
export function secret(apiKey: string | undefined, id?: string): Html {
  if (apiKey === undefined) return html`API_KEY`;
  return html`<span class="links-mask">••••••••</span><span class="links-key" ${attributes({id})}>${apiKey}</span>`;
}
