import {collect} from '../support/collect.ts';
import {storeTimeout, waysTo} from '../support/engines/cuts.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {type Site, startSite} from '../support/site.ts';
import {eventually} from '../support/store/eventually.ts';

const url = 'https://destination.example/page';
const limits = {passwordAttempts: 15, createQuota: 200};
/** Milliseconds. */
const timeout = 120_000;

const onEach = await eachOf(protocolEngines);

onEach((check) => {
  check(
    'no more passwords are compared and no more links created than the limits allow, however the connection is cut',
    async (t, engine) => {
      t.timeout(600_000);
      const {options, ways} = await waysTo(engine, t, 2);
      const shared = {...options, ...limits};
      const steady = await startSite(t, {shortUrl: shared});
      const {short_url: locked} = await steady.create({password: 's3cret'});
      const answers = {compared: 0, created: 0, failed: 0};
      const guess = async (site: Site): Promise<number> => {
        const {status} = await site.submit(locked, 'wrong');
        if (status === 401) answers.compared += 1;
        return status;
      };
      const create = async (site: Site): Promise<number> => {
        const {status} = await site.api('create', {url});
        if (status === 200) answers.created += 1;
        return status;
      };
      /** Asks until the limit is reached, or until the failures of the site are over. */
      const ask = async (site: Site, work: typeof guess, failures?: {areOver: boolean}): Promise<void> => {
        for (let status = 0; status !== 429 && !failures?.areOver;) {
          status = await work(site);
          if (status === 503) answers.failed += 1;
        }
      };

      await Promise.all(
        ways.map(async (way) => {
          const {store, cuts} = way;
          const site = await eventually(() => startSite(t, {shortUrl: {...shared, store, storeTimeout}}), timeout);
          const failures = {areOver: false};
          const asking = Promise.all([guess, create, create].map((work) => ask(site, work, failures)));
          try {
            for (const cut of Object.values(cuts)) {
              await cut(20);
              await eventually(() => site.shortener.ready(), timeout);
            }
          } finally {
            failures.areOver = true;
          }
          await asking;
        }),
      );
      await Promise.all([ask(steady, guess), ask(steady, create)]);

      const {length: links} = await collect(steady.shortener.links.list('user-42'));
      t.log(
        `${answers.compared} passwords, ${answers.created} answered and ${links} stored links, ${answers.failed} refusals`,
      );
      t.true(answers.compared > 1 && answers.compared <= limits.passwordAttempts);
      t.true(answers.created > 1 && answers.created < links && links <= limits.createQuota);
    },
  );
});
