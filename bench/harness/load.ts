/** The load of one round, in its own process: `load.ts requests PORT CONNECTIONS COUNT` or `load.ts files PORT COUNT`; the request comes on stdin. */
import fs from 'node:fs';
import { connect } from './client.ts';

const [kind, port = '', ...numbers] = process.argv.slice(2);
const request = fs.readFileSync(0, 'utf8');
if (kind === 'requests') await manyRequests(Number(numbers[0]), Number(numbers[1]));
else await filesOneByOne(Number(numbers[0]));

async function manyRequests(connections: number, count: number): Promise<void> {
  let left = count;
  const clients = await Promise.all(Array.from({ length: connections }, () => connect(Number(port))));
  await Promise.all(
    clients.map(async (client) => {
      while (left > 0) {
        left -= 1;
        const { status } = await client.ask(request);
        if (status !== 200) throw new Error(`answered ${status}`);
      }
      client.close();
    }),
  );
}

/** A new connection for each, as the service ends it after a large file. */
async function filesOneByOne(count: number): Promise<void> {
  let bytes = 0;
  for (let sent = 0; sent < count; sent += 1) {
    const client = await connect(Number(port));
    const { status, body } = await client.ask(request);
    if (status !== 200) throw new Error(`answered ${status}`);
    bytes += body;
    client.close();
  }
  process.stdout.write(`${bytes}\n`);
}
