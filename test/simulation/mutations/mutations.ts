/** A fault that is put into the program to see whether the simulation finds it. */
export interface Mutation {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** Occurs in the file once. */
  readonly text: string;
  readonly instead: string;
}

export const mutations: readonly Mutation[] = [
  {
    name: 'a batch is sent again with another number',
    file: 'visits/visit-log.ts',
    text: 'this.#resolve(group, await this.#store.count(batch));',
    instead: 'this.#resolve(group, await this.#store.count({...batch, number: this.#number++}));',
  },
  {
    name: 'a visit does not compare its link',
    file: 'visits/redirects.ts',
    text: 'return this.#log.add({link: seen, keys,',
    instead: 'return this.#log.add({keys,',
  },
  {
    name: 'a link that was read before a change is remembered after it',
    file: 'visits/redirects.ts',
    text: 'else if (change === this.#changes) this.#remember(seen);',
    instead: 'else this.#remember(seen);',
  },
  {
    name: 'the account is not looked at after the slot is reserved',
    file: 'links/create/creation.ts',
    text: `    await this.#requireLive(account);
    if (await store.insert(linkKey(name), record)) return record;`,
    instead: '    if (await store.insert(linkKey(name), record)) return record;',
  },
  {
    name: 'a create that loses its name keeps its slot',
    file: 'links/create/creation.ts',
    text: '    await linkIndex.release(account.generation, position, name);\n    return undefined;',
    instead: '    return undefined;',
  },
  {
    name: 'the link is inserted before its slot is reserved',
    file: 'links/list/link-index.ts',
    text: '      if (await this.reserveAt(generation, position, name)) return position;',
    instead: '      void this.reserveAt(generation, position, name).catch(() => undefined);\n      return position;',
  },
  {
    name: 'a removed link can be created again by any account',
    file: 'links/create/creation.ts',
    text: "return state === 'removed' && generation === account.generation && isBlocked === undefined;",
    instead: "return state === 'removed' && generation !== '' && isBlocked === undefined;",
  },
  {
    name: 'the removal of an account leaves names whose links are absent',
    file: 'links/change/removal.ts',
    text: 'if (await store.insert(key, removed)) return;',
    instead: 'return;',
  },
  {
    name: 'a rotated key is accepted as long as its pointer is there',
    file: 'accounts/accounts.ts',
    text: 'return account?.value.keyDigest === digest ? account.value : undefined;',
    instead: 'return account?.value;',
  },
  {
    name: 'the pointer of a key is written after its account',
    file: 'accounts/accounts.ts',
    text: `    await this.#store.insert(keyPointerKey(keyDigest), pointer);
    const won = previous
      ? await this.#store.replace(accountKey(id), previous.revision, record)
      : await this.#store.insert(accountKey(id), record);
    if (won) return apiKey;`,
    instead: `    const won = previous
      ? await this.#store.replace(accountKey(id), previous.revision, record)
      : await this.#store.insert(accountKey(id), record);
    if (won) await this.#store.insert(keyPointerKey(keyDigest), pointer);
    if (won) return apiKey;`,
  },
  {
    name: 'a new limit forgets granted visits that are not counted yet',
    file: 'visits/visit-limits.ts',
    text: 'const adopted = {...entry.value, used: count(visitsCounter) + Math.max(uncounted, 0)};',
    instead: 'const adopted = {...entry.value, used: count(visitsCounter) + 0 * uncounted};',
  },
  {
    name: 'a limit is raised by the visitors who wait together',
    file: 'visits/visit-limits.ts',
    text: 'granted = Math.min(visitors, link.maxVisits - link.used);',
    instead: 'granted = link.maxVisits > link.used ? visitors : 0;',
  },
  {
    name: 'the read of a link does not look whether it has changed meanwhile',
    file: 'links/links.ts',
    text: 'if (isDeepStrictEqual(withoutGrants(again.value), withoutGrants(entry.value))) {',
    instead: 'if (isDeepStrictEqual(withoutGrants(again.value), withoutGrants(entry.value)) || true) {',
  },
  {
    name: 'equal inserts of one batch all succeed',
    file: 'store/guarded-store.ts',
    text: 'return first.get(row[0]) === row || result instanceof Error ? result : false;',
    instead: 'return result;',
  },
  {
    name: 'a change does not compare the record that it has read',
    file: 'store/update.ts',
    text: 'if (entry ? await store.replace(key, entry.revision, next) : await store.insert(key, next)) return;',
    instead:
      'if (entry ? await store.replace(key, (await store.get(key))?.revision, next) : await store.insert(key, next)) return;',
  },
  {
    name: 'a quota is given back although the create may have happened',
    file: 'links/create/create-quota.ts',
    text: 'if (!isUnavailable(error)) await this.#changes.add(until, key);',
    instead: 'if (isUnavailable(error) || !isUnavailable(error)) await this.#changes.add(until, key);',
  },
  {
    name: 'a wrong password is recorded after it was compared',
    file: 'visits/attempts.ts',
    text: 'outcome.isOpen = tries.wrong.length + tries.open.length < this.#limit;',
    instead: 'outcome.isOpen = tries.wrong.length < this.#limit;',
  },
  {
    name: 'a caller gets the result of a batch that was sent before its call',
    file: 'store/batching/batcher.ts',
    text: `        if (this.#open.get(key)?.items === items) this.#open.delete(key);
      })
      .then(() => this.#send(items, key));`,
    instead: `        if (this.#open.get(key)?.items === items) setImmediate(() => this.#open.delete(key));
      })
      .then(() => this.#send(items, key));`,
  },
];
