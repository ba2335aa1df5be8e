import type { CommandDefinition } from '../../core/command.ts';
import type { CliContext } from '../context.ts';

export const tlsCommands: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'tls',
    description: 'certificates for encrypted access',
    place: { group: 'access', rank: 5 },
  },
  {
    usage: 'tls fingerprint',
    description: 'print the fingerprints of this machine to compare them elsewhere, and the names in its certificate',
    json: 'print JSON instead of a table',
    run: async () => (await import('./tls.ts')).printFingerprint,
  },
  {
    isSentences: true,
    usage: 'tls trust [address]',
    description:
      'trust another machine from now on, also if its certificate changed; without an address: how others can trust this one',
    options: [
      {
        flags: '--fingerprint <fingerprint>',
        description: 'the fingerprint that the machine shows, instead of a question',
      },
    ],
    run: async () => (await import('./tls.ts')).trust,
  },
  {
    isSentences: true,
    usage: 'tls forget <address>',
    description: 'forget another machine that no longer offers encrypted access, or is gone',
    run: async () => (await import('./tls.ts')).forget,
  },
  {
    isSentences: true,
    usage: 'tls renew',
    description: 'make a new certificate for this machine now; a running service uses it at once',
    run: async () => (await import('./tls.ts')).renew,
  },
];
