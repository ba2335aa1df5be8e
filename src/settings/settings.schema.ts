import { z } from 'zod';

const text = z.string().max(4096);
const name = z.string().trim().min(1).max(256);

/** More than there will ever be; writing each of them costs time. */
const maxModules = 64;

export const settingsSchema = z.object({
  autostart: z.boolean().describe('Kept for clients that show it; what starts the service is its unit'),
  systemTray: z.boolean().describe('Kept for clients that show it; this version has no icon'),
  hotkeys: z
    .array(z.object({ name, key: name }))
    .max(100)
    .describe('Named keyboard shortcuts, kept for clients; {name, key} each'),
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).describe('How much the log says'),
  commands: z.object({
    allowlist: z
      .array(z.object({ id: name, name, command: text.min(1), workingDir: text, arguments: z.array(text).max(100) }))
      .max(1000)
      .describe(
        'The only programs that can be started: {id, name, command, workingDir, arguments} each, the command with its whole path',
      ),
  }),
  disks: z.object({
    allowedSecondaryMountPoints: z.array(text).max(1000).describe('Bind and squashfs mounts to list as well'),
  }),
  media: z.object({
    directories: z
      .array(z.object({ name, path: text.min(1) }))
      .max(100)
      .describe('Further directories whose files are served: {name, path} each'),
  }),
  // Apart from media: existing clients build that one from exactly its key.
  files: z.object({
    hidden: z
      .boolean()
      .describe(
        'Serve hidden files and directories too, those whose names begin with a dot; the files of Hostler itself are never served',
      ),
  }),
  modules: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, 'module names have lower-case letters'),
      z.object({ interval: z.int().min(250).max(86_400_000).describe('Milliseconds between updates') }),
    )
    .refine((modules) => Object.keys(modules).length <= maxModules, `there can be at most ${maxModules} modules`)
    .describe('Per module: how often listeners get updates'),
  server: z.object({
    host: z.string().max(255).describe('Address to listen on; empty: every address of the machine'),
    port: z.int().min(1).max(65_535).describe('Port to listen on'),
  }),
  security: z.object({
    allowedHosts: z.array(name).max(100).describe('Further names this service is reached by, for the Host header'),
    allowedOrigins: z
      .array(name)
      .max(100)
      .describe('Web pages of other servers that may use this service, as scheme://host:port'),
    remoteAdmin: z
      .boolean()
      .describe('Let administrators change protected settings from elsewhere; set in the file or by the CLI only'),
  }),
  mcp: z.object({
    mode: z
      .enum(['read_only', 'standard', 'full'])
      .describe('What agents are offered: reading; acting as well; also what is offered on request only'),
    allowRemote: z.boolean().describe('Let agents come from other machines; otherwise from this one only'),
    tools: z.array(name).max(100).describe('Tools that are offered on request only, such as type_text or open_url'),
    commands: z.array(name).max(1000).describe('Ids of the commands that agents may run, after the user agreed'),
    trustClientConfirmation: z
      .boolean()
      .describe(
        "Believe the agent's own program when it says that the user agreed, also where there is no desktop. An agent could then approve its own calls; set in the file or by the CLI only",
      ),
  }),
  discovery: z.object({
    enabled: z
      .boolean()
      .describe('Let the service be found on the network (mDNS); never when it listens on loopback only'),
    quiet: z
      .boolean()
      .describe(
        'Announce no more than where the service is: no name of the machine, no MAC address, no UUID, no version. Home Assistant then needs the address typed in',
      ),
  }),
  metrics: z.object({
    enabled: z.boolean().describe('Answer /metrics, for Prometheus and the like; with a token as everything else'),
  }),
  chat: z.object({
    oauthUrl: z
      .union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2048)])
      .describe("Where the chat's tokens come from; empty: the makers of the application"),
  }),
  releases: z.object({
    url: z
      .union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2048)])
      .describe('Where the latest release is announced; empty: no check'),
  }),
});

export type Settings = z.infer<typeof settingsSchema>;
