import type { CommandDefinition } from '../../core/command.ts';
import type { CliContext } from '../context.ts';

const json = 'print JSON instead of sentences';
const system = {
  flags: '--system',
  description: 'the service of the machine, under an account of its own; as root (Linux)',
} as const;

export const serviceCommands: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'service',
    description: 'have the system start Hostler: at login (Linux, Windows), or with the machine (Linux)',
    place: { group: 'run', rank: 1 },
  },
  {
    isSentences: true,
    usage: 'service install',
    description: 'start Hostler now and whenever you log in',
    options: [
      system,
      { flags: '--linger', description: 'also before you log in and after you log out (Linux)' },
      { flags: '--no-linger', description: 'no longer before you log in and after you log out (Linux)' },
    ],
    examples: [
      ['service install', 'for yourself'],
      ['service install --linger', 'also while you are not logged in'],
    ],
    run: async () => (await import('./service.ts')).installService,
  },
  {
    isSentences: true,
    usage: 'service remove',
    description: 'stop it, and undo "service install"',
    options: [system, { flags: '--purge', description: 'remove settings, tokens and history as well: nothing stays' }],
    run: async () => (await import('./service.ts')).removeService,
  },
  {
    usage: 'service status',
    description: 'show whether the system starts Hostler, whether it runs, and what it serves',
    options: [system],
    json,
    run: async () => (await import('./service.ts')).serviceStatus,
  },
  {
    isSentences: true,
    usage: 'service restart',
    description: 'stop it and start it again',
    options: [system],
    run: async () => (await import('./service.ts')).restartService,
  },
  {
    usage: 'service logs',
    description: 'print what it has logged, even after it has ended',
    options: [
      system,
      { flags: '--lines <number>', description: 'how many lines, at most 1000 (default: 100)' },
      { flags: '--level <level>', description: 'only these and worse: DEBUG, INFO, WARN or ERROR' },
      { flags: '-f, --follow', description: 'keep printing until Ctrl-C, while it runs' },
    ],
    json: 'print each line as JSON',
    run: async () => (await import('./service.ts')).serviceLogs,
  },
];
