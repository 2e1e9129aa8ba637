import {limits} from '../generated/limits.ts';
import {attributes, type Attributes, type Content, html, type Html} from '../html.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: Content;
  /** A button or another input beside the input. */
  readonly beside?: Html | undefined;
  readonly error?: string | undefined;
  /** The values and texts of a `<select>`; the attribute `value` selects one. Undefined for an `<input>`. */
  readonly options?: ReadonlyArray<readonly [value: string, text: string]> | undefined;
  /** The text of a `<textarea>`. Undefined for an `<input>`. */
  readonly text?: string;
  readonly attributes: Attributes;
}

/** An input with its label, hint and error, connected for screen readers. */
export function field({name, label, hint, beside, error, options, text, attributes: own}: Field): Html {
  const id = String(own['id'] ?? `links-${name}`);
  const describedBy = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean);
  const all = {
    id,
    name,
    'aria-describedby': describedBy.join(' ') || undefined,
    'aria-invalid': error === undefined ? undefined : 'true',
    autofocus: error !== undefined,
    ...own,
  };
  const input = options === undefined ? textInput(all, text) : select(all, options);
  return html`<div class="links-field">
    <label for="${id}">${label}</label>
    ${beside === undefined ? input : html`<div class="links-beside">${input}${beside}</div>`}
    ${error !== undefined && html`<p class="links-error" id="${id}-error">${error}</p>`}
    ${hint !== undefined && html`<p class="links-hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

function textInput(own: Attributes, text: string | undefined): Html {
  if (text === undefined) return html`<input ${attributes(own)} />`;
  return html`<textarea ${attributes(own)}>${text}</textarea>`;
}

function select({value: selected, ...own}: Attributes, options: NonNullable<Field['options']>): Html {
  return html`<select ${attributes(own)}>
    ${options.map(([value, text]) => html`<option ${attributes({value, selected: value === selected})}>${text}</option>`)}
  </select>`;
}

/** A checkbox or a radio button, before its label. */
export function check(own: Attributes, label: string, className = 'links-check'): Html {
  return html`<label class="${className}"><input ${attributes({type: 'checkbox', ...own})} /> ${label}</label>`;
}

/** A part of a form that most links do not need. */
export function part(title: string, hint: string | undefined, isOpen: boolean, content: Content, id?: string): Html {
  return html`<details ${attributes({class: 'links-part', id, open: isOpen})}>
    <summary>${title}</summary>
    ${hint !== undefined && html`<p class="links-hint">${hint}</p>`} ${content}
  </details>`;
}

/** The `maxlength` of a field. Browsers count UTF-16 units, of which a code point has at most two. */
export function maxLength(codePoints: number): number {
  return 2 * codePoints;
}

/** A URL. The type `url` would refuse one without a scheme. */
export const urlText = {
  type: 'text',
  inputmode: 'url',
  maxlength: limits.url,
  autocomplete: 'off',
  autocapitalize: 'none',
  spellcheck: 'false',
};

/** Turns off spelling and autocorrection, for text that is not prose. */
export const plainText = {type: 'text', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false'};
