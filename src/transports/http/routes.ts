import type { Pairing } from '../../access/pairing/pairing.ts';
import type { SignIn } from '../../access/sessions/sign-in.ts';
import type { Caller } from '../../core/caller.ts';
import type { OpenServedFile } from '../../core/files/served-file.ts';
import type { Handler, HttpRequest, Methods, Routes } from '../../core/route-table.ts';
import { requireScope, type Service } from '../../core/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { ticketRoute } from './files/file-ticket.ts';
import { mediaFile } from './files/media-file.ts';
import type { FileSending } from './files/server.files.ts';
import { createSendLong } from './long-answer.ts';
import { refuseUnknownQuery, withoutQuery } from './query.ts';
import { secretsOf } from './request.ts';
import { actionRoutes } from './routes/action-routes.ts';
import { browserRoutes } from './routes/browser-routes.ts';
import { listRoutes, moduleRoutes } from './routes/data-routes.ts';
import { loginPageRoute } from './routes/login-page-route.ts';
import { pairRoutes } from './routes/pair-routes.ts';
import { publicRoutes } from './routes/public-routes.ts';
import { tokenRoutes } from './routes/token-routes.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export interface RouteParts {
  service: Service;
  clock: Clock;
  unreadAnswers: UnreadAnswers;
  signIn: Pick<SignIn, 'isOffered'>;
  /** Created on the first request for access. */
  pairing(): Promise<Pairing>;
  /** SHA-256 fingerprints of the certificates that this service shows over TLS. */
  ownCertificates(): readonly string[];
  /** See signInHelpSchema. */
  secure(): { port: number; own_authority: boolean } | null;
}

export interface MediaRouteParts {
  service: Service;
  openServedFile: OpenServedFile;
  fileBody: FileSending['body'];
}

/** The paths of HTTP itself. Every module and every action has its own entry. */
export function createRoutes({
  service,
  clock,
  unreadAnswers,
  signIn,
  pairing,
  ownCertificates,
  secure,
}: RouteParts): Map<string, Methods> {
  const callerOf = (request: HttpRequest) => service.authorize(secretsOf(request), request.connection);
  /** Checks the token first: an unauthenticated client learns no other error. */
  const authorize = (request: HttpRequest, query: readonly string[] = []): Caller => {
    const caller = callerOf(request);
    refuseUnknownQuery(request, query);
    return caller;
  };
  const sendLong = createSendLong(clock, unreadAnswers);
  const all: Routes = {
    ...withoutQuery({ ...publicRoutes(service, clock.now), ...pairRoutes(service.scopes, pairing, ownCertificates) }),
    ...listRoutes(service, authorize),
    ...loginPageRoute(signIn),
    ...tokenRoutes(service, authorize),
    ...browserRoutes(service, authorize, secure),
    ...ticketRoute(service, authorize),
    ...moduleRoutes(service, authorize),
  };
  const routes = new Map(Object.entries(all));
  for (const action of service.actions)
    for (const [path, methods] of actionRoutes(action, { service, callerOf, sendLong }))
      routes.set(path, { ...routes.get(path), ...methods });
  return routes;
}

/** Handles every method: the order of its checks differs from that of the other routes. */
export function createMediaFileHandler({ service, openServedFile, fileBody }: MediaRouteParts): Handler {
  return ({ raw, method, rawQuery, headers, connection }) =>
    mediaFile(
      {
        authorize(token) {
          const caller = service.authorize([token], connection);
          requireScope(caller, 'files');
          return caller.tokenId;
        },
        open: openServedFile,
        openTicket: (ticket) => service.files.open(ticket, connection),
        body: (file, part) => fileBody(raw, file, part),
      },
      { method, rawQuery, headers },
    );
}
