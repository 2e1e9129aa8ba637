import bowser from 'bowser';
import type {Context} from 'koa';

/**
 * What the site counts of a visit: where the visitor comes from, which country, which kind of device. Nothing of it tells
 * one visitor from another, and the agent string itself is not kept.
 */
export function visitDetails(ctx: Context): Record<string, string> {
  return {
    referrer: hostOf(ctx.get('Referer')),
    // A proxy such as Cloudflare sets it; without one anybody could.
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
