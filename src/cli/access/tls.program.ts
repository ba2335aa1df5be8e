import { type Command, Option } from 'commander';
import { createContext, sayAsJson } from '../context.ts';

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
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (address, options) => {
      const { trust } = await import('./tls.ts');
      await sayAsJson(await createContext(), options, (context) => trust(context, address));
    });
  tls
    .command('forget <address>')
    .description('forget another machine that no longer offers encrypted access, or is gone')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (address, options) => {
      const { forget } = await import('./tls.ts');
      await sayAsJson(await createContext(), options, (context) => forget(context, address));
    });
  tls
    .command('renew')
    .description('make a new certificate for this machine now; a running service uses it at once')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) => sayAsJson(await createContext(), options, (await import('./tls.ts')).renew));
}
