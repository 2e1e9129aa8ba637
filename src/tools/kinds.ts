import {siteKinds} from '../shortener/kinds.ts';
import {type AnyKind, localKind} from '../store/kind.ts';
import {trialRecords} from './check/check-operations.ts';
import {siteNames} from './site.ts';

/** All kinds: those that a site writes, and those that stay in their store. */
export const kinds = [
  ...siteKinds,
  localKind('batch', {
    keys: ['batch:<writer>'],
    content: "a writer's last batch",
    expires: 'after a day',
  }),
  localKind('format', {keys: ['format'], content: 'the number of the format, and settings'}),
  siteNames,
  trialRecords,
] as const satisfies readonly AnyKind[];

export type KindName = (typeof kinds)[number]['name'];

const byName: ReadonlyMap<string, AnyKind & {readonly name: KindName}> = new Map(
  kinds.map((kind) => [kind.name, kind]),
);

/** The kind to which a key belongs; undefined for a key of no kind. */
export function kindOf(key: string): (AnyKind & {readonly name: KindName}) | undefined {
  const [name = ''] = key.split(':', 1);
  return byName.get(name);
}

/** Whether a copy or an export has what is stored under the key. */
export function isMovable(key: string): boolean {
  return kindOf(key)?.isLocal !== true;
}
