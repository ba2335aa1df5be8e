// For each line with the name of a module on stdin: what systeminformation has of its fields, and the CPU microseconds that took, the programs it starts included.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const information = createRequire(`${process.argv[2]}/`)('systeminformation');
const modules = {
  battery: ['battery'],
  cpu: ['cpu', 'currentLoad', 'cpuCurrentSpeed', 'cpuTemperature'],
  disks: ['fsSize', 'disksIO', 'blockDevices'],
  gpus: ['graphics'],
  memory: ['mem'],
  networks: ['networkInterfaces', 'networkStats', 'networkConnections'],
  processes: ['processes'],
  sensors: ['cpuTemperature'],
  system: ['osInfo', 'users', 'time'],
};
const tickMicroseconds = 10_000;

for await (const line of createInterface({ input: process.stdin })) {
  const begun = spent();
  for (const name of modules[line] ?? []) await information[name]();
  process.stdout.write(`${JSON.stringify({ cpu: spent() - begun })}\n`);
}

/** Its own to the microsecond, that of the programs that have ended in ticks. */
function spent() {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const [children = 0, childrenSystem = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return user + system + (children + childrenSystem) * tickMicroseconds;
}
