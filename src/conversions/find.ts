import type {FoundCustomer} from './conversion.ts';
import {bringerOf, customerOf, type Person} from './person.ts';
import type {ConversionServices} from './services.ts';

/** The link that brought a person; undefined if none did. */
export async function find(services: ConversionServices, person: Person): Promise<FoundCustomer | undefined> {
  const {links} = services;
  const bringer = await bringerOf(services, person, customerOf(person));
  if (bringer === undefined || !(await links.isKept(bringer))) return undefined;
  return {...(await links.show(bringer)), at: new Date(bringer.at)};
}
