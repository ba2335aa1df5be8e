import type { CommandDefinition } from '../core/command.ts';
import { listOptions } from '../core/list-flags.ts';
import { pairCommands } from './access/pair.commands.ts';
import { tlsCommands } from './access/tls.commands.ts';
import { tokenCommands } from './access/token.commands.ts';
import { alertsCommands } from './alerts.commands.ts';
import type { CliContext } from './context.ts';
import { mcpCommands } from './mcp/mcp.commands.ts';
import { mqttCommands } from './mqtt/mqtt.commands.ts';
import type { OpenOptions } from './open.ts';
import { serviceCommands } from './service/service.commands.ts';
import { settingsCommands } from './settings.commands.ts';

const tableJson = 'print JSON instead of a table';

const running: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'serve',
    description: 'run the service until Ctrl-C or a request to stop',
    place: { group: 'run', rank: 2 },
    options: [
      { flags: '--host <address>', description: 'address to listen on (default: every address, or SERVICE_HOST)' },
      {
        flags: '--port <number>',
        description: 'port to listen on (default: 9170, or SERVICE_PORT; 0: any free one)',
      },
      {
        flags: '--log-level <level>',
        description: 'DEBUG, INFO, WARN or ERROR (default: INFO, or SERVICE_LOG_LEVEL)',
      },
      { flags: '--log-format <format>', description: 'text or json (default: text, or SERVICE_LOG_FORMAT)' },
    ],
    examples: [['serve --port 9171', 'until Ctrl-C, on another port']],
    run: async () => (await import('./serve.ts')).serve,
  },
  {
    usage: 'open',
    description: 'open the dashboard of the running service in the browser, signed in',
    place: { group: 'run', rank: 3 },
    options: [
      {
        flags: '--print',
        description:
          'print the address and a one-time code to enter there instead; the code works once, within a minute',
      },
      { flags: '--on-screen', description: 'show what goes wrong as a notification as well, for menus' },
    ],
    json: 'print both as JSON instead',
    run: async () => {
      const { openDashboard, openFromMenu } = await import('./open.ts');
      return (context: CliContext, options: OpenOptions & { onScreen?: boolean }) =>
        (options.onScreen ? openFromMenu : openDashboard)(context, options);
    },
  },
  {
    usage: 'status',
    description: 'show whether the service runs, where, since when, and what is missing',
    place: { group: 'run', rank: 4 },
    json: tableJson,
    run: async () => (await import('./status.ts')).printStatus,
  },
  {
    usage: 'logs',
    description: 'print what the running service has logged, the latest last',
    place: { group: 'run', rank: 5 },
    options: [
      { flags: '--lines <number>', description: 'how many lines, at most 1000 (default: 100)' },
      { flags: '--level <level>', description: 'only these and worse: DEBUG, INFO, WARN or ERROR' },
      { flags: '-f, --follow', description: 'keep printing until Ctrl-C' },
    ],
    json: 'print each line as JSON',
    examples: [['logs --follow --level WARN', 'warnings and errors as they come']],
    run: async () => (await import('./logs.ts')).printLogs,
  },
  {
    usage: 'update',
    description: 'show how to update this installation',
    place: { group: 'run', rank: 7 },
    trustsNothing: true,
    run: async () => (await import('./update/update.ts')).explainUpdate,
  },
  {
    usage: 'import',
    description: 'copy settings and token from System Bridge',
    place: { group: 'run', rank: 8 },
  },
  {
    usage: 'import system-bridge',
    description:
      'copy token, port, media directories, allowed commands and start at login from System Bridge; shows the changes first',
    options: [{ flags: '--yes', description: 'do it without asking' }],
    json: 'print JSON instead of sentences',
    run: async () => (await import('./import/import-system-bridge.ts')).importSystemBridge,
  },
];

