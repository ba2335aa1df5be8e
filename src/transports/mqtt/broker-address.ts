import type { StreamTarget } from '@hostler/io/byte-stream.ts';
import type { Settings } from '../../settings/settings.schema.ts';

type MqttSettings = Settings['mqtt'];

const ports: Record<string, number> = { 'mqtt:': 1883, 'mqtts:': 8883, 'ws:': 80, 'wss:': 443 };

/** The URL of a typed address: `broker.example`, `broker.example:8883`, `::1`, or a URL, which stays. null: no address of a broker. */
export function brokerUrl(text: string): string | null {
  const isBareV6 = !text.startsWith('[') && text.split(':').length > 2;
  const isSecure = !isBareV6 && text.endsWith(`:${ports['mqtts:']}`);
  const address = `${isSecure ? 'mqtts' : 'mqtt'}://${isBareV6 ? `[${text}]` : text}`;
  const url = text.includes('://') ? text : address;
  if (!URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  return hostname !== '' && Object.hasOwn(ports, protocol) ? url : null;
}

/** The connection target from the settings. `read` returns the text of a file. Throws an explanation. */
export function brokerTarget(settings: MqttSettings, read: (file: string) => string | null): StreamTarget {
  const { protocol, hostname, port, pathname, search } = new URL(settings.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isWeb = protocol.startsWith('ws');
  return {
    host,
    port: port === '' ? (ports[protocol] ?? 1883) : Number(port),
    tls: protocol === 'mqtts:' || protocol === 'wss:' ? tlsOf(settings, host, read) : null,
    webSocket: isWeb
      ? { path: `${pathname === '/' || pathname === '' ? '/mqtt' : pathname}${search}`, protocol: 'mqtt' }
      : null,
  };
}

function tlsOf(
  { serverName, caFile, certificateFile, keyFile }: MqttSettings,
  host: string,
  read: (file: string) => string | null,
): StreamTarget['tls'] {
  const text = (setting: string, file: string) => {
    const found = read(file);
    if (found === null) throw new Error(`mqtt.${setting}: there is no file ${file}`);
    return found;
  };
  if ((certificateFile === '') !== (keyFile === ''))
    throw new Error('mqtt.certificateFile and mqtt.keyFile belong together: set both, or neither');
  return {
    serverName: serverName || host,
    ca: caFile === '' ? null : text('caFile', caFile),
    certificate:
      certificateFile === ''
        ? null
        : { chain: text('certificateFile', certificateFile), key: text('keyFile', keyFile) },
  };
}

/** Without credentials. */
export function shownBroker(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** Whether other machines can read the traffic to the broker. */
export function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  return (protocol === 'mqtt:' || protocol === 'ws:') && !isHere;
}
