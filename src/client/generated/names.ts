/* Made by `npm run generate` from the tables of operations. Do not edit. */
export const names = {
  create: 'create',
  disable: 'disable',
  enable: 'enable',
  info: 'info',
  listActiveUrls: 'list_active_urls',
  update: 'update',
  remove: 'remove',
  stats: 'stats',
  qr: 'qr',
  listUrls: 'list_urls',
  createMany: 'create_many',
  updateMany: 'update_many',
  recordConversion: 'record_conversion',
  keys: 'keys',
  createKey: 'create_key',
  revokeKey: 'revoke_key',
} as const;
