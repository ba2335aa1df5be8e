/** A service that pretends to run on a very large machine: 128 cores, 1,000 processes. For the dashboard only. */

import { replies } from '@hostler/client/events.ts';
import { allScopes } from '../../src/features/index.ts';
import { createDashboard } from '../../src/transports/http/routes/dashboard.ts';
import { readWebPack } from '../../src/transports/http/server.assets.ts';

const cores = 128;
const processCount = 1000;
const connectionCount = 400;
const interfaces = 4;

const random = (most: number) => Math.round(Math.random() * most * 10) / 10;
const started = Date.now();

const times = () => ({ user: random(9e5), system: random(1e5), idle: random(9e6), interrupt: random(1e4), dpc: null });
const shares = () => ({ user: random(80), system: random(20), idle: random(100), interrupt: random(1), dpc: null });
const frequency = () => ({ current: 2000 + random(1500), min: 800, max: 3700 });

const payloads: Record<string, { everyMs: number; make(): unknown }> = {
  cpu: {
    everyMs: 1000,
    make: () => ({
      count: cores,
      name: 'A large processor',
      vendor: 'Vendor',
      family: '25',
      frequency: frequency(),
      load_average: random(128),
      power: random(280),
      temperature: 50 + random(30),
      voltage: null,
      usage: random(100),
      times: times(),
      times_percent: shares(),
      stats: { ctx_switches: random(1e9), interrupts: random(1e9), soft_interrupts: random(1e9), syscalls: null },
      per_cpu: Array.from({ length: cores }, (_, id) => ({
        id,
        frequency: frequency(),
        power: null,
        voltage: null,
        times: times(),
        times_percent: shares(),
        usage: random(100),
      })),
    }),
  },
  memory: {
    everyMs: 1000,
    make: () => ({
      virtual: { total: 2 ** 39, used: random(2 ** 38), available: 2 ** 38, cached: 2 ** 36, percent: random(100) },
      swap: { total: 2 ** 33, used: random(2 ** 32), free: 2 ** 32, percent: random(100), sin: 0, sout: 0 },
    }),
  },
  gpus: {
    everyMs: 1000,
    make: () =>
      Array.from({ length: 4 }, (_, index) => ({
        id: `0000:0${index}:00.0`,
        name: 'A graphics card',
        core_clock: 1500,
        core_load: random(100),
        memory_clock: 1200,
        memory_load: random(100),
        memory_free: 4000,
        memory_used: 20_000 + random(4000),
        memory_total: 24_576,
        power_usage: random(300),
        temperature: 60 + random(20),
        fan_speed: null,
      })),
  },
  sensors: {
    everyMs: 2000,
    make: () => ({
      temperatures: Array.from({ length: 40 }, (_, index) => ({
        key: `chip_${index}_composite`,
        temperature: 40 + random(30),
        high: 90,
        critical: 100,
      })),
      fans: Array.from({ length: 12 }, (_, index) => ({
        key: `fan_${index}`,
        name: 'board',
        label: `Fan ${index}`,
        speed_rpm: random(3000),
        speed_min: null,
        speed_max: 3000,
      })),
      windows_sensors: null,
    }),
  },
  networks: {
    everyMs: 2000,
    make: () => ({
      networks: Array.from({ length: interfaces }, (_, index) => ({
        name: `eth${index}`,
        addresses: [],
        stats: { isup: true, duplex: 'full', speed: 10_000, mtu: 1500, flags: ['up'] },
        io: { bytes_sent: (Date.now() - started) * 1e4, bytes_recv: (Date.now() - started) * 2e4 + random(1e6) },
      })),
      connections: Array.from({ length: connectionCount }, (_, index) => ({
        fd: index,
        family: 2,
        type: 1,
        laddr: `192.0.2.1:${20_000 + index}`,
        raddr: '192.0.2.9:443',
        status: 'ESTABLISHED',
        pid: 1000 + index,
      })),
      io: {
        bytes_sent: (Date.now() - started) * 1e4,
        bytes_recv: (Date.now() - started) * 2e4 + random(1e6),
        packets_sent: 1,
        packets_recv: 1,
        errin: 0,
        errout: 0,
        dropin: 0,
        dropout: 0,
      },
    }),
  },
  processes: {
    everyMs: 2000,
    make: () =>
      Array.from({ length: processCount }, (_, index) => ({
        id: 1000 + index,
        parent_id: index === 0 ? 0 : 1000 + ((index - 1) >> 2),
        name: `program-${index % 80}`,
        cpu_usage: random(index % 10 === 0 ? 90 : 1),
        created: 1_760_000_000 + index,
        start_time: 1000 + index,
        memory_usage: random(3),
        path: `/usr/lib/program-${index % 80}/bin/main`,
        status: 'sleeping',
        username: index % 3 === 0 ? 'root' : 'user',
        working_directory: '/',
      })),
  },
  disks: {
    everyMs: 10_000,
    make: () => ({
      devices: Array.from({ length: 8 }, (_, index) => ({
        name: `nvme${index}n1`,
        temperature: 40 + random(10),
        io_counters: { read_bytes: Date.now() * 100, write_bytes: Date.now() * 50 + random(1e6) },
        partitions: [
          {
            device: `/dev/nvme${index}n1p1`,
            mount_point: `/disk/${index}`,
            filesystem_type: 'ext4',
            options: 'rw',
            category: 'primary',
            max_file_size: 0,
            max_path_length: 4096,
            usage: { total: 2 ** 42, used: 2 ** 41, free: 2 ** 41, percent: random(100) },
          },
        ],
      })),
      io_counters: { read_bytes: Date.now() * 1000, write_bytes: Date.now() * 500 },
    }),
  },
};

