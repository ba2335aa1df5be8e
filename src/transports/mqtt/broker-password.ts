import { readSecret, sealed } from '../../access/secrets.ts';
import type { TransportParts } from '../../core/transport.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { passwordFile } from './announced.ts';
import { shownBroker } from './broker-address.ts';

type Parts = Pick<TransportParts['host'], 'storage' | 'sealing' | 'paths'>;

export async function writeBrokerPassword(host: Parts, url: string, password: string): Promise<void> {
  host.storage.prepareDirectory(host.paths.state);
  host.storage.write(passwordFile(host), await sealed(host, `${password}\n${shownBroker(url)}\n`));
}

/** null: none. Throws where it is the password of another broker: mqtt.url alone does not send it elsewhere. */
export async function readBrokerPassword(host: Parts, url: string): Promise<string | null> {
  const text = await readSecret(host, passwordFile(host));
  if (text === null) return null;
  const [password = '', broker = ''] = text.split('\n').map((line) => line.trim());
  if (broker === '' || broker === shownBroker(url)) return password;
  throw new Error(`the stored password is for ${broker}; run "${ownCommand('mqtt setup')}" to change the broker`);
}
