/** The unmodified npm package arrpc, with a line for every message it received. A separate process, because it reads its environment once. */
process.argv.push('--no-process-scanning');
const { default: Server } = await import('arrpc');
const server = await new Server();
server.on('message', ({ cmd, args }) => console.log(`message ${JSON.stringify({ cmd, args })}`));
console.log('arrpc is ready');
