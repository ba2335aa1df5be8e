/** argv → command; the only file that ends the process. */

import { tuneRuntime } from './app/runtime-options.ts';
import { backgroundFlag } from './lib/background-flag.ts';

const args = process.argv.slice(2);
if (args[0] === 'serve') tuneRuntime();
// The service is configured by its environment, so it does not load the parser of the other commands.
const plainServe = args[0] === 'serve' && args.slice(1).every((arg) => arg === backgroundFlag);
// Opened by Explorer, the Windows program has no console for its help.
const mayBeDoubleClicked = args.length === 0 && /[\\/]hostler\.exe$/i.test(process.execPath);
// For a press on a notification Windows starts "hostler toast-pressed ADDRESS"; the address may come from anywhere.
const isPress = args.length === 2 && args[0] === 'toast-pressed';
const load = async () => {
  if (plainServe) return (await import('./cli/serve-only.ts')).runServeOnly;
  if (isPress) return (await import('./cli/toast-pressed.ts')).runToastPressed;
  if (mayBeDoubleClicked) return (await import('./cli/double-click.ts')).runDoubleClicked;
  return (await import('./cli/program.ts')).runProgram;
};
process.exit(await (await load())(args));
