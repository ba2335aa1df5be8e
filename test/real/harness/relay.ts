import net from 'node:net';
import { join } from './boxed-service.ts';

// Started by boxed-service.ts in the network of a box: forwards a socket in the file system to the service in there.
net.createServer((client) => join(client, net.connect(9170, '127.0.0.1'))).listen(process.argv[2]);
