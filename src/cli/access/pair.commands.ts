import type { CommandDefinition } from '../../core/command.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { CliContext } from '../context.ts';
import type { PairOptions } from './pair.ts';

const json = 'print JSON instead of a table';

/** Access without typing a token. */
export const pairCommands: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'pair [address]',
    description:
      'ask another machine for access; without an address, print a code that gives one device access to this machine',
    place: { group: 'access', rank: 2 },
    options: [
      { flags: '--name <name>', description: 'name of this machine there (default: its host name)' },
      {
        flags: '--scopes <scopes>',
        description: `permissions, separated by commas; see "${ownCommand('token scopes')}" (default: read)`,
      },
      {
        flags: '--code',
        description: 'enter a code that "hostler pair" printed there, instead of asking at its screen',
      },
      { flags: '--print', description: 'print the token; a known one is not requested again' },
    ],
    json,
    examples: [
      ['pair', 'let a phone or another machine into this one'],
      ['pair desk.local:9170', 'ask another machine for access'],
    ],
    run: async () => async (context: CliContext, address: string | undefined, options: PairOptions) =>
      address === undefined
        ? (await import('./pair-code.ts')).printPairCode(context, options)
        : (await import('./pair.ts')).pairWith(context, address, options),
  },
  {
    usage: 'paired',
    description: 'list the machines that have given this one access',
    place: { group: 'access', rank: 3 },
    options: [{ flags: '--forget <address>', description: 'forget the machine with this address' }],
    json,
    run: async () => (await import('./pair.ts')).listMachines,
  },
  {
    usage: 'discover',
    description: 'list the Hostler services on the network, and warn if the certificate of one has changed',
    place: { group: 'access', rank: 4 },
    options: [
      { flags: '--timeout <seconds>', description: 'how long to wait for answers (default: 3)' },
      { flags: '--prometheus', description: 'print them as scrape targets of Prometheus (file_sd)' },
    ],
    json,
    run: async () => (await import('./discover.ts')).discover,
  },
];
