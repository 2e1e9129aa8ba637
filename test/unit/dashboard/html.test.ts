import test from 'ava';
import {attributes, html} from '../../../src/dashboard/html.ts';

const hostile = `<script>alert("1")</script>'&`;
const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;';

test('values in a template are escaped, in text and in attributes', (t) => {
  t.is(html`<p title="${hostile}">${hostile}</p>`.toString(), `<p title="${escaped}">${escaped}</p>`);
  t.is(html`${[hostile, html`<b>${hostile}</b>`]}`.toString(), `${escaped}<b>${escaped}</b>`);
  t.is(attributes({title: hostile}).toString(), `title="${escaped}"`);
});

test('a template inside a template is not escaped again', (t) => {
  const items = ['a', 'b'].map((name) => html`<i>${name}</i>`);
  t.is(html`<b>${items}</b>`.toString(), '<b><i>a</i><i>b</i></b>');
});

test('undefined, null, false and an empty string render nothing, and zero renders 0', (t) => {
  t.is(html`${undefined}${null}${false}${''}${0}`.toString(), '0');
  t.is(attributes({a: undefined, b: null, c: false, d: true, e: 0, f: ''}).toString(), 'd e="0" f=""');
});
