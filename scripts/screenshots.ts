import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../test/real/harness/dashboard-browser.ts';
import { recordPast } from '../test/real/harness/recorded-past.ts';
import { root, startHostler } from '../test/real/harness/service.ts';
import { createPrivateSound } from '../test/real/harness/sound.ts';
import { type PretendedModule, pretendServer } from './screenshots-server.ts';

/** How long the live charts are filled before they are captured. */
const recordedMs = 45_000;
const laptop = { width: 1440, height: 900, colorScheme: 'light' } as const;
const phone = { width: 390, height: 844, colorScheme: 'dark' } as const;
/** Periods of load. */
const peakAt = Date.now() - 130 * 60_000;
const images = path.join(root, 'docs', 'images');
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface View {
  address: string;
  name: string;
  /** Modules that are simulated, because they need a server or a desktop. */
  pretended?: PretendedModule[];
  before?: (page: Page) => Promise<unknown>;
}
const views: View[] = [
  { address: '/', name: 'overview-1440' },
  { address: `/?range=24h&at=${Math.round(peakAt / 1000)}`, name: 'overview-day-1440' },
  { address: '/load?range=24h', name: 'load-1440', before: shown('Compared with usual') },
  { address: '/services?unit=backup.service', name: 'services-1440', pretended: ['services'] },
  {
    address: '/containers',
    name: 'containers-1440',
    pretended: ['containers'],
    before: (page) => page.getByRole('link', { name: 'immich-server' }).click(),
  },
  { address: '/disks', name: 'disks-health-1440', pretended: ['disks'] },
  { address: '/updates', name: 'updates-1440' },
  { address: '/custom', name: 'custom-1440' },
  { address: '/alerts', name: 'alerts-1440' },
  { address: '/session', name: 'session-390', pretended: ['session', 'clipboard'] },
  { address: '/safety', name: 'safety-1440', before: shown('grants access to this machine') },
  { address: '/', name: 'search-1440', before: openSearch },
];
/** `npm run screenshots -- overview-1440 session-390`: only these. */
const wanted = process.argv.slice(2);

async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('s');
}

/** Busy a third of the time, in waves. */
const waves = `setInterval(() => {
  const end = Date.now() + 250 * (1 + Math.sin(Date.now() / 9000));
  while (Date.now() < end);
}, 1000);`;

/** Until this is on the page. */
function shown(text: string): (page: Page) => Promise<unknown> {
  return (page) => page.getByText(text).first().waitFor();
}

/** Takes every alert. */
const receiverPort = 8080;
const receiver = http.createServer((_request, response) => response.end()).listen(receiverPort, '127.0.0.1');
const sound = createPrivateSound();
await sound.start();
const sys = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-sys-'));
const temperatures = pretendLaptop(sys);
const { HOME: _home, ...session } = sound.variables;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
await recordPast(directory, {
  interfaces: ['eth0'],
  disks: fs.readdirSync('/sys/block').filter((name) => /^(sd|vd|nvme|mmcblk)/.test(name)),
  fileSystems: { '/srv/films': 38e9 },
  temperatures: ['nct6798_nct6775.656_systin', 'amdgpu_0000:0a:00.0_edge', 'k10temp_0000:00:18.3_tctl'],
  peak: { at: peakAt, name: 'cargo' },
});
const hostler = await startHostler({ directory, env: { ...session, HOSTLER_SYS: sys }, prepare });
const music = path.join(hostler.directory, 'home', 'Music');
sound.run('mpv', '--no-video', '--ao=pulse', '--really-quiet', path.join(music, 'Slow waves.flac'));
const busy = spawn(process.execPath, ['-e', waves], { stdio: 'ignore' });
const wobbling = setInterval(() => wobble(temperatures), 1000);
const loading = setInterval(() => void load(hostler.base, hostler.token), 1500);

