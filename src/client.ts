export {ApiError, createClient} from './client/client.ts';
export type {CallOptions, ClientOptions} from './client/options.ts';
export type * from './client/generated/calls.ts';
