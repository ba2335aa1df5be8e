import type { ByteStreamEvents, OpenStream, StreamTarget } from '@hostler/io/byte-stream.ts';

export interface FakeUpsd {
  connect: OpenStream;
  /** Commands received, in order. */
  commands: string[];
  targets: StreamTarget[];
  /** How many connections are open. */
  open(): number;
}

/** `answer`: to one command, lines included; null: the connection is closed; a function that never answers returns ''. */
export function fakeUpsd(answer: (command: string, events: ByteStreamEvents) => string | null): FakeUpsd {
  const commands: string[] = [];
  const targets: StreamTarget[] = [];
  let open = 0;
  return {
    commands,
    targets,
    open: () => open,
    connect: async (target, events) => {
      targets.push(target);
      open += 1;
      return {
        send(bytes) {
          for (const command of new TextDecoder().decode(bytes).split('\n').slice(0, -1)) {
            commands.push(command);
            queueMicrotask(() => {
              const text = answer(command, events);
              if (text === null) events.closed(null);
              else if (text !== '') events.data(new TextEncoder().encode(text));
            });
          }
        },
        waiting: () => 0,
        pause() {},
        resume() {},
        close() {
          open -= 1;
        },
      };
    },
  };
}

/** Answers as upsd does, from the variables of each UPS. */
export function upsdAnswers(upses: Record<string, Record<string, string>>) {
  return (command: string): string => {
    if (command === 'LOGOUT') return 'OK Goodbye\n';
    const [, name = ''] = /^LIST VAR (.*)$/.exec(command) ?? [];
    const body =
      command === 'LIST UPS'
        ? Object.keys(upses).map((ups) => `UPS ${ups} "Description unavailable"\n`)
        : Object.entries(upses[name] ?? {}).map(([variable, value]) => `VAR ${name} ${variable} "${value}"\n`);
    return `BEGIN ${command}\n${body.join('')}END ${command}\n`;
  };
}
