import {byteOrderMark, type Cell, csvRow} from '../../host/csv.ts';
import type {VisitStats} from '../../index.ts';
import {fileNameOf} from '../files/file-name.ts';
import {type DashboardRequest, type FileReply, type Handler, ownLink} from '../request.ts';

/** The statistics of a link, or of the account, as a file for spreadsheets: in all, by day, conversion and detail. */
export const visitsCsv: Handler = async (request): Promise<FileReply> => {
  const {shortener, account, query} = request;
  const wanted = query.get('short_url');
  if (wanted === null) return toFile(request, await shortener.accounts.stats(account), 'visits.csv');
  const {shortUrl, shortUrlPart} = await ownLink(request, wanted);
  return toFile(request, await shortener.links.stats(account, shortUrl), `visits-${fileNameOf(shortUrlPart)}.csv`);
};

function toFile({hasConversions}: DashboardRequest, stats: VisitStats, download: string): FileReply {
  const {totalVisits, days, details, conversions} = stats;
  const total = conversions.reduce((sum, each) => sum + each.conversions, 0);
  const rows: Cell[][] = [
    ['kind', 'name', 'value', 'visits', 'conversions', 'currency', 'amount', 'refunds', 'refunded'],
    ['total', '', '', totalVisits, total, '', '', '', ''],
    ...days.map((day) => ['day', '', day.date, day.visits, day.conversions, '', '', '', '']),
    ...(hasConversions ? days : []).flatMap(({date, values}) =>
      values.map((each) => ['amount', '', date, '', '', each.currency ?? '', each.value, '', each.refunded]),
    ),
    ...(hasConversions ? conversions : []).map((each) => {
      const {name, currency, value, refunds, refunded} = each;
      return ['conversion', name, '', '', each.conversions, currency ?? '', value, refunds, refunded];
    }),
    ...Object.entries(details).flatMap(([name, values]) =>
      values.map(({value, visits}) => ['detail', name, value, visits, '', '', '', '', '']),
    ),
  ];
  const shown = hasConversions ? rows : rows.map((row) => row.slice(0, 4));
  return {type: 'text/csv; charset=utf-8', body: byteOrderMark + shown.map(csvRow).join(''), maxAge: 0, download};
}
