import type {Accounts} from '../accounts/accounts.ts';
import type {Links} from '../links/links.ts';
import type {Shares} from '../links/share/shares.ts';
import type {ShortUrlLinks} from './interface.ts';

export function linksByName(links: Links, shares: Shares, accounts: Accounts): ShortUrlLinks {
  const open = accounts.requireOpen.bind(accounts);
  return {
    create: async (name, ...rest) => links.create(await open(name), ...rest),
    createMany: async function* (name, ...rest) {
      yield* links.createMany(await open(name), ...rest);
    },
    updateMany: async function* (name, ...rest) {
      yield* links.updateMany(await open(name), ...rest);
    },
    update: async (name, ...rest) => links.update(await open(name), ...rest),
    remove: async (name, ...rest) => links.remove(await open(name), ...rest),
    disable: async (name, ...rest) => links.disable(await open(name), ...rest),
    enable: async (name, ...rest) => links.enable(await open(name), ...rest),
    info: async (name, ...rest) => links.info(await open(name), ...rest),
    stats: async (name, ...rest) => links.stats(await open(name), ...rest),
    qr: async (name, ...rest) => links.qr(await open(name), ...rest),
    page: async (name, ...rest) => links.page(await open(name), ...rest),
    tags: async (name) => links.tags(await open(name)),
    compare: async (name, ...rest) => links.compare(await open(name), ...rest),
    compareTags: async (name, ...rest) => links.compareTags(await open(name), ...rest),
    share: async (name, ...rest) => shares.share(await open(name), ...rest),
    shares: async (name) => shares.shares(await open(name)),
    unshare: async (name, id) => shares.unshare(await open(name), id),
    list: async function* (name, ...rest) {
      yield* links.list(await open(name), ...rest);
    },
    listActive: async function* (name) {
      yield* links.listActive(await open(name));
    },
    pageActive: async (name, ...rest) => links.pageActive(await open(name), ...rest),
  };
}
