import test from 'ava';
import {Columns, protectiveFields} from '../../../src/tables/columns.ts';
import {mayClose, readProtection} from '../../../src/tables/protection.ts';

/** What columns of these names say. */
function protectionOf(values: ReadonlyArray<readonly [name: string, value: unknown]>) {
  const columns = new Columns(values.map(([name]) => name));
  return readProtection(
    protectiveFields.flatMap((field) =>
      columns.each(field).map(({place, name}) => ({field, name, value: values[place]?.[1]})),
    ),
  );
}

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
    t.deepEqual(protectionOf(Object.entries(values)), {...open, isDisabled: true}, JSON.stringify(values));
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
    t.deepEqual(protectionOf(Object.entries(values)), open, JSON.stringify(values));
  }
});

test('a column that says so locks a link, whatever program has named it', (t) => {
  for (const name of ['passwordEnabledAt', 'password_enabled', 'requires_password', 'Password Required']) {
    for (const value of ['2024-02-29T10:20:30Z', 'true', 'WAHR', '1']) {
      t.deepEqual(protectionOf([[name, value]]), {...open, isLocked: true}, `${name} ${value}`);
    }
    for (const value of ['', 'false', 'FAUX', 'None', '-', null]) {
      t.deepEqual(protectionOf([[name, value]]), open, `${name} ${String(value)}`);
    }
  }
  for (const name of ['hashed_password', 'encrypted_password']) {
    t.deepEqual(protectionOf([[name, 'x9Qk']]), {...open, isLocked: true});
  }
});

test('a column with the date of a block, or a yes in the words of a spreadsheet, puts a link out of service', (t) => {
  for (const values of [
    {disabled_at: '2024-02-29 10:20:30'},
    {banned_at: '29.02.2024'},
    {blocked_at: 1709202030},
    {suspended: 'VRAI'},
    {inactive: 'WAHR'},
    {disabled: 'disabled'},
    {is_banned: '是'},
    {active: 'FALSCH'},
    {active: 'gesperrt'},
    {enabled: 'FALSO'},
  ]) {
    t.deepEqual(protectionOf(Object.entries(values)), {...open, isDisabled: true}, JSON.stringify(values));
  }
  for (const values of [
    {disabled: 'FALSCH', banned: 'FAUX', blocked: 'FALSO', suspended: 'None', inactive: '-', deleted: 'n/a'},
    {active: 'WAHR', enabled: 'VRAI', is_active: 'VERDADERO'},
    {disabled_at: 'None', banned_at: '-'},
    {password: 'FALSCH'},
    {password: 'None'},
    {password: '-'},
  ]) {
    t.deepEqual(protectionOf(Object.entries(values)), open, JSON.stringify(values));
  }
  t.deepEqual(protectionOf([['password', 'WAHR']]), {...open, isLocked: true});
});

test('a word that is neither yes nor no is refused, in every column alike', (t) => {
  for (const name of ['active', 'enabled', 'disabled', 'banned', 'suspended']) {
    t.throws(() => protectionOf([[name, 'perhaps']]), {code: 'unreadable_status'}, name);
  }
});

test('a value in an unknown column may close a link by its name, or as a status, a date, a yes or a no', (t) => {
  for (const [name, value] of [
    ...['pwd_hint', 'Passwortschutz', 'pass', 'pin', 'access_code', 'block_reason', 'expire_policy'].map(
      (each) => [each, 'x'] as const,
    ),
    ...['max_total_clicks', 'usage_limit', 'max', 'quota', 'single_use', 'one_time', 'trash'].map(
      (each) => [each, '1'] as const,
    ),
    ...['is_public', 'is_published', 'visible', 'online'].map((each) => [each, '0'] as const),
    ['is_private', 'true'],
    ['is_private', true],
    ['link_status', 'disabled'],
    ['link_status', 'draft'],
    ['visibility', 'PRIVATE'],
    ['state', 'retired'],
    ['removed_at', '2024-02-29'],
    ['what', '31.12.2027'],
    ['what', 'Entwurf'],
    ['what', 'yes'],
    ['what', 'FALSCH'],
    ['what', false],
  ] as const) {
    t.true(mayClose(name, value), `${name} ${String(value)}`);
  }
  for (const [name, value] of [
    ...['usage_limit', 'single_use', 'is_private', 'removed_at', 'trash'].map((each) => [each, '0'] as const),
    ...['is_public', 'published'].map((each) => [each, 'true'] as const),
    ['visibility', 'public'],
    ['link_status', 'active'],
    ['status_code', '301'],
    ['redirect_status', 301],
    ['removed_at', '1899-12-30'],
    ['removed_at', '(NULL)'],
    ['owner', 'someone'],
    ['clicks_of_today', '1'],
    ['shown', '12'],
    ['what', '#NV'],
    ['what', undefined],
  ] as const) {
    t.false(mayClose(name, value), `${name} ${String(value)}`);
  }
});

test('a password is the text itself, and never a mark, a hash or a mask, which leave it unknown', (t) => {
  for (const password of ['s3cret', ' two words ', '$ecret$', 'correct horse battery staple', 'abcdef12']) {
    t.deepEqual(protectionOf([['password', password]]), {...open, password});
  }
  t.like(protectionOf(Object.entries({has_password: 'true', password: 's3cret'})), {isLocked: false});
  for (const absent of ['', 'false', 'NULL', '\\N', '0', 'no', false, null]) {
    t.deepEqual(protectionOf([['Password', absent]]), open, String(absent));
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
    t.deepEqual(protectionOf([['password', unknown]]), {...open, isLocked: true}, String(unknown));
  }
});