const chromium = await launchBrowser();
const [onLaptop, onPhone] = await Promise.all([openPage(laptop), openPage(phone)]);
await pause(recordedMs);
for (const { address, name, pretended, before } of views) {
  const { page, pretend } = name.endsWith('-390') ? onPhone : onLaptop;
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  pretend(pretended ?? []);
  await page.keyboard.press('Escape');
  // Within the page, which keeps what its charts show.
  await page.evaluate(`history.pushState(null, '', '${address}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await page.mouse.move(0, 0);
  await pause(1500);
  await before?.(page);
  await pause(1000);
  if (before !== openSearch) await page.evaluate('document.activeElement.blur()');
  const png = await new Bun.Image(await page.screenshot()).png({ palette: true }).bytes();
  const file = path.join(images, `${name}.png`);
  fs.writeFileSync(file, png);
  console.log(`${path.relative(root, file)} ${(png.length / 1000).toFixed(0)} kB`);
}
clearInterval(wobbling);
clearInterval(loading);
busy.kill('SIGKILL');
await chromium.close();
receiver.close();
await hostler.stop('SIGKILL');
await sound.remove();
fs.rmSync(sys, { recursive: true, force: true });
process.exit(0);

async function openPage({ width, height, colorScheme }: typeof laptop | typeof phone) {
  const { page } = await chromium.open({ token: hostler.token, viewport: { width, height }, colorScheme });
  const pretend = await pretendServer(page);
  await page.goto(`${hostler.base}/`);
  return { page, pretend };
}

function prepare(directory: string): void {
  const home = path.join(directory, 'home');
  for (const folder of ['Music', 'Pictures', 'Documents', 'Downloads', 'Videos'])
    fs.mkdirSync(path.join(home, folder), { recursive: true });
  tune(path.join(home, 'Music', 'Slow waves.flac'), 'Slow waves', [
    'sine',
    '220',
    'sine',
    '331',
    'tremolo',
    '0.3',
    '60',
  ]);
  tune(path.join(home, 'Music', 'Pink rain.flac'), 'Pink rain', ['pinknoise', 'vol', '0.2']);
  const command = (id: string, name: string, program: string, ...args: string[]) => ({
    id,
    name,
    command: program,
    workingDir: '',
    arguments: args,
  });
  const settings = {
    commands: {
      allowlist: [
        command('cpu', 'What processor is it?', '/usr/bin/lscpu'),
        command('memory', 'How much memory is free?', '/usr/bin/free', '-h'),
        command('backup', 'Back up the documents', '/usr/bin/rsync', '-a', 'Documents/', '/mnt/backup/'),
        command('queue', 'Mail queue', '/usr/bin/printf', '3'),
      ],
    },
    custom: {
      sensors: [
        { id: 'queue', name: 'Mail queue', unit: 'mails', command: 'queue', interval: 5 },
        { id: 'entropy', name: 'Entropy', unit: 'bits', file: '/proc/sys/kernel/random/entropy_avail', interval: 5 },
        { id: 'door', name: 'Garage door', file: path.join(home, 'door.json'), parse: 'json', path: 'door' },
        { id: 'waste', name: 'Waste collection', file: path.join(home, 'waste.txt'), parse: 'lines' },
        { id: 'solar', name: 'Solar inverter', file: path.join(home, 'solar.json'), parse: 'json' },
        { id: 'well', name: 'Water in the well', unit: 'cm', file: '/srv/well.txt' },
      ],
    },
    alerts: {
      rules: [
        { id: 'busy', name: 'Processor is busy', when: { series: 'cpu', above: 90, for: 300 }, notify: ['ops'] },
        { id: 'battery', name: 'Battery is low', when: { series: 'battery', below: 95 }, notify: ['ops'] },
        { id: 'full', name: 'Disk is full', when: { event: 'disk_full', percent: 95 }, notify: ['ops'] },
        { id: 'login', name: 'A user logs in', when: { event: 'session' }, notify: [] },
      ],
      webhooks: [{ id: 'ops', url: `http://127.0.0.1:${receiverPort}/` }],
    },
    media: { directories: [{ name: 'Records', path: path.join(home, 'Music') }] },
  };
  fs.writeFileSync(path.join(home, 'door.json'), '{"door": "closed"}');
  fs.writeFileSync(path.join(home, 'waste.txt'), 'Thursday: paper\nFriday: glass\n');
  fs.writeFileSync(path.join(home, 'solar.json'), '{"watts": 2140, "today_kwh": 11.3, "inverter": "ok"}');
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings));
}

