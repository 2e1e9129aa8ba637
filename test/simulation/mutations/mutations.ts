/** A fault that is put into the program to see whether the simulation finds it. */
export interface Mutation {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** Occurs in the file once. */
  readonly text: string;
  readonly instead: string;
  /** Where the random plans run that look for it; by default on our picture of an engine. */
  readonly engine?: 'sqlite' | 'postgres';
}

export const mutations: readonly Mutation[] = [
  {
    name: 'a batch that is sent again counts again on Postgres',
    file: 'store/engines/postgres/statements.ts',
    text: '        where stored.number < excluded.number\n',
    instead: '',
    engine: 'postgres',
  },
  {
    name: 'a change does not compare the record on Postgres',
    file: 'store/engines/postgres/statements.ts',
    text: 'where key = $3 and value = $4',
    instead: 'where key = $3 and (value = $4 or true)',
    engine: 'postgres',
  },
  {
    name: 'a batch that is sent again counts again on SQLite',
    file: 'store/engines/sqlite/driver.ts',
    text: 'if (Number(last) >= number) return indexesOf(String(counted));',
    instead: 'if (Number(last) > number) return indexesOf(String(counted));',
    engine: 'sqlite',
  },
  {
    name: 'a change does not compare the record on SQLite',
    file: 'store/engines/sqlite/statements.ts',
    text: 'set value = ?, expires = ? where key = ? and value = ?`',
    instead: 'set value = ?, expires = ? where key = ? and (value = ? or true)`',
    engine: 'sqlite',
  },
  {
    name: 'a conversion that was begun is not found again',
    file: 'conversions/conversions.ts',
    text: 'if (await store.insert(key, record, at + life)) {',
    instead: 'await store.insert(key, record, at + life);\n      if (at > 0) {',
  },
  {
    name: 'a conversion is done before it is counted',
    file: 'conversions/conversions.ts',
    text: 'if (await store.insert(key, record, at + life)) {',
    instead: 'if (await store.insert(key, {...record, isDone: true}, at + life)) {',
  },
  {
    name: 'a conversion that is done loses the refunds that others have begun',
    file: 'conversions/conversions.ts',
    text: 'return before.isDone ? undefined : {...before, isDone: true};',
    instead: 'return {...record, isDone: true};',
  },
  {
    name: 'a refund does not look at those that others have begun',
    file: 'conversions/conversions.ts',
    text: 'refundable(before, given.value)',
    instead: 'refundable(conversion, given.value)',
  },
  {
    name: 'a refund is done before it is counted',
    file: 'conversions/conversions.ts',
    text: 'refunds: [...refunds, begun.refund]',
    instead: 'refunds: [...refunds, {...begun.refund, isDone: true}]',
  },
  {
    name: 'a refund that is counted beside the removal of its account leaves counters',
    file: 'conversions/conversions.ts',
    text: 'keys.filter((key) => !isKept || !left.has(key)).map(',
    instead: 'keys.filter((key) => !isKept && left.size === 0).map(',
  },
  {
    name: 'a later link takes the customer of an earlier one',
    file: 'conversions/customers.ts',
    text: 'if (!(await store.insert(key, record, until))) continue;',
    instead: `if (!(await store.insert(key, record, until)))
        await store.replace(key, (await store.get(key))?.revision, record, until);`,
  },
  {
    name: 'a customer who is forgotten during an order is remembered again',
    file: 'conversions/conversions.ts',
    text: 'if (customer !== undefined && known === undefined)',
    instead: 'if (customer !== undefined)',
  },
  {
    name: 'a batch is sent again with another number',
    file: 'visits/visit-log.ts',
    text: 'this.#resolve(group, batch, await this.#store.count(batch));',
    instead: 'this.#resolve(group, batch, await this.#store.count({...batch, number: this.#number++}));',
  },
  {
    name: 'a visit does not compare its link',
    file: 'visits/redirects.ts',
    text: 'return this.#log.add({link: seen, owner, keys,',
    instead: 'return this.#log.add({owner, keys,',
  },
  {
    name: 'the account is read before the slot is reserved',
    file: 'links/create/claim.ts',
    text: 'const {blocks: accountBlocks} = await accounts.recheck(account);',
    instead: 'const {blocks: accountBlocks} = {blocks: (account as {blocks?: number}).blocks};',
  },
  {
    name: 'a create that loses its name keeps its slot',
    file: 'links/create/claim.ts',
    text: 'await release();\n    return isSame',
    instead: 'return isSame',
  },
  {
    name: 'the link is inserted before its slot is reserved',
    file: 'links/read/link-index.ts',
    text: '      if (await this.reserveAt(list, position, name)) return position;',
    instead: '      void this.reserveAt(list, position, name).catch(() => undefined);\n      return position;',
  },
  {
    name: 'the walk of an index stops at the last value of its sequence',
    file: 'store/walk.ts',
    text: 'if (used === -1) return last;',
    instead: 'if (used < lookahead) return last;',
  },
  {
    name: 'a create that is refused does not give back its unit of the quota',
    file: 'links/daily-quota.ts',
    text: 'if (!isUnavailable(error)) await giveBack();',
    instead: '',
  },
  {
    name: 'a quota that was used up by a clock that was ahead stays used up',
    file: 'links/daily-quota.ts',
    text: 'return until > now && until <= calendar.endOfDay(now + maxAhead);',
    instead: 'return until > now;',
  },
  {
    name: 'a create that is refused keeps its reference',
    file: 'links/create/claim.ts',
    text: '      releaseReference(store, held),\n',
    instead: '',
  },
  {
    name: 'a removed link leaves its counters',
    file: 'links/write-link.ts',
    text: '    store.removeCounters(countersKey(link)),\n',
    instead: '',
  },
  {
    name: 'the links of a removed account leave what reuse finds them by',
    file: 'links/write-link.ts',
    text: '    forgetReuse(store, link),\n',
    instead: '',
  },
  {
    name: 'an account that another call has created leaves the place of this call',
    file: 'accounts/accounts.ts',
    text: '      await this.#index.release(position);\n',
    instead: '',
  },
  {
    name: 'a create that is refused keeps its slot in the list of the site',
    file: 'links/create/claim.ts',
    text: '      linkIndex.release(siteList, sitePosition, name),\n',
    instead: '',
  },
  {
    name: 'the URLs of the rules are forgotten among those of a link',
    file: 'link/urls.ts',
    text: 'fields[name].urls !== undefined);',
    instead: "fields[name].urls !== undefined && name !== 'rules');",
  },
  {
    name: 'a removed link can be created again by any account',
    file: 'links/create/names.ts',
    text: "return state === 'removed' && generation === account.generation && isBlocked === undefined;",
    instead: "return state === 'removed' && generation !== '' && isBlocked === undefined;",
  },
  {
    name: 'the removal of an account leaves names whose links are absent',
    file: 'links/change/every-link.ts',
    text: "const absent = (name: LinkName): LinkRecord => removedRecord(name, '');\n  return changeAll(services, account, {\n    change: absent,\n    absent,",
    instead:
      "const absent = (name: LinkName): any => removedRecord(name, '');\n  return changeAll(services, account, {\n    change: absent,\n    absent: (() => undefined) as any,",
  },
  {
    name: 'a rotation does not compare the account that it has read',
    file: 'accounts/accounts.ts',
    text: '? await this.#store.replace(accountKey(id), previous.revision, record)',
    instead: '? await this.#store.replace(accountKey(id), (await this.#store.get(accountKey(id)))?.revision, record)',
  },
  {
    name: 'the removal of an account is complete before its links are removed',
    file: 'accounts/accounts.ts',
    text: '    await this.#removeLinks({id, generation});\n',
    instead: `    const ended = await this.#store.get<AccountRecord>(accountKey(id));
    if (ended?.value.generation === generation) await this.#store.removeUnchanged(accountKey(id), ended.revision);
    await this.#removeLinks({id, generation});\n`,
  },
  {
    name: 'a create does not read its account again before it replaces a removed link',
    file: 'links/create/claim.ts',
    text: 'const replacement = await recordNow();',
    instead: 'const replacement = record;',
  },
  {
    name: 'a repeat that runs beside another call is refused because of its link',
    file: 'links/create/creation.ts',
    text: 'if (intent && !isOld && (intent.isDone ?? (await this.#findIntended(intent)))) {',
    instead: 'if (count < 0 && intent) {',
  },
  {
    name: 'an intent is not compared with the parameters of a repeat',
    file: 'links/create/intents.ts',
    text: 'if (intent.digest === undefined || intent.digest === digest) return intent;',
    instead: 'if (intent.digest === undefined || digest !== undefined) return intent;',
  },
  {
    name: 'two calls with one idempotency key keep their own intents',
    file: 'links/create/intents.ts',
    text: 'if (await this.#store.insert(key, row, isForReuse ? undefined : intent.at + intentLife)) return row;',
    instead: 'await this.#store.insert(key, row, isForReuse ? undefined : intent.at + intentLife);\n      return row;',
  },
  {
    name: 'two links that want a reference at once both get it',
    file: 'links/references.ts',
    text: 'if (await store.insert(key, pointer)) return {key, stamp};',
    instead: 'await store.insert(key, pointer);\n      return {key, stamp};',
  },
  {
    name: 'an insert over an expired record does not compare it',
    file: 'store/layers/expiry.ts',
    text: 'next.replace(key, found.revision, value, expires)',
    instead: 'next.replace(key, (await next.get(key))?.revision, value, expires)',
  },
  {
    name: 'a limit is raised by the visitors who wait together',
    file: 'visits/visit-limits.ts',
    text: 'granted = Math.min(visitors, link.maxVisits - link.used);',
    instead: 'granted = link.maxVisits > link.used ? visitors : 0;',
  },
  {
    name: 'equal inserts of one batch all succeed',
    file: 'store/layers/grouping.ts',
    text: 'return first.get(row[0]) === row || result instanceof Error ? result : false;',
    instead: 'return result;',
  },
  {
    name: 'a change does not compare the record that it has read',
    file: 'store/update.ts',
    text: 'if (entry ? await store.replace(key, entry.revision, next, expires) :',
    instead: 'if (entry ? await store.replace(key, (await store.get(key))?.revision, next, expires) :',
  },
  {
    name: 'wrong passwords that are being compared are not counted',
    file: 'visits/attempts.ts',
    text: 'outcome.isOpen = tries.wrong.length + tries.open.length < this.#limit;',
    instead: 'outcome.isOpen = tries.wrong.length < this.#limit;',
  },
  {
    name: 'wrong passwords of a clock that was ahead lock out until then',
    file: 'visits/attempts.ts',
    text: 'began > end && began <= now + maxAhead',
    instead: 'began > end',
  },
  {
    name: 'a process refuses a client until the time of a clock that was ahead',
    file: 'visits/attempts.ts',
    text: 'until <= now || until > now + windowLength + maxAhead',
    instead: 'until <= now',
  },
  {
    name: 'a caller gets the result of a batch that was sent before its call',
    file: 'store/batching/grouper.ts',
    text: `        if (this.#open.get(key)?.items === items) this.#open.delete(key);
      })
      .then(() => this.#send(items, key));`,
    instead: `        if (this.#open.get(key)?.items === items) setImmediate(() => this.#open.delete(key));
      })
      .then(() => this.#send(items, key));`,
  },
  {
    name: 'a block is replaced by an older one',
    file: 'links/change/every-link.ts',
    text: 'return (link.accountBlocks ?? 0) < blocks ? {',
    instead: 'return (link.accountBlocks ?? 0) !== blocks ? {',
  },
  {
    name: 'the links of an account are blocked before the account',
    file: 'links/admin.ts',
    text: `    const account = await (kind === 'blockAccount' ? accounts.change(name, apply) : accounts.unblock(name, apply));
    const at = new Date(now());
    if (account === undefined) {
      // The block of a removed account has ended, which has no links.
      announcer.announce(kind, {account: readAccountName(name), reason: undefined, at});
      return;
    }
    const {id, blocks = 0, blockReason: reason} = account;
    if (outcome.isChanged) announcer.announce(kind, {account: id, reason, at});
    // Also if nothing changed, because an earlier call may have been interrupted.
    if (blocks > 0) await links.noteBlocks(account, blocks);`,
    instead: `    const found = await accounts.find(name);
    const next = found && (change(found) ?? found);
    if (next?.blocks) await links.noteBlocks(next, next.blocks);
    await accounts.change(name, change);`,
  },
  {
    name: 'only the account is marked by a block that finds it blocked',
    file: 'links/admin.ts',
    text: 'if (blocks > 0) await links.noteBlocks(account, blocks);',
    instead: 'if (blocks > 0 && outcome.isChanged) await links.noteBlocks(account, blocks);',
  },
  {
    name: 'a revocation is acknowledged before it is stored',
    file: 'accounts/keys.ts',
    text: `    await this.#accounts.change(account, (record) => {
      const {keys = [], ...account} = checkOpen(record);
      const rest = keys.filter((key) => key.id !== id);
      if (rest.length === keys.length) {
        throw new ShortUrlError('unknown_key', 'The account has no labelled key with this id.');
      }
      return rest.length > 0 ? {...account, keys: rest} : account;
    });`,
    instead: `    const {keys = []} = await this.#accounts.requireOpen(account);
    if (!keys.some((key) => key.id === id)) throw new ShortUrlError('unknown_key', '');
    this.#accounts
      .change(account, (record) => ({...record, keys: (record.keys ?? []).filter((key) => key.id !== id)}))
      .catch(() => undefined);`,
  },
  {
    name: 'a process remembers what a key may do',
    file: 'accounts/key-attempts.ts',
    text: 'const access = await this.#dependencies.accounts.authenticate(apiKey);',
    instead: 'const access = ((this as any)[digest] ??= await this.#dependencies.accounts.authenticate(apiKey));',
  },
  {
    name: 'an update brings back what others have changed since it read the link',
    file: 'links/change/update.ts',
    text: 'return applyChanges(record, {...changes, password});',
    instead: 'return applyChanges({...found, changes: record.changes}, {...changes, password});',
  },
  {
    name: 'imported links are stored before their visits',
    file: 'tools/import/arrivals.ts',
    text: `    await this.#storeVisits(group);
    const claimed = await this.#claim(account, group);`,
    instead: `    const claimed = await this.#claim(account, group);
    await this.#storeVisits(group);`,
  },
  {
    name: 'a copy does not note that it begins',
    file: 'tools/copy/copy.ts',
    text: 'await noteSite(target, site, {copyOf, ignoresCase: ignoreCase || from?.ignoresCase});',
    instead: '',
  },
  {
    name: 'an export forgets the references',
    file: 'tools/export/export.ts',
    text: 'content.filter(({key}) => !key.startsWith(siteIndexPrefix));',
    instead: "content.filter(({key}) => !key.startsWith(siteIndexPrefix) && !key.startsWith('reference:'));",
  },
  {
    name: 'an export of one account forgets its conversions',
    file: 'tools/content/content.ts',
    text: "if (ofAccount === 'none') continue;",
    instead: "if (ofAccount === 'none' || name === 'conversion') continue;",
  },
  {
    name: 'a copy keeps what was removed since the last one',
    file: 'tools/copy/copy.ts',
    text: 'await Promise.all(extra.map((key) => this.#remove(kind, key)));',
    instead: '',
  },
];
