import { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import { unit } from '../core/unit.schema.ts';
import { nameSchema as name, textSchema as text } from './fields.schema.ts';

/** More than ever needed; serialising each of them costs time. */
const maxModules = 64;

/** Sections that belong to no single feature. `mqttScopes`: what a client of a broker may get. */
const baseSections = <S extends string>(mqttScopes: readonly S[]) => ({
  autostart: z
    .boolean()
    .describe('Start Hostler at login, as the command "service install" does. Always shows the actual state')
    .meta({ title: 'Start at login' }),
  systemTray: z
    .boolean()
    .describe(
      'Show an icon with a menu beside the clock, on Windows and on Linux desktops that have a place for such icons',
    )
    .meta({ title: 'System tray icon' }),
  hotkeys: z
    .array(z.object({ name, key: name }))
    .max(100)
    .describe('Named keyboard shortcuts, stored for clients; each is {name, key}'),
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).describe('Lowest level that is written to the log'),
  logFormat: z
    .enum(['text', 'json'])
    .describe(
      'How the log is written: text for people, or json for programs: one object a line with time, level and message',
    ),
  modules: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, 'module names consist of lower-case letters'),
      z.object({
        interval: z.int().min(250).max(86_400_000).describe('Milliseconds between updates').meta(unit('milliseconds')),
      }),
    )
    .refine((modules) => Object.keys(modules).length <= maxModules, `there can be at most ${maxModules} modules`)
    .describe('How often listeners that name no interval get updates of each module; otherwise at most every 15 s'),
  server: z.object({
    host: z
      .string()
      .max(255)
      .describe('Address to listen on; empty means all addresses')
      .meta({ title: 'Listen address' }),
    port: z.int().min(1).max(65_535).describe('Port to listen on'),
    plain: z
      .enum(['everywhere', 'local', 'off'])
      .describe(
        'Which clients can reach the port without TLS. everywhere: as server.host specifies; local: this machine only; off: none',
      )
      .meta({ title: 'Unencrypted access' }),
    tls: z
      .enum(['off', 'auto', 'files'])
      .describe(
        'Encrypted access. auto: with a certificate that this machine makes and renews itself; files: with your own, see tlsCertificate and tlsKey',
      )
      .meta({ title: 'Encrypted access (TLS)' }),
    tlsPort: z.int().min(1).max(65_535).describe('Port for encrypted access').meta({ title: 'TLS port' }),
    tlsCertificate: text
      .describe('File with your certificate and those between it and its authority (PEM); changes are picked up')
      .meta({ title: 'Certificate file' }),
    tlsKey: text
      .describe('File with the private key of your certificate (PEM), not encrypted; it must not be world-readable')
      .meta({ title: 'Key file' }),
    basePath: z
      .string()
      .max(200)
      .regex(
        /^(?!\/(?:api|metrics|oauth|\.well-known)(?:\/|$))(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/,
        'such as /hostler: letters, digits, ".", "_", "~" and "-" after each slash, and no slash at the end',
      )
      .describe('Path below which a proxy serves this machine, such as /hostler; empty means none')
      .meta({ title: 'Path behind a proxy', examples: ['/hostler'] }),
    trustedProxies: z
      .array(
        z
          .string()
          .regex(/^[0-9a-f.:]{2,45}$/, 'an IPv4 or IPv6 address in lower case')
          .meta({ examples: ['192.0.2.1'] }),
      )
      .max(20)
      .describe(
        'Addresses of proxies that name that path in X-Forwarded-Prefix, and protocol and address of the client in X-Forwarded-Proto and X-Forwarded-For',
      )
      .meta({ title: 'Trusted proxies' }),
  }),
  security: z.object({
    allowedHosts: z.array(name).max(100).describe('Additional host names under which this service is reached'),
    allowedOrigins: z
      .array(name)
      .max(100)
      .describe('Origins of other web pages that may use this service, as scheme://host:port'),
    remoteAdmin: z
      .boolean()
      .describe(
        'Let administrators change protected settings from other machines; can be set only in the file or with the CLI',
      )
      .meta({ title: 'Remote administration' }),
  }),
  mcp: z.object({
    mode: z
      .enum(['read_only', 'standard', 'full'])
      .describe(
        'What agents may use. read_only: reading; standard: actions as well; full: also the tools that are off by default',
      )
      .meta({ title: 'Access for agents' }),
    allowRemote: z
      .boolean()
      .describe('Accept agents from other machines, not only from this one')
      .meta({ title: 'Accept remote agents' }),
    tools: z
      .array(name)
      .max(100)
      .describe('Tools to offer although they are off by default, such as type_text or open_url')
      .meta({ title: 'Additional tools' }),
    commands: z
      .array(name)
      .max(1000)
      .describe('Ids of the commands that agents may run once the user agrees')
      .meta({ title: 'Allowed commands' }),
    trustClientConfirmation: z
      .boolean()
      .describe(
        "Accept the word of the agent's own program that the user agreed, even without a desktop. An agent could then approve its own calls; can be set only in the file or with the CLI",
      )
      .meta({ title: 'Trust client confirmation' }),
    oauth: z
      .boolean()
      .describe('Let agents ask for a token by OAuth. The user agrees on this machine, as for a device that pairs')
      .meta({ title: 'Let agents ask for access' }),
  }),
  pairing: z.object({
    enabled: z
      .boolean()
      .describe(
        'Let other devices, and agents by OAuth, ask for access: the user agrees at the screen of this machine or with the command "approve", or gives a code that the command "pair" prints',
      )
      .meta({ title: 'Let devices ask for access' }),
  }),
  discovery: z.object({
    enabled: z
      .boolean()
      .describe('Announce the service on the network (mDNS); never done while it listens on loopback only')
      .meta({ title: 'Announce on the network' }),
    quiet: z
      .boolean()
      .describe(
        'Announce only where the service is: no machine name, MAC address, UUID or version. Home Assistant then needs the address typed in',
      )
      .meta({ title: 'Announce quietly' }),
  }),
  metrics: z.object({
    enabled: z
      .boolean()
      .describe('Serve /metrics for Prometheus and similar; requires a token')
      .meta({ title: 'Serve metrics' }),
  }),
  glances: z
    .object({
      enabled: z
        .boolean()
        .describe(
          'Serve the REST API of Glances at /api/4 and /api/3, for dashboards that read it. Clients send a token with the scope read as the password',
        )
        .meta({ title: 'Serve the API of Glances' }),
      privatePath: z
        .boolean()
        .describe(
          'Also serve it without a token at a secret address, for clients that cannot send a password; the command "glances url" prints it',
        )
        .meta({ title: 'Secret address' }),
    })
    .meta({ title: 'Glances' }),
  mqtt: z.object({
    url: z
      .union([z.literal(''), z.url({ protocol: /^(?:mqtts?|wss?)$/ }).max(2048)])
      .refine(
        (url) => !/^[a-z]+:\/\/[^/]*@/.test(url),
        'name the user in mqtt.username; the command "mqtt setup" asks for the password',
      )
      .describe(
        'MQTT broker to connect to: mqtt://host:1883, mqtts://host:8883, ws:// or wss://; empty means none. mqtt:// and ws:// are not encrypted',
      )
      .meta({ title: 'MQTT broker' }),
    username: z
      .string()
      .max(256)
      .describe('User name at the broker; the command "mqtt setup" asks for the password')
      .meta({ title: 'User name' }),
    caFile: text
      .describe("PEM file with the authorities that sign the broker's certificate; empty means those of the runtime")
      .meta({ title: 'CA file' }),
    certificateFile: text
      .describe('PEM file with the certificate this machine shows to the broker; empty means none')
      .meta({ title: 'Client certificate file' }),
    keyFile: text.describe('PEM file with the key of that certificate').meta({ title: 'Client key file' }),
    serverName: z
      .string()
      .max(255)
      .describe("Name the broker's certificate must have; empty means the host in mqtt.url")
      .meta({ title: 'Server name' }),
    topic: z
      .string()
      .regex(
        /^[A-Za-z0-9_-]{1,64}(?:\/[A-Za-z0-9_-]{1,64}){0,4}$/,
        'letters, digits, _ and -, in levels separated by /',
      )
      .describe('First part of every topic; the id of the machine follows')
      .meta({ title: 'Topic' }),
    interval: z.int().min(1).max(3600).describe('Seconds between two updates of a module').meta(unit('seconds')),
    modules: z
      .array(z.string().max(32))
      .max(maxModules)
      .describe('Modules to publish; none means all')
      .meta({ title: 'Published modules' }),
    scopes: z
      .array(z.enum(mqttScopes))
      .max(mqttScopes.length)
      .describe(
        'What every client that can publish at the broker may do on this machine. With read alone nothing can be controlled; can be set only in the file or with the CLI',
      )
      .meta({ title: 'Granted scopes' }),
    discovery: z
      .enum(['device', 'entity', 'off'])
      .describe(
        'How the machine announces itself to Home Assistant. device: one message (2024.12 and later); entity: one for each entity, also for openHAB and older versions',
      )
      .meta({ title: 'Home Assistant discovery' }),
  }),
  otlp: z
    .object({
      endpoint: z
        .union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2048)])
        .describe(
          'Address of an OpenTelemetry collector, or of Prometheus, to which the numbers of this machine are sent (OTLP over HTTP); empty means none. /v1/metrics is added unless it is there',
        )
        .meta({ title: 'Collector address' }),
      encoding: z
        .enum(['protobuf', 'json'])
        .describe('Encoding of what is sent; every collector takes protobuf, some take JSON as well'),
      interval: z.int().min(5).max(3600).describe('Seconds between two pushes').meta(unit('seconds')),
      headersFile: text
        .describe(
          'File with headers to send along, such as Authorization: Bearer …, one on each line; it must be readable only by you',
        )
        .meta({ title: 'Headers file' }),
      caFile: text
        .describe(
          "File with the certificates of the authorities to trust for this address (PEM); empty means the system's",
        )
        .meta({ title: 'Authorities file' }),
    })
    .meta({ title: 'OpenTelemetry (OTLP)' }),
  dashboard: z.object({
    machines: z
      .array(
        z.object({
          name,
          url: z
            .url({ protocol: /^https?$/ })
            .max(2048)
            .meta({ title: 'Address' }),
        }),
      )
      .max(50)
      .describe(
        'Other machines with Hostler that the dashboard shows; each is {name, url}, such as http://nas.local:9170. The dashboard may connect to these and no others',
      )
      .meta({ title: 'Other machines' }),
  }),
});

/** The sections of features: each settings schema adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: features add the members.
export interface FeatureSettings {}

type BaseSettings = z.infer<z.ZodObject<ReturnType<typeof baseSections<Scope>>>>;

/** A mapped type, so that it is assignable like a plain object type. */
export type Settings = { [K in keyof (BaseSettings & FeatureSettings)]: (BaseSettings & FeatureSettings)[K] };

export interface SettingsSchemaParts {
  order: readonly string[];
  mqttScopes: readonly string[];
  /** By the names that features declare. */
  sections: Readonly<Record<string, z.ZodType>>;
}

export function createSettingsSchema({ order, mqttScopes, sections }: SettingsSchemaParts): z.ZodType<Settings> {
  const known: Record<string, z.ZodType> = { ...baseSections(mqttScopes), ...sections };
  const shape = order.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]] as const]));
  // Each section is typed where it is declared; together they are the settings.
  return z.object(Object.fromEntries(shape)) as unknown as z.ZodType<Settings>;
}
