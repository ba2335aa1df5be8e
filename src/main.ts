/** argv → command; the only file that ends the process. */
import { tuneRuntime } from './tune-runtime.ts';

const args = process.argv.slice(2);
if (args[0] === 'serve') tuneRuntime();
// The service itself is configured by its environment: it need not carry the parser of all the other commands.
const plainServe = args.length === 1 && args[0] === 'serve';
const run = plainServe
  ? (await import('./cli/serve-only.ts')).runServeOnly
  : (await import('./cli/program.ts')).runProgram;
process.exit(await run(args));
