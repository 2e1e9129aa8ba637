import {KeyAttempts} from '../accounts/key-attempts.ts';
import type {Keys} from '../accounts/keys.ts';
import {Api} from '../http/api/api.ts';
import {createMiddleware} from '../http/koa/middleware.ts';
import {Responder} from '../http/koa/responder.ts';
import {createWallAnswers} from '../http/koa/walls.ts';
import {Destinations} from '../http/visit/destination.ts';
import {createMarker, usualParameter} from '../http/visit/via.ts';
import {VisitDetails} from '../http/visit/visit-details.ts';
import {Visitor} from '../http/visit/visitor.ts';
import type {Expiry} from '../links/change/expiry.ts';
import type {Running} from '../running.ts';
import type {Hints} from '../site/hints.ts';
import {attemptRecords, PasswordAttempts} from '../visits/attempts.ts';
import {counted} from './counted.ts';
import type {Services} from './services.ts';
import type {Settings} from './settings.ts';

interface RequestServices {
  readonly hints: Hints;
  readonly keys: Keys;
  readonly running: Running;
  readonly expiry: Expiry;
  /** As in `RequestServices` of the responder. */
  readonly onFirst: () => void;
}

export function createRequests(
  settings: Settings,
  services: Services,
  {hints, keys, running, expiry, onFirst}: RequestServices,
) {
  const {bases, now} = settings;
  const {store, accounts, links, conversions, redirects, siteKey, userDomains, attribution, announcer} = services;
  const marker = settings.attribution && createMarker({...settings.attribution, attribution, bases, announcer});
  const visitor = new Visitor({
    ...settings,
    redirects,
    destinations: new Destinations({
      ...settings,
      redirects,
      announcer,
      ownParameter: settings.attribution ? (settings.attribution.parameter ?? usualParameter) : undefined,
      siteKey,
      seenVariant: marker?.seenVariant,
    }),
    attempts: new PasswordAttempts(
      store,
      settings.passwordAttempts,
      (...parts) => siteKey.idFor(attemptRecords, ...parts),
      now,
    ),
    announcer,
    expiry,
    details: new VisitDetails(settings.visitDetails, announcer),
    marker,
  });
  const keyAttempts = new KeyAttempts({accounts, limit: settings.keyAttempts, now});
  const requests = {
    ...settings,
    api: counted(new Api({keyAttempts, keys, links, conversions, announcer, now}), running),
    visitor,
    redirects,
    announcer,
    hints,
    userDomains,
    onFirst,
  };
  const responder = new Responder(requests);
  const middleware = createMiddleware(responder, requests);
  const answers = createWallAnswers(responder, requests);
  return {middleware, answers, responder, marker};
}
