import { isNear } from '../../lib/near-host.ts';
import { parseTargetAddress, type TargetAddress } from './address.ts';
import type { SendNote, TargetDefinition } from './target.ts';

/** Each service by its schemes; a file is loaded when a message is sent to it. */
const services: readonly (readonly [schemes: readonly string[], load: () => Promise<TargetDefinition>])[] = [
  [['ntfy', 'ntfys'], async () => (await import('./ntfy.ts')).ntfyTarget],
  [['gotify', 'gotifys'], async () => (await import('./gotify.ts')).gotifyTarget],
  [['tgram', 'telegram'], async () => (await import('./telegram.ts')).telegramTarget],
  [['slack'], async () => (await import('./slack.ts')).slackTarget],
  [['discord'], async () => (await import('./discord.ts')).discordTarget],
  [['matrix', 'matrixs'], async () => (await import('./matrix.ts')).matrixTarget],
  [['pover', 'pushover'], async () => (await import('./pushover.ts')).pushoverTarget],
  [['mailto', 'mailtos', 'smtp'], async () => (await import('./mail.ts')).mailTarget],
  [['json', 'jsons'], async () => (await import('./json.ts')).jsonTarget],
];

export const targetSchemes = services.flatMap(([schemes]) => schemes);

export interface OpenAlertTarget {
  address: TargetAddress;
  /** May be shown; empty: none. */
  server: string;
  send: SendNote;
}

/** Throws a sentence that does not contain the URL. */
export async function openAlertTarget(url: string): Promise<OpenAlertTarget> {
  const address = parseTargetAddress(url);
  const load = services.find(([schemes]) => address !== null && schemes.includes(address.scheme))?.[1];
  if (address === null || load === undefined)
    throw new Error(
      `the URL of a target begins with one of ${targetSchemes.map((scheme) => `${scheme}://`).join(' ')}`,
    );
  const { form, parameters = [], server: serverOf, open } = await load();
  try {
    if (!parameters.includes('*'))
      for (const name of address.query.keys())
        if (!parameters.includes(name)) throw new Error(`the parameter ${name} is not known`);
    if (parameters.includes('server')) checkServer(address.query.get('server'));
    return { address, server: serverOf?.(address) ?? '', send: open(address) };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}. The form is ${form}`);
  }
}

/** The server of one's own that stands for that of the service. */
function checkServer(server: string | undefined): void {
  if (server === undefined) return;
  const isSafe = /^https?:\/\/[^/?#@]+$/.test(server) && URL.canParse(server);
  if (!isSafe || (server.startsWith('http:') && !isNear(new URL(server).hostname)))
    throw new Error('its server must be https://HOST[:PORT]; http:// only in the local network');
}

/** Scheme and server: what may be shown. */
export const shownTarget = ({ address, server }: OpenAlertTarget) =>
  `${address.scheme}://${server === '' ? '' : `${server}/`}…`;
