import type {Account} from '../../accounts/accounts.ts';
import {inTurn} from '../long-reads.ts';
import {findOwn} from '../own-link.ts';
import type {LinkServices} from '../services.ts';
import {drawQrCode, type QrCode, type QrFormat, type QrOptions, readQrOptions} from './qr-code.ts';

export async function qr<Format extends QrFormat = 'svg'>(
  services: Pick<LinkServices, 'store' | 'bases' | 'longReads'>,
  account: Account,
  shortUrl: string,
  options?: QrOptions<Format>,
): Promise<QrCode<Format>> {
  const {bases} = services;
  const read = readQrOptions(options);
  const {value: record} = await findOwn(services, account, shortUrl);
  return inTurn(services, account, async () => (await drawQrCode(bases.scannedUrls(record), read)) as QrCode<Format>);
}
