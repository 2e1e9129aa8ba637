import bowser from 'bowser';
import type {Context} from 'koa';

/**
 * The details that the site counts: the referring site, the country and the kind of device. None of them identifies a
 * visitor. The `User-Agent` itself is not stored.
 */
export function visitDetails(ctx: Context): Record<string, string> {
  return {
    referrer: hostOf(ctx.get('Referer')),
    // A proxy such as Cloudflare sets this header. Without a proxy any client could send it.
    country: ctx.app.proxy ? ctx.get('CF-IPCountry') : '',
    device: deviceOf(ctx.get('User-Agent')),
  };
}

function hostOf(referrer: string): string {
  const host = /^https?:\/\/([^/:?#@]+)/i.exec(referrer)?.[1];
  return host?.toLowerCase() ?? 'direct';
}

/** `desktop`, `mobile`, `tablet`, `tv` or `bot`. */
function deviceOf(agent: string): string {
  return agent === '' ? 'unknown' : (bowser.parse(agent).platform.type ?? 'unknown');
}
