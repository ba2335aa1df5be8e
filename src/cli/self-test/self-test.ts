import { features } from '../../features/index.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';

/** Compares the modules with the tools of vendors, on the machine itself. */
export async function selfTest(context: CliContext, part: string): Promise<void> {
  if (part === 'windows') return await (await import('./self-test.system.ts')).testSystem(context);
  const tests = features.flatMap(({ selfTest: test }) => test ?? []);
  const test = tests.find((each) => each.part === part);
  if (test !== undefined) return await (await test.run())(context);
  const available = [...tests.map((each) => each.part), 'windows'].join(', ');
  throw new UsageError(`There is no self-test of ${JSON.stringify(part)}; available: ${available}`);
}
