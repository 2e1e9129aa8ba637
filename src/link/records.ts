import {counters, kind} from '../store/kind.ts';
import type {LinkName} from './bases.ts';
import {linkForm} from './record.ts';

const tag = ({domain, slug}: LinkName): readonly string[] => [domain, slug];

export const linkRecords = kind('l', {
  keys: ['l:{<domain>:<slug>}'],
  content: 'a link',
  tag,
  form: linkForm,
  idOf: (link) => link,
  names: 'itself',
  removed: 'by index',
});

/** On a cluster they are on the node of their link. */
export const linkCounters = counters('v', {
  keys: ['v:{<domain>:<slug>}:<…>'],
  content:
    'its counters: `v` (visits), `g` (granted), `d<day>`, `<detail>:<value>`, `c.<name>` (conversions), `w.<name>` (their values), `c<day>.<name>`, `w<day>.<name>`; `r` and `s` the same of refunds, and `.EUR` behind the name for a currency; of conversions by the API `a`, `b`, `p` and `q` instead of `c`, `w`, `r` and `s`; `~:<variant>` (visits of a variant) and `~c~<name>:<variant>` (its conversions) like other details; `m.<digest>`: the conversion was counted',
  tag,
  key: ({counters: name}: LinkName & {readonly counters: string}) => [name],
  removed: 'with its link',
  ofLink: (link) => (link.counters === '' ? [] : [link]),
});

/** The sequence of `url_id`, which is the position in the site's list of links, and that of positions of accounts. */
export const sequences = counters('sequence', {
  keys: ['sequence:url_id', 'sequence:account'],
  content: "the last `url_id`, which is the position in the site's index; the last position in the list of accounts",
  key: (name: 'url_id' | 'account') => [name],
  shared: ['url_id', 'account'],
  removed: 'never',
});
