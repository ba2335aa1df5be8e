import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../../lib/errors.ts';
import type { MachineRecorder, RecordingReport } from '../../recording/recording.contract.ts';
import type { Volumes } from '../../volumes.ts';
import type { LinuxHost } from '../linux-host.ts';
import { recordBus, toPlain } from './record-bus.ts';
import { recordFiles } from './record-files.ts';
import { hasOddName, type Recording, type RecordingIndex, recordingFile } from './recording.ts';
import { openReplay } from './replay.ts';
import { createScrubber, type Scrubber } from './scrub.ts';
import { createStillClock } from './still-clock.ts';
import { unrecorded } from './unrecorded.ts';

/** Fits into a mail; known machines need less than half of it. */
const mostBytes = 64 * 1024 * 1024;
const longestFile = 4 * 1024 * 1024;

/** `version`: of Hostler, for the recipient of the recording. */
export function createMachineRecorder(host: LinuxHost, version: string): MachineRecorder {
  const recording = emptyRecording(host);
  let isLater = false;
  const { environment } = host;
  const recorded: LinuxHost = {
    ...host,
    ...unrecorded,
    files: recordFiles(host.files, recording, () => isLater),
    dbus: {
      system: recordBus('system', host.dbus.system, recording.answers),
      session: recordBus('session', host.dbus.session, recording.answers),
    },
    volumes: recordVolumes(host.volumes, recording),
  };
  return {
    host: recorded,
    goOn() {
      isLater = true;
    },
    write(directory) {
      makeNew(directory);
      const scrubber = createScrubber({
        ...recording.about,
        accounts: host.files.text('/etc/passwd') ?? '',
        searchDomains: recording.searchDomains,
        files: recording.files,
      });
      return writeRecording(recording, scrubber, directory, version);
    },
    add(directory, file, value) {
      const place = path.join(directory, file);
      fs.mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 });
      fs.writeFileSync(place, `${JSON.stringify(value, null, 2)}\n`, forOwner);
    },
    replayed(directory) {
      const replay = openReplay(directory);
      if (replay === null) throw new Error(`${directory} holds no recording`);
      const { parts, facts } = replay;
      const clock = createStillClock(Date.parse(recording.about.now));
      const still: LinuxHost = {
        ...host,
        ...parts,
        clock,
        environment: { ...environment, ...facts, hostname: () => facts.hostname },
      };
      return {
        host: still,
        goOn() {
          parts.files.goOn();
          clock.goOn();
        },
      };
    },
  };
}

/** Only in a directory that we created no other user can read the files or place links. */
function makeNew(directory: string): void {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new Error(`${directory} exists already; name a directory that does not, such as ./report`);
  }
}

const forOwner = { flag: 'wx', mode: 0o600 };

function emptyRecording({ environment, network, identity, clock }: LinuxHost): Recording {
  return {
    files: new Map(),
    later: new Map(),
    directories: new Map(),
    links: new Map(),
    present: new Set(),
    denied: new Set(),
    modified: new Map(),
    answers: new Map(),
    volumes: new Map(),
    network: network.addresses(),
    searchDomains: network.searchDomains(),
    about: {
      hostname: identity.hostname().value ?? environment.hostname(),
      kernel: environment.kernel,
      machine: environment.machine,
      home: environment.home,
      uid: environment.uid ?? 0,
      userName: environment.userName,
      now: new Date(clock.now()).toISOString(),
    },
  };
}

function recordVolumes(volumes: Volumes, { volumes: recorded }: Recording): Volumes {
  return {
    ...volumes,
    space(place) {
      const answer = volumes.space(place);
      recorded.set(place, answer);
      return answer;
    },
    async spaceLater(key, place) {
      const answer = await volumes.spaceLater(key, place);
      recorded.set(place, answer);
      return answer;
    },
  };
}

function writeRecording(recording: Recording, scrubber: Scrubber, directory: string, version: string): RecordingReport {
  const { text } = scrubber;
  const left: string[] = [];
  let bytes = 0;
  const odd = { oddFiles: {} as Record<string, string>, oddLater: {} as Record<string, string> };
  const place = (file: string, content: Buffer, into: keyof typeof odd) => {
    const name = text(file);
    const held = scrubber.file(file, content);
    if (held.length > longestFile || bytes + held.length > mostBytes) return void left.push(name);
    bytes += held.length;
    if (hasOddName(name)) {
      odd[into][name] = held.toString('base64');
      return;
    }
    const target = path.join(directory, into === 'oddLater' ? 'later' : '', name);
    fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    fs.writeFileSync(target, held, forOwner);
  };
  for (const [file, content] of recording.files) place(file, content, 'oddFiles');
  for (const [file, content] of recording.later) place(file, content, 'oddLater');
  const record = <T, U>(entries: Map<string, T>, change: (value: T) => U) =>
    Object.fromEntries([...entries].map(([key, value]) => [text(key), change(value)]));
  const index: RecordingIndex = {
    recording: 1,
    hostler: version,
    directories: record(recording.directories, (names) => names.map(text)),
    links: Object.fromEntries([...recording.links].map(([file, target]) => [text(file), scrubber.link(file, target)])),
    present: [...recording.present].map(text),
    denied: [...recording.denied].map(text),
    modified: record(recording.modified, (at) => at),
    answers: record(recording.answers, (answer) =>
      'body' in answer
        ? { body: scrubber.answer(answer.body.map(toPlain)) as unknown[] }
        : { ...answer, message: text(answer.message) },
    ),
    volumes: record(recording.volumes, (answer) => answer),
    searchDomains: recording.searchDomains.map(text),
    ...odd,
  };
  const { hostname, kernel, machine, home, uid, userName, now } = recording.about;
  const about = {
    hostname: text(hostname),
    kernel,
    machine,
    home: text(home),
    uid,
    userName: text(userName),
    now,
    network: recording.network.map((entry) => ({
      ...entry,
      interface: text(entry.interface),
      address: text(entry.address),
      mac: text(entry.mac),
    })),
  };
  fs.writeFileSync(path.join(directory, 'host.json'), `${JSON.stringify(about, null, 2)}\n`, forOwner);
  fs.writeFileSync(path.join(directory, recordingFile), `${JSON.stringify(index, null, 1)}\n`, forOwner);
  return {
    files: recording.files.size - left.length,
    answers: recording.answers.size,
    bytes,
    left,
    replaced: scrubber.replaced(),
  };
}
