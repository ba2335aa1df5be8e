/**
 * Records what the libraries of Windows return to the sources of the modules, as fixture machines. On Windows, or under Wine:
 *
 *     bun scripts/record-windows.ts <name of the machine> [module…]
 *
 * Writes src/features/<module>/fixtures/windows/<name>/{calls,expected,reasons}.json. Review their content before you publish them:
 * names of users, programs and networks.
 */
import fs from 'node:fs';
import path from 'node:path';
import { startThread } from '../src/app/threads/start-thread.ts';
import { collectReasons } from '../src/core/reasons.ts';
import { defaultSettings, modules } from '../src/features/index.ts';
import { createWindowsHost } from '../src/host/windows/create-windows-host.ts';
import { createLog } from '../src/lib/log.ts';
import { calledLater, recordNative } from '../test/doubles/recorded-native.ts';

const [machine, ...wanted] = process.argv.slice(2);
if (machine === undefined) throw new Error('name the machine');
const host = await createWindowsHost('6.0.0', startThread);
const log = createLog((line) => process.stderr.write(line), 'WARN');

for (const definition of modules) {
  const load = definition.sources.windows;
  if (load === undefined || definition.name === 'chat') continue;
  if (wanted.length > 0 && !wanted.includes(definition.name)) continue;
  const recording = recordNative(host.native);
  const create = await load();
  const listened = { ...host, native: recording.native, nativeElsewhere: calledLater(recording.native) };
  const context = { version: '6.0.0', log, settings: () => defaultSettings, locks: () => null, passing: true };
  const source = create(listened, context);
  const { reasons, collected } = collectReasons();
  const payload = await source.read(reasons);
  source.close?.();
  const folder = path.join(
    import.meta.dirname,
    '..',
    'src',
    'features',
    definition.name,
    'fixtures',
    'windows',
    machine,
  );
  const write = (file: string, value: unknown) => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
  };
  const fields = (mendable: boolean) =>
    collected.filter((reason) => reason.mendable === mendable).map(({ field }) => field ?? '');
  write('calls.json', recording.first);
  if (Object.keys(recording.later).length > 0) write('later/calls.json', { ...recording.first, ...recording.later });
  write('expected.json', payload);
  write('reasons.json', { missing: fields(true).sort(), inherent: fields(false).sort() });
  console.log(definition.name);
}
process.exit(0);
