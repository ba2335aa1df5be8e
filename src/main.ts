/** argv → command; the only file that ends the process. */
export {};

const args = process.argv.slice(2);
// The service itself is configured by its environment: it need not carry the parser of all the other commands.
const plainServe = args.length === 1 && args[0] === 'serve';
const { main } = plainServe ? await import('./cli/serve-only.ts') : await import('./cli/program.ts');
const code = await main(args);
// A pipe takes what it can hold; the rest must not be lost, nor that it was lost.
const written = await new Promise<boolean>((resolve) => {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EPIPE'));
  process.stdout.write('', (error) => resolve(!error));
});
process.exit(code === 0 && !written ? 1 : code);
