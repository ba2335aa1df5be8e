import { type Command, Option } from 'commander';
import { createContext, sayAsJson } from '../context.ts';

export function addServiceCommands(program: Command): void {
  const service = program
    .command('service')
    .description('have the system start Hostler: at login (Linux, Windows), or with the machine (Linux)');
  const json = () => new Option('--json', 'print JSON instead of sentences');
  const system = () =>
    new Option('--system', 'the service of the machine, under an account of its own; as root (Linux)');
  service
    .command('install')
    .description('start Hostler now and whenever you log in')
    .addOption(system())
    .option('--linger', 'also before you log in and after you log out (Linux)')
    .option('--no-linger', 'no longer before you log in and after you log out (Linux)')
    .addOption(json())
    .action(async (options) => {
      const { installService } = await import('./service.ts');
      await sayAsJson(await createContext(), options, (context) => installService(context, options));
    });
  service
    .command('remove')
    .description('stop it, and undo "service install"')
    .addOption(system())
    .option('--purge', 'remove settings, tokens and history as well: nothing stays')
    .addOption(json())
    .action(async (options) => {
      const { removeService } = await import('./service.ts');
      await sayAsJson(await createContext(), options, (context) => removeService(context, options));
    });
  service
    .command('status')
    .description('say whether the system starts Hostler, whether it runs, and what it serves')
    .addOption(system())
    .addOption(json())
    .action(async (options) => (await import('./service.ts')).serviceStatus(await createContext(), options));
  service
    .command('restart')
    .description('stop it and start it again')
    .addOption(system())
    .addOption(json())
    .action(async (options) => {
      const { restartService } = await import('./service.ts');
      await sayAsJson(await createContext(), options, (context) => restartService(context, options));
    });
  service
    .command('logs')
    .description('print what it has logged, even after it has ended')
    .addOption(system())
    .option('--lines <number>', 'how many lines, at most 1000 (default: 100)')
    .option('--level <level>', 'only these and worse: DEBUG, INFO, WARN or ERROR')
    .option('-f, --follow', 'keep printing until Ctrl-C, while it runs')
    .addOption(new Option('--json', 'print each line as JSON'))
    .action(async (options) => (await import('./service.ts')).serviceLogs(await createContext(), options));
}
