import type { CommandDefinition } from '../core/command.ts';
import type { CliContext } from './context.ts';

const tableJson = 'print JSON instead of a table';

export const alertsCommands: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'alerts',
    description: 'show what is watched, which alerts are active, and who was notified',
    place: { group: 'read', rank: 6 },
    json: tableJson,
    run: async () => (await import('./alerts.ts')).printAlerts,
  },
  {
    usage: 'alerts test <id>',
    description: 'send a test message to every recipient of a rule, or to a target',
    json: tableJson,
    run: async () => (await import('./alerts.ts')).testAlert,
  },
  {
    usage: 'alerts targets',
    description: 'list the services that receive alerts',
    json: tableJson,
    run: async () => (await import('./alert-targets.ts')).printAlertTargets,
  },
  {
    usage: 'alerts add <target>',
    description: 'add a service that receives alerts, or replace its URL, which is asked for and not shown',
    json: 'print JSON instead of sentences',
    examples: [
      ['alerts add phone', 'asks for a URL such as ntfys://ntfy.sh/TOPIC'],
      ['alerts add phone < url.txt', 'reads the URL from a file'],
    ],
    run: async () => (await import('./alert-targets.ts')).addAlertTarget,
  },
  {
    usage: 'alerts remove <target>',
    description: 'remove a service that receives alerts, and its URL',
    json: 'print JSON instead of sentences',
    run: async () => (await import('./alert-targets.ts')).removeAlertTarget,
  },
  {
    usage: 'alerts secret <webhook>',
    description: 'print the secret with which the receiver of a webhook can check what this machine sends',
    json: tableJson,
    run: async () => (await import('./alerts.ts')).printWebhookSecret,
  },
];
