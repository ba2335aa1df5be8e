import { MqttRefusal, type MqttVersion } from './mqtt.ts';
import type { ConnackPacket } from './packets.ts';

/** Codes of version 5 that the user can act on. */
const reasons: Record<number, string> = {
  128: 'it gave no reason',
  129: 'it could not read the packet',
  130: 'it detected a protocol error',
  132: 'it does not support this version of MQTT',
  133: 'it does not accept the client id',
  134: 'the user name or password is wrong',
  135: 'this user is not allowed to do that',
  136: 'it is not available now',
  137: 'it is busy',
  138: 'this client is banned',
  139: 'it is shutting down',
  140: 'it requires another authentication method',
  141: 'it received nothing from this client in time',
  142: 'another client with the same id has connected',
  143: 'it does not accept the topic filter',
  144: 'it does not accept the topic',
  149: 'the packet is too large',
  151: 'a quota was exceeded',
  152: 'an administrator closed the connection',
  153: 'the payload has the wrong format',
  154: 'it does not keep retained messages',
  155: 'it does not support this quality of service',
  156: 'another server is to be used',
  157: 'the server has moved',
  159: 'the connection rate was exceeded',
};

/** Those of 3.1.1, by the codes of version 5. */
const olderCodes: Record<number, number> = { 1: 0x84, 2: 0x85, 3: 0x88, 4: 0x86, 5: 0x87 };

/** null: not refused. */
export function whyRefused(code: number, detail: string | null): string | null {
  if (code < 0x80 && code !== 0x04) return null;
  const known = reasons[code] ?? `code ${code}`;
  return detail === null ? known : `${known} (${JSON.stringify(detail.slice(0, 200))})`;
}

/** null: accepted. */
export function connectRefusal(packet: ConnackPacket, version: MqttVersion): MqttRefusal | null {
  const given = packet.code;
  if (given === 0) return null;
  // A broker that supports 3.1.1 only answers so, also to version 5.
  const code = given < 0x80 ? (olderCodes[given] ?? 0x80) : given;
  const spoken = version === 5 ? '5' : '3.1.1';
  // Mosquitto answers a wrong password with "not authorized".
  const why = code === 0x87 && packet.reason === null ? wrongUser : whyRefused(code, packet.reason);
  return new MqttRefusal(kindOf(code), `The broker refused the connection (MQTT ${spoken}): ${why}`);
}

const wrongUser = 'the user name or password is wrong, or this user may not connect';

function kindOf(code: number): MqttRefusal['kind'] {
  if (code === 0x84) return 'version';
  return code === 0x86 || code === 0x87 ? 'credentials' : 'other';
}
