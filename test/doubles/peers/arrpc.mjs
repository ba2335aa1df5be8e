/** The npm package arrpc as it is, with a line for every message it was sent. It runs apart, because it reads its environment once. */
process.argv.push('--no-process-scanning');
const { default: Server } = await import('arrpc');
const server = await new Server();
server.on('message', ({ cmd, args }) => console.log(`message ${JSON.stringify({ cmd, args })}`));
console.log('arrpc is ready');
