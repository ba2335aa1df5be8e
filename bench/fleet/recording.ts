import { type ChildProcess, spawn } from 'node:child_process';
import { findProgram } from '../../test/real/harness/parts.ts';
import { until } from '../../test/real/harness/service.ts';

/** One message of a real machine; `topic` without what all topics of this machine begin with. */
export interface RecordedMessage {
  topic: string;
  payload: string;
  /** Milliseconds after the recording began. */
  at: number;
}

export interface Recording {
  /** What is said once after every connect: the first message of each topic. */
  greeting: RecordedMessage[];
  /** What is said again and again. */
  steady: RecordedMessage[];
  periodMs: number;
}

/** The messages of a service: all while it starts, and then for this long. `start` is called when the recorder listens. */
export async function record(port: number, periodMs: number, start: () => Promise<string>): Promise<Recording> {
  const child: ChildProcess = spawn(
    findProgram('mosquitto_sub') ?? '',
    ['-V', '5', '-h', '127.0.0.1', '-p', String(port), '-t', '#', '-F', '%j'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const received: RecordedMessage[] = [];
  let rest = '';
  const began = performance.now();
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const { topic, payload } of lines.map((line) => JSON.parse(line)))
      received.push({ topic, payload: payload ?? '', at: performance.now() - began });
  });
  try {
    // It may not have subscribed yet, but a service takes longer to start.
    const id = await start();
    const config = `homeassistant/device/hostler_${id}/config`;
    await until(() => received.some(({ topic }) => topic === config) || null);
    const from = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, periodMs));
    const named = received.map((message) => ({ ...message, topic: message.topic.replaceAll(id, '{id}') }));
    const greeting = [...new Map(named.toReversed().map((message) => [message.topic, message])).values()];
    const steady = named.filter(({ at }) => at > from).map((message) => ({ ...message, at: message.at - from }));
    return { greeting, steady, periodMs };
  } finally {
    child.kill('SIGKILL');
  }
}
