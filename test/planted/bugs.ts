/**
 * What finds a planted bug: random worlds, on our picture of an engine or on a real one, small plans with this part of a
 * name, in every order, or a test file.
 */
export type Finder = 'worlds' | `worlds on ${'postgres' | 'sqlite'}` | `plans of ${string}` | `test/${string}.test.ts`;

/** What bugs have in common, so that each kind is tried again where it may be: its name, and how docs/proof.md calls it. */
export const kinds = {
  order: 'Between two steps',
  engine: 'In the statements of one engine',
  forgotten: 'Records that are forgotten',
  guard: 'A guard that one way in lacks',
  day: 'Days and time zones',
  life: 'Lifetimes and clocks that were wrong',
  memory: 'Results that are remembered',
  count: 'What is counted for whom',
  form: 'Forms and pages',
} as const;

export type Kind = keyof typeof kinds;

/** The bugs that can be planted in the program, by their names in calls of `planted`: what each does, what must find it, and of which kind it is. */
export const bugs: Readonly<Record<string, readonly [bug: string, by: Finder, kind: Kind]>> = {
  'postgres-batch-twice': ['A batch that is sent again counts again on Postgres.', 'worlds on postgres', 'engine'],
  'postgres-blind-replace': ['A change does not compare the record on Postgres.', 'worlds on postgres', 'engine'],
  'postgres-old-time': [
    'A counter that is set keeps its earlier time on Postgres.',
    'test/engines/store/sql.test.ts',
    'engine',
  ],
  'postgres-split-time': [
    'A split on Postgres keeps the earlier time of a counter.',
    'test/engines/store/sql.test.ts',
    'engine',
  ],
  'postgres-batch-forgotten': [
    'The record of a batch is forgotten after a minute on Postgres.',
    'test/engines/store/sql.test.ts',
    'life',
  ],
  'sqlite-batch-twice': ['A batch that is sent again counts again on SQLite.', 'worlds on sqlite', 'engine'],
  'sqlite-blind-replace': ['A change does not compare the record on SQLite.', 'worlds on sqlite', 'engine'],
  'sqlite-old-time': [
    'A counter that is set keeps its earlier time on SQLite.',
    'test/unit/store/engines/sqlite/driver.test.ts',
    'engine',
  ],
  'mysql-old-time': [
    'A counter that is set keeps its earlier time on MySQL.',
    'test/engines/store/sql.test.ts',
    'engine',
  ],
  'mysql-case-blind': [
    'A change on MySQL compares records without regard to case.',
    'test/engines/store/sql.test.ts',
    'engine',
  ],
  'mysql-no-rollback': [
    "A refused request leaves its transaction open on a connection of the site's MySQL pool.",
    'test/engines/store/host-clients.test.ts',
    'engine',
  ],
  'joint-rows-read-first': [
    'A split on MySQL reads the joint rows of a key before it has taken them, so it loses what is written in between.',
    'test/simulation/engines/interleavings.test.ts',
    'engine',
  ],
  'redis-batch-kept': ['The record of a batch never expires on Redis.', 'test/engines/store/redis.test.ts', 'life'],
  'blocked-link-reused': [
    'A create with `reuse` gives a link that the operator has blocked.',
    'test/contract/crossed/states.test.ts',
    'guard',
  ],
  'status-not-in-key': [
    'A comparison is remembered without the status that was asked for.',
    'test/contract/crossed/queries.test.ts',
    'memory',
  ],
  'last-month-of-thirty-days': [
    'The last month is the thirty days before this one.',
    'test/unit/dashboard/visits/span.test.ts',
    'day',
  ],
  'refunds-without-column': [
    'A currency with refunds only gets no column in a CSV.',
    'test/contract/crossed/sums.test.ts',
    'form',
  ],
  'form-without-rules': [
    'A form of the dashboard has no room for ten long rules.',
    'test/contract/dashboard/tokens.test.ts',
    'form',
  ],
  'revoke-without-token': [
    'A key is revoked without the token of the form.',
    'test/contract/dashboard/tokens.test.ts',
    'guard',
  ],
  'grace-begins-again': [
    "Each failure of the site's `domains` begins the hour of a domain again.",
    'test/contract/crossed/windows.test.ts',
    'life',
  ],
  'unserved-not-remembered': [
    'A domain that the site does not serve is asked about at each visit.',
    'test/contract/crossed/windows.test.ts',
    'memory',
  ],
  'blind-change': ['A change does not compare the record that it has read.', 'worlds', 'order'],
  'expired-not-compared': [
    'An insert over an expired record does not compare it.',
    'test/unit/store/layers/layered-store.test.ts',
    'engine',
  ],
  'closing-ignored': ['What a later version protects is open.', 'test/contract/http/closed-links.test.ts', 'guard'],
  'changed-link-remembered': [
    'A link that this process has changed is redirected as it was before, during an outage.',
    'test/contract/http/outage.test.ts',
    'memory',
  ],
  'failure-remembered': ['A failure is remembered for a minute.', 'test/unit/links/rank/comparison.test.ts', 'memory'],
  'equal-inserts': ['Equal inserts of one batch all succeed.', 'worlds', 'guard'],
  'group-closed-late': ['A caller gets the result of a batch that was sent before its call.', 'worlds', 'memory'],
  'walk-stops-early': [
    'The walk of an index stops at the last value of its sequence.',
    'test/unit/links/read/list.test.ts',
    'forgotten',
  ],
  'account-place-left': [
    'An account that another call has created leaves the place of this call.',
    'test/unit/accounts/accounts.test.ts',
    'forgotten',
  ],
  'blind-rotation': [
    'A rotation does not compare the account that it has read.',
    'test/unit/accounts/accounts.test.ts',
    'order',
  ],
  'create-key-changes': ['A key that may only create links changes them.', 'test/contract/http/root.test.ts', 'guard'],
  'prefetch-creates': ['A prefetch creates a link.', 'test/contract/http/root.test.ts', 'guard'],
  'update-unchecked': [
    'An update checks the first of its URLs only.',
    'test/unit/links/destination-check.test.ts',
    'guard',
  ],
  'blocked-enabled': [
    'An account enables a link that the operator has blocked.',
    'test/unit/links/admin.test.ts',
    'guard',
  ],
  'expired-enabled': [
    'A link whose visits are used up, or that has expired, is enabled.',
    'test/contract/http/root.test.ts',
    'guard',
  ],
  'account-gone-first': ['The removal of an account is complete before its links are removed.', 'worlds', 'order'],
  'revoked-before-stored': ['A revocation is acknowledged before it is stored.', 'worlds', 'order'],
  'key-remembered': ['A process remembers what a key may do.', 'worlds', 'memory'],
  'account-read-early': ['The account is read before the slot is reserved.', 'worlds', 'order'],
  'account-not-read-again': [
    'A create does not read its account again before it replaces a removed link.',
    'plans of an account creates a link and is blocked',
    'order',
  ],
  'slot-after-link': ['The link is inserted before its slot is reserved.', 'worlds', 'order'],
  'slot-of-taken-name': ['A create that loses its name keeps its slot.', 'worlds', 'forgotten'],
  'slot-of-the-site': ["A create that is refused keeps its slot in the site's list.", 'worlds', 'forgotten'],
  'reference-of-refused': ['A create that is refused keeps its reference.', 'worlds', 'forgotten'],
  'reference-twice': ['Two links that want a reference at once both get it.', 'worlds', 'order'],
  'quota-of-refused': ['A create that is refused does not give back its unit of the quota.', 'worlds', 'forgotten'],
  'quota-of-the-future': [
    'A quota that was used up by a clock that was ahead stays used up.',
    'plans of its quota while the clock is a year ahead',
    'life',
  ],
  'removed-name-for-all': [
    'A removed link can be created again by any account.',
    'plans of a link is removed and another account creates it',
    'guard',
  ],
  'repeat-refused': [
    'A repeat that runs beside another call is refused because of its link.',
    'plans of one idempotency key and one short part',
    'guard',
  ],
  'parameters-not-compared': ['An intent is not compared with the parameters of a repeat.', 'worlds', 'guard'],
  'intent-twice': ['Two calls with one idempotency key keep their own intents.', 'worlds', 'order'],
  'intent-of-an-hour': ['An idempotency key holds for an hour.', 'test/unit/links/create/intents.test.ts', 'life'],
  'counters-left': ['A removed link leaves its counters.', 'worlds', 'forgotten'],
  'reuse-left': ['The links of a removed account leave what `reuse` finds them by.', 'worlds', 'forgotten'],
  'urls-of-rules-forgotten': [
    'The URLs of the rules are forgotten among those of a link.',
    'test/unit/links/destination-check.test.ts',
    'forgotten',
  ],
  'absent-names-left': ['The removal of an account leaves names whose links are absent.', 'worlds', 'forgotten'],
  'older-block': ['A block is replaced by an older one.', 'worlds', 'order'],
  'links-blocked-first': ['The links of an account are blocked before the account.', 'worlds', 'order'],
  'block-not-repeated': ['Only the account is marked by a block that finds it blocked.', 'worlds', 'guard'],
  'update-of-old': ['An update brings back what others have changed since it read the link.', 'worlds', 'order'],
  'expiry-announced-by-all': [
    'Each process that notices an expired link announces it.',
    'test/engines/expiry.test.ts',
    'guard',
  ],
  'expiry-mark-renewed': [
    'A retry does not know its own mark of an expired link.',
    'test/unit/links/change/expiry.test.ts',
    'guard',
  ],
  'expiry-mark-kept': [
    'A link that works again is not announced when it expires again.',
    'test/unit/links/change/expiry.test.ts',
    'forgotten',
  ],
  'comparison-day-utc': [
    '"Today" is a day in UTC in a comparison, not in `timeZone`.',
    'test/contract/crossed/days.test.ts',
    'day',
  ],
  'rule-day-utc': ['The days of rules are in UTC, not in `timeZone`.', 'test/contract/http/root.test.ts', 'day'],
  'last-day-excluded': ['A rule ends before its last day.', 'test/contract/http/root.test.ts', 'day'],
  'time-utc': ['A time without an offset is in UTC, not in `timeZone`.', 'test/unit/link/dates.test.ts', 'day'],
  'moment-utc': ['The dashboard shows moments in UTC, not in `timeZone`.', 'test/contract/crossed/days.test.ts', 'day'],
  'quota-for-a-day': [
    'A daily quota ends 24 hours after its first use, not with the day.',
    'test/unit/links/daily-quota.test.ts',
    'day',
  ],
  'batch-renumbered': ['A batch is sent again with another number.', 'worlds', 'order'],
  'visit-link-not-compared': ['A visit does not compare its link.', 'worlds', 'order'],
  'limit-exceeded': [
    'A limit is exceeded by the visitors who wait together.',
    'plans of the last visit of a limit',
    'guard',
  ],
  'open-tries-not-counted': [
    'Wrong passwords that are being compared are not counted.',
    'test/unit/visits/attempts.test.ts',
    'guard',
  ],
  'tries-of-the-future': [
    'Wrong passwords of a clock that was ahead lock out until then.',
    'plans of wrong passwords while the clock is a year ahead',
    'life',
  ],
  'refused-until-the-future': [
    'A process refuses a client until the time of a clock that was ahead.',
    'plans of wrong passwords while the clock is a year ahead',
    'life',
  ],
  'attempts-forgotten': [
    'A record of wrong passwords expires with the first of them.',
    'test/unit/visits/attempts.test.ts',
    'life',
  ],
  'head-counted': ['A HEAD request counts as a visit.', 'test/contract/http/root.test.ts', 'count'],
  'cookie-in-milliseconds': [
    'The cookie of a visit lasts a thousand times as long.',
    'test/contract/http/attribution.test.ts',
    'life',
  ],
  'accepted-unasked': [
    'A link sets the cookie without the consent of its visitor.',
    'test/contract/http/attribution.test.ts',
    'guard',
  ],
  'one-draw-for-all-links': [
    'A visitor gets the same share of every link, so that tests of two links mix.',
    'test/unit/link/rules.test.ts',
    'count',
  ],
  'variant-drawn-again': [
    'A visitor with the cookie of a link is drawn again, so that a change of shares moves customers to another page.',
    'test/contract/http/variants.test.ts',
    'count',
  ],
  'refund-without-variant': [
    'A refund is not counted for the variant.',
    'test/contract/http/variants.test.ts',
    'count',
  ],
  'first-link-loses-credit': [
    "`accept` gives the credit to a later link, with `credit: 'first'`.",
    'test/contract/crossed/options.test.ts',
    'count',
  ],
  'conversion-begun-twice': ['A conversion that was begun is not found again.', 'worlds', 'order'],
  'conversion-done-early': [
    'A conversion is done before it is counted.',
    'plans of an order is recorded and refunded',
    'order',
  ],
  'refunds-overwritten': [
    'A conversion that is done loses the refunds that others have begun.',
    'plans of an order is recorded and refunded',
    'order',
  ],
  'refunds-unseen': [
    'A refund does not look at those that others have begun.',
    'plans of two refunds want the value of an order',
    'order',
  ],
  'refund-done-early': ['A refund is done before it is counted.', 'plans of a refund is recorded twice', 'order'],
  'counters-of-removed': [
    'A refund beside the removal of its account leaves counters.',
    'plans of an order is refunded and its account is removed',
    'forgotten',
  ],
  'forgotten-remembered': [
    'A customer who is forgotten during an order is remembered again.',
    'plans of a known customer buys on another day and is forgotten',
    'order',
  ],
  'customer-taken': [
    'A later link takes the customer of an earlier one.',
    'plans of a customer is identified by two links',
    'count',
  ],
  'customer-forgotten-twice': [
    'Each of two calls that forget a customer at once says that it knew the customer.',
    'plans of a customer is forgotten twice',
    'order',
  ],
  'customer-not-renewed': [
    'The use of a known customer does not renew it.',
    'test/contract/crossed/windows.test.ts',
    'life',
  ],
  'conversion-day-utc': [
    'The day of a conversion is in UTC, not in `timeZone`.',
    'test/contract/crossed/days.test.ts',
    'day',
  ],
  'refund-in-todays-currency': [
    'A refund of an order without a currency gets that of the options.',
    'test/contract/crossed/options.test.ts',
    'count',
  ],
  'verdict-of-old-url': [
    'A check marks or blocks a link whose URL was changed meanwhile.',
    'test/unit/links/change/recheck.test.ts',
    'order',
  ],
  'links-before-visits': [
    'Imported links are stored before their visits.',
    'test/unit/tools/import/arrivals.test.ts',
    'order',
  ],
  'copy-not-noted': ['A copy does not note that it begins.', 'plans of a store is copied beside a create', 'order'],
  'removed-copied': ['A copy keeps what was removed since the last one.', 'worlds', 'order'],
  'references-not-exported': ['An export forgets the references.', 'worlds', 'forgotten'],
  'conversions-not-exported': ['An export of one account forgets its conversions.', 'worlds', 'forgotten'],
  'expiry-not-copied': ['What expires lasts for ever in a copy.', 'test/unit/tools/copy/copy.test.ts', 'forgotten'],
  'shares-left': [
    'The removal of an account leaves the pages that it shares.',
    'test/unit/shortener/kinds.test.ts',
    'forgotten',
  ],
  'shared-though-blocked': [
    'A shared page shows the numbers of a blocked link.',
    'test/contract/dashboard/shared.test.ts',
    'guard',
  ],
  'shared-of-blocked-account': [
    'A shared page shows the numbers of a blocked account.',
    'test/contract/dashboard/shared.test.ts',
    'guard',
  ],
  'call-of-other-site': [
    'Another site calls the API for the user who is logged in.',
    'test/contract/dashboard/calls.test.ts',
    'form',
  ],
  'form-of-other-site': [
    'A form of another site is taken if it has the token.',
    'test/contract/dashboard/calls.test.ts',
    'form',
  ],
  'confirmation-made-up': [
    'Any address makes a page confirm what never happened.',
    'test/contract/dashboard/confirmations.test.ts',
    'form',
  ],
};
