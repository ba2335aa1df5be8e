import { type Command, Option } from 'commander';
import { createContext } from './context.ts';

export function addTlsCommands(program: Command): void {
  const tls = program.command('tls').description('certificates for encrypted access; docs/tls.md explains them');
  tls
    .command('fingerprint')
    .description('print the fingerprints of this machine to compare them elsewhere, and the names in its certificate')
    .addOption(new Option('--json', 'print JSON instead of a table'))
    .action(async (options) => (await import('./tls.ts')).printFingerprint(await createContext(), options));
  tls
    .command('trust [address]')
    .description(
      'trust another machine from now on, also if its certificate changed; without an address: how others can trust this one',
    )
    .action(async (address) => (await import('./tls.ts')).trust(await createContext(), address));
  tls
    .command('forget <address>')
    .description('forget another machine that no longer offers encrypted access, or is gone')
    .action(async (address) => (await import('./tls.ts')).forget(await createContext(), address));
  tls
    .command('renew')
    .description('make a new certificate for this machine now; a running service uses it at once')
    .action(async () => (await import('./tls.ts')).renew(await createContext()));
}
