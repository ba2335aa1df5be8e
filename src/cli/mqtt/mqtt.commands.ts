import type { CommandDefinition } from '../../core/command.ts';
import type { CliContext } from '../context.ts';

export const mqttCommands: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'mqtt',
    description: 'connect this machine to an MQTT broker, for Home Assistant and others',
    place: { group: 'access', rank: 7 },
  },
  {
    isSentences: true,
    usage: 'mqtt setup [broker]',
    description:
      'set the broker: asks for its address, the user name and the password, or reads them from a pipe, one per line',
    // No option for the password: other processes could read it there.
    options: [
      {
        flags: '--url <url>',
        description: 'the broker, as the argument: broker.example, broker.example:1883 or mqtts://broker.example:8883',
      },
      { flags: '--username <name>', description: 'user name at the broker; "" for none' },
      { flags: '--password-file <file>', description: 'read the password from a file instead of asking' },
      { flags: '--ca-file <file>', description: 'PEM file with the authorities to trust' },
      { flags: '--certificate-file <file>', description: 'PEM file with the certificate this machine shows' },
      { flags: '--key-file <file>', description: 'PEM file with its key' },
      { flags: '--server-name <name>', description: "name the broker's certificate must have" },
      {
        flags: '--scope <scopes>',
        description: 'what every client that can publish at the broker may do, separated by commas (default: read)',
      },
      { flags: '--force', description: 'also set a broker that cannot be reached now' },
    ],
    run: async () => (await import('./mqtt.setup.ts')).setUpMqtt,
  },
  {
    usage: 'mqtt status',
    description: 'show the connection, what is published and what may be controlled',
    json: 'print JSON instead of a table',
    run: async () => (await import('./mqtt.ts')).printMqttStatus,
  },
  {
    isSentences: true,
    usage: 'mqtt forget',
    description: 'remove this machine from the broker and from Home Assistant, and forget the broker',
    options: [
      { flags: '--force', description: 'also forget a broker that cannot be reached; it keeps what was published' },
    ],
    run: async () => (await import('./mqtt.ts')).forgetMqtt,
  },
];
