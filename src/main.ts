/** argv → command; the only file that ends the process. */
import { tuneRuntime } from './app/runtime-options.ts';

const args = process.argv.slice(2);
if (args[0] === 'serve') tuneRuntime();
// The service is configured by its environment, so it does not load the parser of the other commands.
const plainServe = args.length === 1 && args[0] === 'serve';
// The Windows program without a console cannot print its help.
const isDoubleClicked = args.length === 0 && /[\\/]hostlerw\.exe$/i.test(process.execPath);
// For a press on a notification Windows starts "hostler toast-pressed ADDRESS"; the address may come from anywhere.
const isPress = args.length === 2 && args[0] === 'toast-pressed';
const load = async () => {
  if (plainServe) return (await import('./cli/serve-only.ts')).runServeOnly;
  if (isPress) return (await import('./cli/toast-pressed.ts')).runToastPressed;
  if (isDoubleClicked) return (await import('./cli/double-click.ts')).runDoubleClicked;
  return (await import('./cli/program.ts')).runProgram;
};
process.exit(await (await load())(args));
