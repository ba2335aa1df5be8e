/* A container engine at the pipe of Docker Desktop, which answers as Docker does and runs nothing: one container that can be started and stopped. */
const net = require('node:net');

const id = 'a1'.repeat(32);
let running = true;
const followers = new Set();
const inspected = () => ({
  Id: id,
  Name: '/web',
  Created: '2026-01-01T00:00:00Z',
  RestartCount: 0,
  Config: { Image: 'nginx:1', Labels: {}, Tty: false },
  State: {
    ...(running ? { Status: 'running', Pid: 4711, ExitCode: 0 } : { Status: 'exited', Pid: 0, ExitCode: 0 }),
    StartedAt: '2026-01-02T00:00:00Z',
    FinishedAt: '2026-01-03T00:00:00Z',
  },
  HostConfig: { NetworkMode: 'bridge' },
  NetworkSettings: { Ports: { '80/tcp': [{ HostIp: '0.0.0.0', HostPort: '8080' }] } },
});
const set = (wanted) => () => {
  const changed = running !== wanted;
  running = wanted;
  const event = JSON.stringify({ Type: 'container', Action: wanted ? 'start' : 'die', id, Actor: { ID: id }, time: 1 });
  for (const socket of followers) socket.write(`${(event.length + 1).toString(16)}\r\n${event}\n\r\n`);
  return [changed ? 204 : 304, null];
};
const table = {
  'GET /version': () => [200, { Version: '27.0.1', Components: [{ Name: 'Engine' }] }],
  'GET /info': () => [200, { SecurityOptions: [] }],
  'GET /containers/json?all=1': () => [200, [{ Id: id }]],
  [`GET /containers/${id}/json`]: () => [200, inspected()],
  'GET /containers/web/json': () => [200, inspected()],
  [`POST /containers/${id}/start`]: set(true),
  [`POST /containers/${id}/stop`]: set(false),
};

const server = net.createServer((socket) => {
  let text = '';
  socket.on('error', () => {});
  socket.on('close', () => followers.delete(socket));
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const request = text.slice(0, text.indexOf(' HTTP'));
    text = '';
    if (request.startsWith('GET /events')) {
      followers.add(socket);
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      return;
    }
    const [status, body] = (table[request] ?? (() => [404, { message: 'No such container' }]))();
    const content = body === null ? '' : JSON.stringify(body);
    const length = body === null ? '' : `Content-Length: ${Buffer.byteLength(content)}\r\n`;
    socket.write(`HTTP/1.1 ${status} X\r\n${length}\r\n${content}`);
  });
});
server.listen('\\\\.\\pipe\\docker_engine', () => console.log('engine listens'));
