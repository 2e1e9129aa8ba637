import test from 'ava';
import {readProtection} from '../../../../../src/tools/import/formats/protection.ts';

const open = {isDisabled: false, isLocked: false, password: undefined};

test('any column or member that says so puts a link out of service', (t) => {
  for (const values of [
    {is_disabled: '0', banned: '1'},
    {Banned: 'yes', disabled: ''},
    {deleted_at: '2024-02-29 10:20:30'},
    {isActive: 'true', enabled: 'no'},
    {active: 0},
    {active: false},
    {active: 'inactive'},
    {enabled: 'Disabled'},
    {is_enabled: 'off', is_disabled: '0'},
    {disabled: 1},
  ]) {
    t.deepEqual(readProtection(Object.entries(values)), {...open, isDisabled: true}, JSON.stringify(values));
  }
});

test('a link is in service if no column or member says otherwise', (t) => {
  for (const values of [
    {is_disabled: '0', banned: 'no', disabled: 'NULL', deleted_at: '0000-00-00 00:00:00'},
    {is_disabled: 0, active: 1},
    {active: 'active', enabled: 'yes', is_active: ''},
    {active: true, isEnabled: 'enabled', is_active: 'on'},
    {blocked: '\0', note: 'disabled'},
  ]) {
    t.deepEqual(readProtection(Object.entries(values)), open, JSON.stringify(values));
  }
});

test('a word that may say that a link is out of service is refused', (t) => {
  t.throws(() => readProtection([['active', 'perhaps']]), {code: 'unreadable_status'});
});

test('a password is the text itself, and never a mark, a hash or a mask, which leave it unknown', (t) => {
  for (const password of ['s3cret', ' two words ', '$ecret$', 'correct horse battery staple', 'abcdef12']) {
    t.deepEqual(readProtection([['password', password]]), {...open, password});
  }
  t.like(readProtection(Object.entries({has_password: 'true', password: 's3cret'})), {isLocked: false});
  for (const absent of ['', 'false', 'NULL', '\\N', '0', 'no', false, null]) {
    t.deepEqual(readProtection([['Password', absent]]), open, String(absent));
  }
  for (const unknown of [
    ...['true', 'yes', '1', '****', '••••', true],
    '$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG',
    'pbkdf2_sha256$260000$salt$hash',
    '{SSHA}0c0blFTXXNuAMHECS4uxrj3ZieMoWImr',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8',
    'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=',
    '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19',
  ]) {
    t.deepEqual(readProtection([['password', unknown]]), {...open, isLocked: true}, String(unknown));
  }
});
