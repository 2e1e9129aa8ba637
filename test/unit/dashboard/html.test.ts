import test from 'ava';
import {attributes, html, trusted} from '../../../src/dashboard/html.ts';

const hostile = `<script>alert("1")</script>'&`;
const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;';

test('what is put into a template is escaped, wherever it stands', (t) => {
  t.is(html`<p title="${hostile}">${hostile}</p>`.toString(), `<p title="${escaped}">${escaped}</p>`);
  t.is(html`${[hostile, html`<b>${hostile}</b>`]}`.toString(), `${escaped}<b>${escaped}</b>`);
  t.is(attributes({title: hostile}).toString(), `title="${escaped}"`);
});

test('templates stand in templates as they are', (t) => {
  const items = ['a', 'b'].map((name) => html`<i>${name}</i>`);
  t.is(html`<b>${items}</b>`.toString(), '<b><i>a</i><i>b</i></b>');
  t.is(html`${trusted('<hr>')}`.toString(), '<hr>');
});

test('nothing stands for nothing, and zero for itself', (t) => {
  t.is(html`${undefined}${null}${false}${''}${0}`.toString(), '0');
  t.is(attributes({a: undefined, b: null, c: false, d: true, e: 0, f: ''}).toString(), 'd e="0" f=""');
});
