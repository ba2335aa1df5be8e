import { expect, test } from 'bun:test';
import { answering, type CommandContext } from '../../core/command.ts';
import { listServices } from './services.cli.ts';

const reason = 'Neither systemd nor OpenRC runs here';

function terminal(isJson: boolean): { context: CommandContext; lines: string[] } {
  const lines: string[] = [];
  const payload = { manager: null, units: [] };
  const context = {
    ...answering((line) => void lines.push(line), isJson),
    read: async () => payload,
    openStore: async () => ({ get: async () => ({ payload, reasons: [{ field: null, reason, mendable: true }] }) }),
  };
  return { context: context as unknown as CommandContext, lines };
}

test('without a known service manager the list is an error that says why', async () => {
  const { context, lines } = terminal(false);
  await expect(listServices(context, {})).rejects.toThrow(`The services are unknown: ${reason}`);
  expect(lines).toEqual([]);
});

test('the JSON of such a machine is its payload', async () => {
  const { context, lines } = terminal(true);
  await listServices(context, {});
  expect(JSON.parse(lines.join('\n'))).toEqual({ manager: null, units: [] });
});
