import { type Command, Option } from 'commander';
import { createContext } from './context.ts';

export function addAlertCommands(program: Command): void {
  const json = () => new Option('--json', 'print JSON instead of a table');
  const alerts = program
    .command('alerts')
    .description('show what is watched, which alerts are active, and who was notified')
    .enablePositionalOptions()
    .addOption(json())
    .action(async (options) => (await import('./alerts.ts')).printAlerts(await createContext(), options));
  alerts
    .command('test <id>')
    .description('send a test message everywhere that the rule notifies')
    .addOption(json())
    .action(async (id, options) => (await import('./alerts.ts')).testAlert(await createContext(), id, options));
  alerts
    .command('secret <webhook>')
    .description('print the secret with which the receiver of a webhook can check what this machine sends')
    .addOption(json())
    .action(async (webhook, options) =>
      (await import('./alerts.ts')).printWebhookSecret(await createContext(), webhook, options),
    );
}
