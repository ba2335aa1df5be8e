import { main } from './cli/program.ts';

process.exitCode = await main(process.argv.slice(2));
// Timers and connections of a finished command must not keep it waiting.
if (process.exitCode !== undefined) process.exit();
