import { isScope, scopes as known } from '../../features/index.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { outline } from '../../lib/text-table.ts';
import { durationInWords } from '../../lib/units.ts';
import { type MqttStatus, mqttStatusSchema } from '../../transports/mqtt/mqtt.schema.ts';

/** The broker status of a running service, for people. Another version may report other values: those are shown unchanged. */
export function mqttStatusText(body: unknown, now: number): string {
  const { success, data: status } = mqttStatusSchema.safeParse(body);
  if (!success) return outline(body);
  if (!status.enabled) return `No broker is set; "${ownCommand('mqtt setup')}" sets one.`;
  const { broker, encrypted, topic, modules, messages, controls } = status;
  return outline({
    broker: `${broker}, ${encrypted ? 'encrypted' : 'not encrypted'}`,
    connection: connectionOf(status, now),
    publishes: `${counted(modules.length, 'module')} below ${topic}; ${counted(messages, 'message')} since the service started`,
    'home assistant': announcementOf(status),
    controls: controls.length === 0 ? 'none' : controls.join(', '),
    access: brokerGrant(status.scopes),
  });
}

/** What a broker may do here, for setup and doctor. */
export function brokerGrant(scopes: readonly string[]): string {
  const more = scopes.filter(isScope).filter((scope) => scope !== 'read');
  if (more.length === 0) return 'The broker receives the data of this machine; nothing can be controlled through it.';
  return `Every client that can publish at the broker can: ${more.map((scope) => known.of(scope).description).join('; ')}.`;
}

function connectionOf({ connected, since, protocol, problem, retry_at }: MqttStatus, now: number): string {
  const secondsTo = (time: string) => Math.max(0, (Date.parse(time) - now) / 1000);
  if (connected) {
    const lasting = since === null ? '' : ` for ${durationInWords(Math.max(0, (now - Date.parse(since)) / 1000))}`;
    return `connected${lasting}${protocol === null ? '' : `, with MQTT ${protocol}`}`;
  }
  const next = retry_at === null ? '' : `; the next attempt is in ${durationInWords(secondsTo(retry_at))}`;
  return `not connected: ${problem ?? 'the connection is being made'}${next}`;
}

function announcementOf({ discovery, entities }: MqttStatus): string {
  if (discovery === 'off') return 'not announced, because mqtt.discovery is off';
  return `${entities} ${entities === 1 ? 'entity' : 'entities'}, announced ${discovery === 'device' ? 'as one device' : 'one by one'}`;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
