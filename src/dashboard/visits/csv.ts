import {type Cell, csvRow} from '../../host/csv.ts';
import type {VisitStats} from '../../index.ts';
import {type FileReply, type Handler, ownLink} from '../request.ts';

/** The visits of a link, or of the account, as a file for spreadsheets: in all, by day and by detail. */
export const visitsCsv: Handler = async (request): Promise<FileReply> => {
  const {shortener, account, query} = request;
  const wanted = query.get('short_url');
  if (wanted === null) return toFile(await shortener.accounts.stats(account), 'visits.csv');
  const {shortUrl, shortUrlPart} = await ownLink(request, wanted);
  return toFile(await shortener.links.stats(account, shortUrl), `visits-${shortUrlPart}.csv`);
};

function toFile({totalVisits, days, details}: VisitStats, download: string): FileReply {
  const rows: Cell[][] = [
    ['kind', 'name', 'value', 'visits'],
    ['total', '', '', totalVisits],
    ...days.map(({date, visits}) => ['day', '', date, visits]),
    ...Object.entries(details).flatMap(([name, values]) =>
      values.map(({value, visits}) => ['detail', name, value, visits]),
    ),
  ];
  // Without the byte order mark, Excel does not read UTF-8.
  return {type: 'text/csv; charset=utf-8', body: `\uFEFF${rows.map(csvRow).join('')}`, maxAge: 0, download};
}
