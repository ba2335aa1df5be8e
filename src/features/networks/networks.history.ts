import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Networks } from './networks.schema.ts';

export const networksHistory: ModuleHistory<Networks> = {
  series: {
    'network.received': {
      unit: 'bytes_per_second',
      description: 'Received by all interfaces but loopback; network.received/eth0 and so on: by one',
      counts: true,
    },
    'network.sent': {
      unit: 'bytes_per_second',
      description: 'Sent by all interfaces but loopback; network.sent/eth0 and so on: by one',
      counts: true,
    },
  },
  sets: {
    links: {
      kind: 'link',
      came: (name) => `The network interface ${name} came up`,
      went: (name) => `The network interface ${name} went down`,
    },
  },
  read({ networks, io }, moment) {
    moment.value('network.received', io?.bytes_recv ?? null);
    moment.value('network.sent', io?.bytes_sent ?? null);
    moment.members(
      'links',
      networks.flatMap(({ name, stats }) => (stats.isup === true ? [name] : [])),
    );
  },
  samplers: { linux: async () => (await import('./linux/networks.sampler.ts')).networksHistoryLinux },
};
