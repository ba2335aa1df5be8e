/** argv → command; the only file that ends the process. */
import { tuneRuntime } from './tune-runtime.ts';

const args = process.argv.slice(2);
if (args[0] === 'serve') tuneRuntime();
// The service itself is configured by its environment: it need not carry the parser of all the other commands.
const plainServe = args.length === 1 && args[0] === 'serve';
const { main } = plainServe ? await import('./cli/serve-only.ts') : await import('./cli/program.ts');
process.exit(await main(args));
