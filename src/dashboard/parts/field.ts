import {attributes, type Content, html, type Html} from '../html.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  /** Beside the label, such as that the field may stay empty. */
  readonly note?: string | undefined;
  readonly hint?: Content;
  readonly error?: string | undefined;
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** A labelled input. Its hint and its error are told with it to a screen reader. */
export function field({name, label, note, hint, error, attributes: own}: Field): Html {
  const describedBy = [error !== undefined && `${name}-error`, hint !== undefined && `${name}-hint`].filter(Boolean);
  return html`<div class="links-field">
    <label for="${name}"
      >${label}${note === undefined ? undefined : html` <span class="links-note">${note}</span>`}</label
    >
    <input
      ${attributes({
        id: name,
        name,
        ...own,
        'aria-describedby': describedBy.join(' ') || undefined,
        'aria-invalid': error === undefined ? undefined : 'true',
        autofocus: error !== undefined,
      })}
    />
    ${error === undefined ? undefined : html`<p class="links-error" id="${name}-error">${error}</p>`}
    ${hint === undefined ? undefined : html`<p class="links-hint" id="${name}-hint">${hint}</p>`}
  </div>`;
}

/** For text that is no prose: browsers are not to correct it. */
export const plainText = {type: 'text', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false'};
