import type { ActionContext, ActionParts, ActionResult } from '../../core/action.ts';
import { shareIdOf, shownAddress } from '../../core/caller.ts';
import type { AllowedCommand } from '../../core/files/allowed-command.ts';
import { checkCommand, commandNotStarted } from '../../core/files/allowed-command.ts';
import { createPlaces } from '../../core/places.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';
import type { RunResult } from '../../host/processes/process-group.ts';
import type { Clock } from '../../lib/clock.ts';
import { fullMessageOf, messageOf } from '../../lib/errors.ts';
import type { CommandOutput } from './command.schema.ts';

/** Variables that a program of the user gets; none of this service. */
const environments: PerPlatform<Promise<Record<string, string>>> = {
  linux: async () => (await import('../../host/linux/command-environment.ts')).commandEnvironmentLinux,
  windows: async () => (await import('../../host/windows/command-environment.ts')).commandEnvironmentWindows,
};

const environmentFor = async (host: Host) => (await loadFor(host, environments))?.() ?? {};

export interface Commands {
  run(command: AllowedCommand, options: CommandOptions): Promise<ActionResult<CommandOutput>>;
}

export interface CommandOptions extends Pick<ActionContext, 'caller' | 'notify' | 'orderSignal'> {
  stream: boolean;
}

const mostAtOnce = 16;
const timeoutMs = 300_000;
const maxOutput = 1024 * 1024;

export function createCommands({ host, log }: Pick<ActionParts, 'host' | 'log'>, limitMs = timeoutMs): Commands {
  const places = createPlaces(mostAtOnce, 'Too many commands are running already; wait for one to finish');

  const execute = async (command: AllowedCommand, { caller, notify, orderSignal, stream }: CommandOptions) => {
    const { id } = command;
    const who = `${caller.tokenName} at ${shownAddress(caller.connection().address)}`;
    const { program, cwd } = await checkCommand(host, command).catch((error) => {
      log.warn(`command: ${who} was refused: ${fullMessageOf(error)}`);
      throw error;
    });
    log.info(`command: ${JSON.stringify(id)} was started by ${who}`);
    notify('COMMAND_EXECUTING', { commandID: id });
    const streaming = stream
      ? createStreaming(host.clock, (part) => notify('COMMAND_OUTPUT', { commandID: id, ...part }))
      : null;
    try {
      const result = await host.run(program, command.arguments, {
        cwd,
        env: await environmentFor(host),
        timeoutMs: limitMs,
        maxOutput,
        // A script that ends half-way does harm, so a closed connection does not end it; a revoked token and a cancelled call do.
        signal: orderSignal,
        ...(streaming === null ? {} : { onOutput: streaming.add }),
      });
      streaming?.end();
      log.info(`command: ${JSON.stringify(id)}, started by ${who}, ${endOf(result)}`);
      return toAnswer(id, result);
    } catch (error) {
      streaming?.end();
      log.warn(`command: ${JSON.stringify(id)}, started by ${who}, failed: ${messageOf(error)}`);
      const reason = messageOf(orderSignal.aborted ? error : commandNotStarted(error));
      return { message: '', data: { commandID: id, exitCode: -1, stdout: '', stderr: '', error: reason } };
    }
  };

  const toAnswer = (commandID: string, result: RunResult): ActionResult<CommandOutput> => {
    const { exitCode, stdout, stderr, truncated } = result;
    const data: CommandOutput = { commandID, exitCode: exitCode ?? -1, stdout, stderr };
    if (exitCode === null || result.timedOut) data.error = `The command ${endOf(result)}`;
    return { message: truncated ? `Its output exceeded ${maxOutput} bytes; the rest was dropped` : '', data };
  };

  const endOf = ({ exitCode, signal, timedOut }: RunResult): string => {
    if (timedOut) return `was terminated after ${limitMs / 1000} s, together with everything it had started`;
    return exitCode === null ? `was terminated by ${signal}` : `exited with code ${exitCode}`;
  };

  return {
    run: (command, options) => places.run(shareIdOf(options.caller), () => execute(command, options)),
  };
}

export interface OutputPart {
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Joins a program's output into about ten parts a second for each subscriber. */
interface Streaming {
  add(stream: OutputPart['stream'], text: string): void;
  /** Sends the rest. */
  end(): void;
}

const everyMs = 100;

/** Bounded by the output limit, which applies before this. */
export function createStreaming(clock: Clock, send: (part: OutputPart) => void): Streaming {
  let waiting: OutputPart[] = [];
  let toldAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | null = null;

  const flush = () => {
    cancel?.();
    cancel = null;
    const parts = waiting;
    waiting = [];
    if (parts.length > 0) toldAt = clock.monotonic();
    for (const part of parts) send(part);
  };

  return {
    add(stream, text) {
      // One part for each stream: the order between streams is unknown.
      const part = waiting.find((other) => other.stream === stream);
      if (part === undefined) waiting.push({ stream, text });
      else part.text += text;
      cancel ??= clock.after(Math.max(0, toldAt + everyMs - clock.monotonic()), flush);
    },
    end: flush,
  };
}
