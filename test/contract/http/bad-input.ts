import test from 'ava';
import fc from 'fast-check';
import {statuses} from '../../support/answers.ts';
import {standard, urlSafe} from '../../support/base64.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

/** Arbitrary requests. */
export function badInput(world: World): void {
  const value = urlSafe('https://destination.example/page');
  const piece = fc.oneof(
    fc.constantFrom('create', 'disable', 'enable', 'info', 'list_active_urls', 'url', 'short_url', 'custom_url'),
    fc.constantFrom('update', 'remove', 'stats', 'list_urls', 'title', 'tags', 'max_visits', 'clear', 'a,b', '5'),
    fc.constantFrom('status', 'tag', 'search', 'order', 'https:', 'https://x.example/', 'title,tags', 'shorturl'),
    fc.constantFrom('expiry_date', 'base_domain', 'limit', 'cursor', value, standard('https://x.example/???'), '', '.'),
    fc.constantFrom(
      '..',
      '%',
      '%2F',
      '%00',
      '%FF',
      '%25',
      '.json',
      '.xml',
      '=',
      '+',
      '__proto__',
      '2031-06-07',
      'sho.rt',
    ),
    fc.string({unit: fc.constantFrom(...Array.from('aZ0-_.~%/+=;:@&$!*\'(),"<>[]{}|^`\\')), maxLength: 12}),
  );
  const rest = fc.tuple(fc.array(piece, {maxLength: 8}), fc.constantFrom('', '.json', '.xml', '.yaml', '/'));

  test('any path of an API call gets an answer of the contract', async (t) => {
    const site = await startSite(t, {world});
    await fc.assert(
      fc.asyncProperty(rest, async ([pieces, suffix]) => {
        const path = pieces.join('/');
        const reply = await site.call(`${path}${suffix}`);
        // Without an operation it is not a path of the API.
        if (reply.text.startsWith('The host’s')) return path === '' || path.startsWith('/');
        const {code, data} = reply.envelope;
        if (Number(code) !== reply.status) return false;
        if (reply.status === 200) return data['error'] === undefined;
        return reply.status < 500 && statuses[data['error'] as keyof typeof statuses] === reply.status;
      }),
      {numRuns: 120},
    );
    t.pass();
  });

  test('any path of a visitor gets an answer of the contract or of the host', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'spring'});
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(piece, fc.constantFrom('spring', 'api', 'v1', 'shorturl', 's', site.key)), {maxLength: 6}),
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT'),
        async (pieces, method) => (await site.request({path: `/${pieces.join('/')}`, method})).status < 500,
      ),
      {numRuns: 120},
    );
    t.is((await site.visit(link.short_url)).status, 302);
    t.is((await site.info(link.short_url)).original_url, 'https://destination.example/page');
  });
}