const reading: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'data <module>',
    description: 'print the current data of a module; also works without a running service',
    place: { group: 'read', rank: 1 },
    options: [
      { flags: '--json', description: tableJson },
      { flags: '--watch', description: 'keep printing changes until Ctrl-C' },
      {
        flags: '--fields <names>',
        description: 'print these fields only, separated by commas, such as usage,per_cpu.usage',
      },
      ...listOptions,
    ],
    examples: [
      ['data cpu', 'everything about the processor'],
      ['data memory --fields virtual.percent --json', 'one value, for a script'],
      ['data processes --sort -cpu_usage --limit 5', 'the busiest processes'],
      ['data media --watch', 'every change until Ctrl-C'],
    ],
    run: async () => (await import('./data.ts')).printData,
  },
  {
    usage: 'modules',
    description: 'list the modules and whether each is available',
    place: { group: 'read', rank: 2 },
    options: listOptions,
    json: tableJson,
    run: async () => (await import('./modules.ts')).listModules,
  },
  {
    usage: 'top',
    description: 'watch processor, memory, network and the busiest processes; the keys c, m, p and n sort, q quits',
    place: { group: 'read', rank: 3 },
    options: [{ flags: '--every <seconds>', description: 'time between two samples (default: 2)' }],
    json: 'print everything once, as JSON',
    run: async () => (await import('./top/top.ts')).showTop,
  },
  {
    usage: 'do [action] [input...]',
    description: 'run any action, such as "media.control action=PAUSE"; without an action, list the actions',
    place: { group: 'control', rank: 1 },
    json: 'print JSON instead of a sentence or a table',
    notes:
      '\nThe input is key=value pairs, one JSON object, or - to read one from standard input.\nIt is done with all permissions, by the running service, as its user.',
    examples: [
      ['do', 'what can be done on this machine'],
      ['do media.control action=PAUSE', 'pause the player'],
    ],
    run: async () => (await import('./do/do.ts')).doAction,
  },
];

const helping: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'doctor',
    description: 'check every module and action, and show how to fix what is missing',
    place: { group: 'trouble', rank: 1 },
    options: [{ flags: '--all', description: 'also what works, and what this machine does not have' }],
    json: 'print everything as JSON',
    trustsNothing: true,
    run: async () => (await import('./doctor/doctor.ts')).doctor,
  },
  {
    usage: 'support',
    description:
      'print what a bug report needs: versions, the findings of the doctor and the last log lines, without names and secrets',
    place: { group: 'trouble', rank: 2 },
    json: tableJson,
    trustsNothing: true,
    run: async () => (await import('./support.ts')).printSupport,
  },
  {
    usage: 'record <directory>',
    description: 'write this machine to a new directory, without names, addresses and serial numbers, for a bug report',
    place: { group: 'trouble', rank: 3 },
    json: tableJson,
    run: async () => (await import('./record.ts')).recordMachine,
  },
  {
    usage: 'self-test <part>',
    description:
      "compare values with the vendor's own tools; gpu: every field with nvidia-smi; windows: with WMI (Windows)",
    place: { group: 'trouble', rank: 4 },
    json: tableJson,
    run: async () => (await import('./self-test/self-test.ts')).selfTest,
  },
  {
    usage: 'version',
    description: 'print the version',
    place: { group: 'more', rank: 1 },
    json: tableJson,
    trustsNothing: true,
    run: async () => (await import('./version.ts')).printVersion,
  },
  {
    usage: 'completion <shell>',
    description: 'print the completion script for bash, zsh, fish or powershell',
    place: { group: 'more', rank: 2 },
    examples: [
      ['completion bash > ~/.local/share/bash-completion/completions/hostler', 'for bash; packages bring it'],
      ['completion fish > ~/.config/fish/completions/hostler.fish', 'for fish'],
    ],
    trustsNothing: true,
    run: async () => (await import('./completion.ts')).printCompletion,
  },
];

const glances: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'glances',
    description: 'the API of Glances, for dashboards that read it',
    place: { group: 'access', rank: 9 },
  },
  {
    usage: 'glances url',
    description: 'print the secret address for clients that cannot send a password: it grants reading',
    options: [{ flags: '--new', description: 'make a new address; the previous one is no longer valid' }],
    json: tableJson,
    run: async () => (await import('./glances.ts')).printGlancesUrl,
  },
];

/** Commands that belong to no feature. */
export const ownCommands: readonly CommandDefinition<CliContext>[] = [
  ...running,
  ...settingsCommands,
  ...reading,
  ...alertsCommands,
  ...helping,
  ...serviceCommands,
  ...tokenCommands,
  ...pairCommands,
  ...tlsCommands,
  ...mcpCommands,
  ...mqttCommands,
  ...glances,
];
