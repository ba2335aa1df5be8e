import { isLoopback } from '../../core/caller.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isObject } from '../../lib/values.ts';
import { isEverywhere, ownUrl, reachableAddresses } from '../../transports/http/own-url.ts';
import { localRoutes } from '../../transports/http/routes/local.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { type RunningInfo, requireService } from '../running-service.ts';
import type { PairOptions } from './pair.ts';
import { scopesFrom } from './scopes-from.ts';

/** Prints a code that gives one device access, for a machine without a user at its screen. */
export async function printPairCode(
  { host, print, complain, isForPeople, isJson, answer, screen, command }: CliContext,
  { scopes: wanted = 'read', ...rest }: PairOptions,
): Promise<void> {
  if (rest.name !== undefined || rest.code || rest.print)
    throw new UsageError('--name, --code and --print are for asking another machine: name its address as well');
  const service = await requireService({ host, command });
  const scopes = scopesFrom(wanted);
  const offer = await service.post(localRoutes.pairCode, { scopes });
  const { code, expires_in } = isObject(offer) ? offer : {};
  if (typeof code !== 'string')
    throw new Error('The running service has another version than this command; restart it');
  const addresses = reachableAt(host.network.addresses(), service.info);
  // After the #: browsers do not send it, and the page removes it from the address first.
  const link = `${addresses[0]}/#pair=${code}`;
  if (isJson) return await answer({ code, link, addresses, scopes, expires_in });
  if (isForPeople()) print((await import('./qr-code.ts')).qrCode(link, screen().ascii));
  print(`Code: ${code}`);
  print(`It admits one device within ${Number(expires_in) / 60} minutes, with the scopes: ${scopes.join(', ')}.`);
  print(`On a phone, scan the QR code, or open ${addresses.join(' or ')} and enter the code.`);
  print(stayingSignedIn(service.info, addresses[0] ?? ''));
  if (isLoopback(service.info.host))
    complain(
      `The service listens on ${service.info.host} only: other devices cannot reach it (server.host in the settings).`,
    );
  print(`On another machine, run "hostler pair ${addresses[0]?.replace(/^http:\/\//, '')} --code".`);
}

/** Browsers keep a key over TLS only. */
function stayingSignedIn({ securePort }: Pick<RunningInfo, 'securePort'>, address: string): string {
  if (address.startsWith('https:'))
    return `A phone has to trust the certificate first: "${ownCommand('tls trust')}" says how.`;
  const { hostname } = new URL(address);
  if (securePort === null)
    return `It stays signed in over an encrypted connection only: "${ownCommand('settings set server.tls auto')}", then restart the service.`;
  return `It stays signed in over an encrypted connection only: open https://${hostname}:${securePort} there; "${ownCommand('tls trust')}" says how a phone trusts the certificate.`;
}

/** Addresses at which others may reach this machine, the likeliest first. */
export function reachableAt(
  all: Parameters<typeof reachableAddresses>[0],
  { host, port, isLocalOnly, securePort }: Pick<RunningInfo, 'host' | 'port' | 'isLocalOnly' | 'securePort'>,
): string[] {
  // Others have access with TLS only if the other port is local or closed.
  const urlAt = (address: string) =>
    port === null || isLocalOnly ? ownUrl(address, securePort ?? 0, true) : ownUrl(address, port);
  if (!isEverywhere(host)) return [urlAt(host)];
  const own = reachableAddresses(all);
  return (own.length === 0 ? ['127.0.0.1'] : own.slice(0, 3)).map(urlAt);
}
