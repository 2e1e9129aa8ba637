import type {Coincidence} from '../reached.ts';

/** What each small plan is for, and must reach in one of its orders with two switches. */
export const coincidences: Readonly<Record<string, readonly Coincidence[]>> = {
  'two accounts create one short part': ['create loses l', 'create writes list under create'],
  'an account creates two links': ['create writes list under create'],
  'two creates want the last unit of the quota': ['create writes quota under create'],
  'two creates want one reference': ['create writes reference under create', 'create loses reference'],
  'an update and a create want one reference': [
    'create writes reference under update',
    'update writes reference under create',
  ],
  'two calls have one idempotency key': [
    'createOnce writes intent under createOnce',
    'createOnce loses intent',
    'createOnce loses l',
  ],
  'two calls have one idempotency key and one short part': [
    'createOnce writes intent under createOnce',
    'createOnce loses l',
  ],
  'two calls reuse one link': ['create writes reuse under create', 'create loses l'],
  'a call reuses a link and another one removes it': [
    'removeReused writes reuse under create',
    'create writes reuse under removeReused',
  ],
  'a link is removed and created': ['remove writes list under create', 'create loses l'],
  'a link is removed and visited': [
    'remove writes l under visit',
    'visit loses l',
    'remove writes v under visit',
    'visit writes v under remove',
  ],
  'a link is updated and visited': ['update writes l under visit', 'visit loses l'],
  'a link is updated twice': ['update writes l under update', 'update loses l'],
  'a link with a visit limit is visited twice': ['visit writes l under visit', 'visit loses l'],
  // They meet in the memory of their process.
  'two visitors of one process want the last visit of a limit': [],
  'a limit is set beside a visit': ['visit writes l under limit', 'limit writes l under visit', 'visit loses l'],
  'an account creates a link and is blocked': [
    'blockAccount writes account under create',
    'create writes list under blockAccount',
    'create writes l under blockAccount',
    'blockAccount writes l under create',
  ],
  'an account creates a link and is removed': [
    'expel writes account under create',
    'create writes list under expel',
    'create writes l under expel',
    'expel writes l under create',
  ],
  'an account is removed and creates a link': ['expel writes account under create', 'expel writes l under create'],
  'an account is removed': [],
  'a key is issued while another one is rotated': [
    'rotate writes account under issueKey',
    'issueKey writes account under rotate',
  ],
  'two accounts create one short part within a quota': ['create loses l'],
  'an account creates a link with a reference and is blocked': [
    'blockAccount writes account under create',
    'create writes l under blockAccount',
  ],
  'a link is removed and another account creates it': ['create reads l under remove'],
  'an account with a link for reuse is removed': [],
  'an account is registered twice': ['register writes account under register', 'register loses account'],
  'a key is rotated and its account is removed': [
    'expel writes account under rotate',
    'rotate writes account under expel',
  ],
  'a key is rotated twice': ['rotate writes account under rotate', 'rotate loses account'],
  'a link is blocked and updated': ['update writes l under block', 'block writes l under update'],
  'a key is rotated and used': ['authenticate reads account under rotate'],
  'a conversion is recorded twice': [
    'convert writes conversion under convert',
    'convert loses conversion',
    'convert writes v under convert',
  ],
  'a customer is identified by two links': ['identify writes customer under identify', 'identify loses customer'],
  'a customer is identified and forgotten': ['forget reads customer under identify'],
  'a customer is forgotten twice': ['forget reads customer under forget', 'forget writes customer under forget'],
  'a customer is identified on another day and forgotten': [
    'forget writes customer under identify',
    'identify writes customer under forget',
  ],
  'a known customer buys on another day and is forgotten': [
    'forget writes customer under renew',
    'renew writes customer under forget',
  ],
  'two refunds want the value of an order': ['refund writes conversion under refund', 'refund loses conversion'],
  'a refund is recorded twice': [
    'refund writes conversion under refund',
    'refund loses conversion',
    'refund writes v under refund',
  ],
  'an order is recorded and refunded, and refunded again': [
    'refund writes conversion under convert',
    'convert writes conversion under refund',
    'convert loses conversion',
  ],
  'an order is refunded and its account is removed': [
    'expel writes l under refund',
    'expel writes v under refund',
    'expel writes totals under refund',
  ],
  'an order of a customer is recorded by the API and its account is removed': [
    'expel writes l under convert',
    'expel writes v under convert',
    'expel writes totals under convert',
    'expel writes conversion-names under convert',
  ],
  'a customer is identified and the account of the link is removed': ['expel writes l under identify'],
  'a conversion is recorded for two links': ['convert writes conversion under convert', 'convert loses conversion'],
  'an account uses up its quota while the clock is a year ahead': [],
  'a visitor tries wrong passwords while the clock is a year ahead': ['attempt writes attempts under attempt'],
  'two calls have one idempotency key, and a clock is an hour ahead': ['createOnce loses l', 'createOnce loses intent'],
  'a conversion is recorded twice, and a clock is a year behind': ['convert loses conversion'],
  'a store is copied beside a create': ['create writes list under copy', 'create writes sequence under copy'],

  'two accounts create one short part, and a process dies': ['create dies after list', 'create dies after l'],
  'two creates want one reference, and a process dies': [
    'create finds reference of a dead create',
    'create dies after l',
  ],
  'two calls have one idempotency key, and a process dies': [
    'createOnce finds intent of a dead createOnce',
    'createOnce finds l of a dead createOnce',
    'createOnce dies after l',
  ],
  'two calls reuse one link, and a process dies': [
    'create finds reuse of a dead create',
    'create finds l of a dead create',
  ],
  'a call reuses a link and another one removes it, and a process dies': ['create dies after l'],
  'a link is removed and created, and a process dies': ['create finds l of a dead remove', 'remove dies after v'],
  'an account creates a link and is removed, and a process dies': [
    'create dies after list',
    'expel finds l of a dead create',
  ],
  'an account is removed and creates a link, and a process dies': [
    'create finds account of a dead expel',
    'expel dies after l',
    'expel dies after account',
  ],
  'an account is removed, and a process dies': ['expel dies after account', 'expel dies after l', 'expel dies after v'],
  'a link with a visit limit is visited twice, and a process dies': [
    'visit dies after l',
    'visit finds l of a dead visit',
  ],
  'a conversion is recorded twice, and a process dies': [
    'convert finds conversion of a dead convert',
    'convert finds v of a dead convert',
    'convert dies after totals',
  ],
  'a customer is identified by two links, and a process dies': [
    'identify finds customer of a dead identify',
    'identify dies after customer',
  ],
  'two refunds want the value of an order, and a process dies': [
    'refund finds conversion of a dead refund',
    'refund dies after totals',
  ],
};