const states = Object.entries(payloads).map(([name, { everyMs }]) => ({
  name,
  description: name,
  interval_ms: everyMs,
  availability: 'available',
  reasons: [],
}));

/** As GET /api/history answers, with 300 values of every series that the charts ask for. */
function past(asked: URLSearchParams): unknown {
  const seconds = asked.get('last') === '1h' ? 3600 : 300;
  const step = Math.max(1, seconds / 300);
  const names = [
    'cpu',
    'memory',
    'swap',
    'network.received',
    'network.sent',
    'disk.read',
    'disk.written',
    ...Array.from({ length: interfaces }, (_, index) => [
      `network.received/eth${index}`,
      `network.sent/eth${index}`,
    ]).flat(),
    ...Array.from({ length: 8 }, (_, index) => [`disk.read/nvme${index}n1`, `disk.written/nvme${index}n1`]).flat(),
    ...Array.from({ length: 40 }, (_, index) => `temperature/chip_${index}_composite`),
    ...Array.from({ length: 4 }, (_, index) => `gpu/0000:0${index}:00.0`),
  ];
  const values = () => Array.from({ length: 300 }, () => random(100));
  const to = Date.now();
  const peak = { at: to - 60_000, value: 100 };
  const series = names.map((name) => ({ name, mean: values(), least: values(), most: values(), peak }));
  return { from: to - seconds * 1000, to, step, recording: true, series, processes: [], events: [], names };
}

interface Peer {
  since: number;
  timers: ReturnType<typeof setInterval>[];
}

const charted = new Set(['cpu', 'memory', 'gpus', 'sensors']);

const dashboard = createDashboard(readWebPack);

const server = Bun.serve<Peer>({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 0),
  fetch(request, self) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/api/websocket') {
      return self.upgrade(request, { data: { since: Date.now(), timers: [] } })
        ? undefined
        : new Response(null, { status: 400 });
    }
    if (pathname === '/api/login' || pathname === '/api/sessions') {
      const session = { id: 'browser-1', name: 'A browser', scopes: allScopes, token: 'any', stay: true };
      return Response.json({ token: 'any', expires_in: 300, session });
    }
    if (pathname === '/api/sessions/challenge') return Response.json({ challenge: 'any' });
    if (pathname === '/api/modules') return Response.json(states);
    if (pathname === '/api/actions') return Response.json([]);
    if (pathname === '/api/control') return Response.json({ paused: false, since: null, until: null, by: null });
    if (pathname === '/api/power/pending') return Response.json({ pending: null });
    if (pathname === '/api/history') return Response.json(past(searchParams));
    if (pathname === '/api/health') return Response.json({ timestamp: new Date().toISOString() });
    return dashboard(pathname, request.headers);
  },
  websocket: {
    message(socket, text) {
      const { id, event, data } = JSON.parse(String(text)) as {
        id: string;
        event: string;
        data?: { modules?: string[] };
      };
      const emit = (message: object) => void socket.send(JSON.stringify({ subtype: 'NONE', data: null, ...message }));
      emit({ id, type: replies[event] ?? 'ERROR', data });
      if (event !== 'REGISTER_DATA_LISTENER') return;
      for (const timer of socket.data.timers) clearInterval(timer);
      socket.data.timers = (data?.modules ?? []).flatMap((module) => {
        const payload = payloads[module];
        if (payload === undefined) return [];
        const push = () => emit({ id: 'system', type: 'DATA_UPDATE', module, data: payload.make() });
        push();
        // A quarter of an hour in its first twenty seconds; the page's clock is shifted accordingly.
        if (!charted.has(module)) return [setInterval(push, payload.everyMs)];
        const fast = setInterval(push, payload.everyMs / 45);
        setTimeout(() => clearInterval(fast), Math.max(0, socket.data.since + 20_000 - Date.now()));
        return [fast, setInterval(push, payload.everyMs)];
      });
    },
    close(socket) {
      for (const timer of socket.data.timers) clearInterval(timer);
    },
  },
});

console.log(`listening on ${server.port}`);
