/** From the start of the process to its first answer, and to the answers of all modules. */
import { connect, getRequest } from './harness/client.ts';
import { median, printTable, ratio, spread, verdict } from './harness/figures.ts';
import {
  availableForms,
  type Form,
  type Running,
  startBare,
  startHostler,
  temporaryDirectory,
} from './harness/harness.ts';
import { cpuMs } from './harness/process.ts';

const rounds = Number(process.argv[2] ?? 11);
const goals: Record<Form, number> = { source: 150, compiled: 60 };
const modulesGoal = 300;

interface Start {
  wall: number;
  cpu: number;
  modules: number;
}

const forms = availableForms();
const figures = new Map(
  forms.flatMap((form): [string, Start[]][] => [
    [`bare ${form}`, []],
    [`hostler ${form}`, []],
  ]),
);
const directories = new Map(forms.map((form) => [form, temporaryDirectory()]));

// The first round warms the disk cache and makes the token, and is not counted.
for (let round = 0; round <= rounds; round += 1) {
  for (const form of forms) {
    const bare = await timed(() => startBare(form), null);
    const directory = directories.get(form);
    const hostler = await timed(
      () => startHostler(form, directory === undefined ? {} : { directory }),
      ({ token }) => token,
    );
    if (round === 0) continue;
    figures.get(`bare ${form}`)?.push(bare);
    figures.get(`hostler ${form}`)?.push(hostler);
  }
}

printTable(
  `Start to first answer, ${rounds} interleaved rounds, median (least-most)`,
  [
    '',
    'first answer, ms',
    'CPU until then, ms',
    '× bare',
    'goal, ms',
    'reached',
    'all modules answered after, ms',
    'goal, ms',
    'reached',
  ],
  forms.flatMap((form) => {
    const bare = figures.get(`bare ${form}`) ?? [];
    const ours = figures.get(`hostler ${form}`) ?? [];
    const walls = ours.map(({ wall }) => wall);
    const modules = ours.map((start) => start.modules);
    const floor = bare.map(({ wall }) => wall);
    return [
      [
        `bare Bun.serve, ${form}`,
        spread(floor, 1),
        spread(
          bare.map(({ cpu }) => cpu),
          1,
        ),
        '1',
        '',
        '',
        '',
        '',
        '',
      ],
      [
        `hostler, ${form}`,
        spread(walls, 1),
        spread(
          ours.map(({ cpu }) => cpu),
          1,
        ),
        ratio(walls, floor).toFixed(2),
        `≤ ${goals[form]}`,
        verdict(median(walls) <= goals[form]),
        spread(modules, 1),
        `≤ ${modulesGoal}`,
        verdict(median(modules) <= modulesGoal),
      ],
    ];
  }),
);

async function timed<T extends Running>(
  start: () => Promise<T>,
  tokenOf: ((running: T) => string) | null,
): Promise<Start> {
  const running = await start();
  const client = await connect(running.port);
  await client.ask(getRequest('/api/health'));
  const wall = performance.now() - running.startedAt;
  const cpu = cpuMs(running.pid);
  const modules = tokenOf === null ? 0 : await allModules(running.port, tokenOf(running));
  client.close();
  await running.stop();
  return { wall, cpu, modules };
}

/** Describing the modules reads each of them. */
async function allModules(port: number, token: string): Promise<number> {
  const began = performance.now();
  const client = await connect(port);
  const { status } = await client.ask(getRequest('/api/modules', { 'X-API-Token': token }));
  if (status !== 200) throw new Error(`/api/modules answered ${status}`);
  client.close();
  return performance.now() - began;
}
