import type {Operation} from './operation.ts';
import {
  forgetConversionName,
  forgetCustomer,
  identifyCustomer,
  recordConversion,
  refundConversion,
} from './operations/conversions.ts';
import {createKey, keys, revokeKey} from './operations/keys.ts';
import {create, disable, enable, info, qr, remove, stats, update} from './operations/links.ts';
import {listActiveUrls, listUrls} from './operations/lists.ts';
import {createMany, updateMany} from './operations/many.ts';
import {accountStats, compare, compareTags, tags} from './operations/reports.ts';

/** The operations by their name in the path, in the order of the descriptions. */
export const operations: ReadonlyMap<string, Operation> = new Map([
  ['create', create],
  ['disable', disable],
  ['enable', enable],
  ['info', info],
  ['list_active_urls', listActiveUrls],
  ['update', update],
  ['remove', remove],
  ['stats', stats],
  ['qr', qr],
  ['list_urls', listUrls],
  ['account_stats', accountStats],
  ['tags', tags],
  ['compare', compare],
  ['compare_tags', compareTags],
  ['create_many', createMany],
  ['update_many', updateMany],
  ['record_conversion', recordConversion],
  ['refund_conversion', refundConversion],
  ['identify_customer', identifyCustomer],
  ['forget_customer', forgetCustomer],
  ['forget_conversion_name', forgetConversionName],
  ['keys', keys],
  ['create_key', createKey],
  ['revoke_key', revokeKey],
]);
