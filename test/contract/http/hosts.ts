import test from 'ava';
import {isTheHosts, redirects} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** The domains on which links answer, and what is left to the host. */
export function hosts(world: World): void {
  const {base} = world.mount;
  const making = sharedSite({world});

  test('the Host is the site in any case and with any port, and any other Host is left to the host', async (t) => {
    const site = await making();
    const link = await site.create();
    redirects(t, await site.visit(link.short_url, {host: 'Example.COM:8443'}), destination);
    for (const host of ['foreign.example', 'localhost', '127.0.0.1', 'www.example.com', 'example.com.evil.example']) {
      isTheHosts(t, await site.visit(link.short_url, {host}), 404, world.mount.notFound);
    }
    // A malformed one causes no fault.
    for (const host of ['', '[', 'exa%mple.com', 'example.com,foreign.example', 'example.com:port', '@', '__proto__']) {
      t.true((await site.visit(link.short_url, {host})).status < 500, host);
      isTheHosts(t, await site.request({path: '/', host}), 200, 'Home');
    }
  });

  test('a link answers on its own domain only', async (t) => {
    const site = await startSite(t, {world});
    for (const [base_domain, host] of [
      ['example.com', 'sho.rt'],
      ['sho.rt', 'example.com'],
      ['go.example.org', 'sho.rt'],
    ] as const) {
      const {short_url} = await site.create({base_domain});
      redirects(t, await site.visit(short_url), destination);
      isTheHosts(t, await site.visit(short_url, {host}), 404, world.mount.notFound);
    }
  });

  test('X-Forwarded-Host is the Host if the app trusts its proxy, and ignored by default', async (t) => {
    for (const proxy of [true, false]) {
      const site = await startSite(t, {world, proxy});
      const {short_url} = await site.create();
      for (const [host, forwarded, isLink] of [
        ['backend.internal', 'Example.com', proxy],
        ['example.com', 'foreign.example', !proxy],
      ] as const) {
        const headers = {'X-Forwarded-Host': forwarded, 'X-Forwarded-Proto': 'https'};
        const reply = await site.visit(short_url, {host, headers});
        if (isLink) redirects(t, reply, destination);
        else isTheHosts(t, reply, 404, world.mount.notFound);
      }
    }
  });

  if (base !== '') {
    test('a path outside the prefix of baseUrl is left to the host', async (t) => {
      const site = await startSite(t, {world});
      const link = await site.create({custom_url: 'spring'});
      for (const path of ['/spring', '/S/spring', '/ss/spring', '//s/spring', '/x/s/spring', '/s', '/sspring']) {
        isTheHosts(t, await site.request({path}), 404, world.mount.notFound);
      }
      const call = `/api/v1/${site.key}/shorturl/list_active_urls.json`;
      isTheHosts(t, await site.request({path: call}), 404, world.mount.notFound);
      isTheHosts(t, await site.request({path: `/x${call}`}), 404, world.mount.notFound);
      redirects(t, await site.visit(link.short_url), destination);
    });
  }

  test("the host's own pages are unchanged", async (t) => {
    const site = await making();
    isTheHosts(t, await site.request({path: '/'}), 200, 'Home');
    isTheHosts(t, await site.request({path: `${base}/about`}), 200, 'About this site');
    isTheHosts(t, await site.request({path: `${base}/about?x=1`, host: 'foreign.example'}), 200, 'About this site');
    isTheHosts(t, await site.request({path: `${base}/about/us`}), 404, world.mount.notFound);
    isTheHosts(t, await site.request({path: '/no/such/page'}), 404, world.mount.notFound);
  });
}
