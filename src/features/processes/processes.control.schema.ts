import { z } from 'zod';

/** PIDs are signed 32-bit numbers on Linux. */
export const largestPid = 2 ** 31 - 1;

export const signalVerbs = ['terminate', 'kill', 'stop', 'continue'] as const;
export const ioClasses = ['idle', 'best_effort', 'realtime'] as const;
export type SignalVerb = (typeof signalVerbs)[number];
export type IoClass = (typeof ioClasses)[number];

/** Unknown fields are refused, because they would have no effect. */
const identity = {
  id: z.int().min(1).max(largestPid).describe('Process ID'),
  start_time: z
    .int()
    .nonnegative()
    .describe('start_time of the process, as the processes module reports it: no other process is touched'),
};

export const processSignalInputSchema = z.strictObject({
  ...identity,
  name: z.string().min(1).max(255).optional().describe('Name of the process: one with another name is left alone'),
  signal: z
    .enum(signalVerbs)
    .describe(
      'terminate: ask it to end (SIGTERM); kill: end it at once, without saving anything (SIGKILL); stop: halt it (SIGSTOP); continue: let it go on (SIGCONT)',
    ),
});
export type ProcessSignalInput = z.infer<typeof processSignalInputSchema>;

export const processNiceInputSchema = z.strictObject({
  ...identity,
  nice: z
    .int()
    .min(-20)
    .max(19)
    .describe('CPU priority of all its threads: 19 gives way to everything, 0 is usual, -20 comes first'),
});
export type ProcessNiceInput = z.infer<typeof processNiceInputSchema>;

export const processIoniceInputSchema = z
  .strictObject({
    ...identity,
    class: z
      .enum(ioClasses)
      .describe('idle: only when no other process wants the disk; best_effort: usual; realtime: first'),
    level: z.int().min(0).max(7).optional().describe('0 comes first, 7 last, 4 unless given; not for idle'),
  })
  .refine(({ class: given, level }) => given !== 'idle' || level === undefined, {
    path: ['level'],
    message: 'the class idle has no levels',
  });
export type ProcessIoniceInput = z.infer<typeof processIoniceInputSchema>;

const touched = {
  id: z.int().describe('Process ID'),
  start_time: z.int().describe('When it was started, as the processes module reports it'),
  name: z.string().describe('Name of the process'),
};

export const processSignalOutputSchema = z.object({
  ...touched,
  signal: z.enum(signalVerbs),
  status: z
    .string()
    .describe('What the process does a moment later: ended, or its state in the words of the processes module'),
});
export type ProcessSignalOutput = z.infer<typeof processSignalOutputSchema>;

export const processNiceOutputSchema = z.object({
  ...touched,
  nice: z.int().describe('As the system reports it afterwards'),
});
export type ProcessNiceOutput = z.infer<typeof processNiceOutputSchema>;

export const processIoniceOutputSchema = z.object({
  ...touched,
  class: z.enum(ioClasses),
  level: z.int().nullable().describe('0 to 7; null: this class has none'),
});
export type ProcessIoniceOutput = z.infer<typeof processIoniceOutputSchema>;

/** Input and output of the agent tool. */
export const controlProcessInputSchema = z.strictObject({
  pid: z.int().min(1).max(largestPid),
  start_time: z.int().nonnegative().describe('From get_process'),
  name: z.string().min(1).max(255),
  action: z.enum(signalVerbs),
});

export const controlProcessOutputSchema = z.object({ name: z.string(), status: z.string(), message: z.string() });