function tune(file: string, title: string, synth: string[]): void {
  const wave = `${file}.wav`;
  execFileSync('sox', ['-n', '-r', '22050', '-c', '1', '-b', '16', wave, 'synth', '240', ...synth]);
  const tags = { TITLE: title, ARTIST: 'The Oscillators', ALBUM: 'Test tones' };
  const given = Object.entries(tags).flatMap(([name, value]) => ['-T', `${name}=${value}`]);
  execFileSync('flac', ['-s', '-f', ...given, wave, '-o', file]);
  fs.rmSync(wave);
}

/** Returns the files with temperatures. Sensors and battery come from fixture machines; disks, network and processor from this machine. */
function pretendLaptop(sys: string): Map<string, number> {
  for (const [module, machine] of [
    ['sensors', 'desktop-amd'],
    ['battery', 'laptop-discharging'],
  ] as const)
    copyFixture(path.join(root, 'src', 'features', module, 'fixtures', 'linux', machine), sys);
  // Before the links, which are circular.
  const temperatures = temperaturesIn(path.join(sys, 'devices'));
  for (const real of ['block', 'class/block', 'class/net', 'dev', 'devices/system']) {
    const place = path.join(sys, real);
    if (fs.existsSync(place)) continue;
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.symlinkSync(path.join('/sys', real), place);
  }
  return temperatures;
}

/** The tree of a fixture, and what its description adds. */
function copyFixture(fixture: string, sys: string): void {
  const tree = path.join(fixture, 'sys');
  if (fs.existsSync(tree)) fs.cpSync(tree, sys, { recursive: true });
  const about = path.join(fixture, 'host.json');
  const facts = fs.existsSync(about) ? JSON.parse(fs.readFileSync(about, 'utf8')) : {};
  const { files = {}, links = {} }: Record<'files' | 'links', Record<string, string> | undefined> = facts;
  const place = (name: string) => {
    const made = path.join(sys, path.relative('/sys', name));
    fs.mkdirSync(path.dirname(made), { recursive: true });
    return made;
  };
  for (const [file, text] of Object.entries(files)) if (file.startsWith('/sys/')) fs.writeFileSync(place(file), text);
  for (const [link, target] of Object.entries(links)) fs.symlinkSync(target, place(link));
}

/** Temperatures go up and down a little. */
function wobble(temperatures: ReadonlyMap<string, number>): void {
  for (const [index, [file, usual]] of [...temperatures].entries()) {
    const swing = Math.sin(Date.now() / (6000 + index * 900)) * 2500 + (Math.random() - 0.5) * 400;
    fs.writeFileSync(file, `${Math.round(usual + swing)}\n`);
  }
}

function temperaturesIn(devices: string): Map<string, number> {
  const files = fs.readdirSync(devices, { recursive: true, encoding: 'utf8' });
  const known = files
    .filter((name) => /temp\d+_input$/.test(name))
    .map((name): [string, number] => {
      const file = path.join(devices, name);
      return [file, Number(fs.readFileSync(file, 'utf8'))];
    });
  return new Map(known.filter(([, usual]) => usual > 0));
}

/** Something for the charts of network and disks. */
async function load(base: string, token: string): Promise<void> {
  const query = new URLSearchParams({ base: 'music', path: 'Pink rain.flac', token });
  const response = await fetch(`${base}/api/media/file/data?${query}`).catch(() => null);
  await response?.arrayBuffer();
}
