import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const text = (meaning: string) => z.string().nullable().describe(meaning);
const flag = (meaning: string) => z.boolean().nullable().describe(meaning);

const activeWindowSchema = z.object({
  title: z.string().max(256).describe('Title of the window, at most 256 characters, without control characters'),
  app: text('Name of its application, as the application calls itself'),
  pid: z.int().positive().nullable().describe('Process of the window, as the application reports it'),
  fullscreen: z.boolean().describe('Whether the window covers the whole screen'),
});

const keptAwakeSchema = z.object({
  id: z.string().describe('For power.uninhibit'),
  reason: z.string().describe('Why, as the caller wrote it'),
  token: z.string().describe('Name of the token that asked for it'),
  since: z.number().nonnegative().describe('When it began, Unix seconds').meta(unit('unix_seconds')),
  until: z.number().nonnegative().describe('When it ends, Unix seconds').meta(unit('unix_seconds')),
});
export type KeptAwake = z.infer<typeof keptAwakeSchema>;

export const sessionSchema = z.object({
  user: text('Login name of the user'),
  seat: text('Seat of the session, such as seat0; on Windows its station, such as Console'),
  type: z
    .enum(['x11', 'wayland', 'tty', 'windows', 'none'])
    .describe('Kind of session: x11, wayland, tty, windows, or none where no user is logged in'),
  desktop: text('Desktop environment, such as GNOME, KDE or sway'),
  idle: flag('Whether keyboard and pointer have been unused for a while (setting session.idleAfter)'),
  idle_since: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Time of the last input while the session is idle, Unix seconds')
    .meta(unit('unix_seconds')),
  locked: flag('Whether the screen is locked'),
  active_window: activeWindowSchema
    .nullable()
    .describe('The window that has the focus; only for callers with the scope screen'),
  do_not_disturb: flag('Whether notifications are silenced'),
  night_light: flag('Whether the colours of the screen are warmer now'),
  power_profile: text('Active power profile: power-saver, balanced or performance'),
  power_profiles: z
    .array(z.string())
    .describe('Power profiles to choose from, for power.profile; empty: it cannot be set'),
  keep_awake: z
    .array(keptAwakeSchema)
    .describe('Requests to Hostler that keep the machine awake (power.inhibit), the oldest first'),
  lid_closed: flag('Whether the lid is closed'),
  on_battery: flag('Whether the machine runs on battery'),
  virtual_desktop: z
    .object({
      number: z.int().positive().describe('Number of the desktop in front, from 1'),
      name: text('Its name'),
      count: z.int().positive().describe('Number of desktops'),
    })
    .nullable()
    .describe('The virtual desktop or workspace in front'),
});

export type UserSession = z.infer<typeof sessionSchema>;
export type ActiveWindow = z.infer<typeof activeWindowSchema>;

export const sessionSwitchInputSchema = z.strictObject({
  on: z.boolean().describe('true switches it on, false off'),
});
export const sessionSwitchOutputSchema = z.object({
  on: z.boolean().describe('What it was switched to'),
  by: z.string().describe('The program that received the request, such as dunst or GNOME'),
  confirmed: z
    .boolean()
    .describe('Whether it was seen to be so; some programs do not show it, and a night light may wait for the evening'),
});
export const inhibitInputSchema = z.strictObject({
  reason: z.string().trim().min(1).max(200).describe('Why, shown to people at the machine and in the dashboard'),
  seconds: z
    .int()
    .min(0)
    .max(86_400)
    .nullish()
    .describe('For how long, up to a day; default 3600. 0 ends every request, like power.uninhibit')
    .meta(unit('seconds')),
});
export type InhibitInput = z.infer<typeof inhibitInputSchema>;

export const inhibitOutputSchema = z.object({
  id: z.string().nullable().describe('For power.uninhibit; null: requests were ended'),
  until: z.string().nullable().describe('When it ends, ISO 8601 in UTC; null: requests were ended'),
  blocks: z
    .array(z.enum(['sleep', 'idle']))
    .describe('idle: the machine does not sleep because it is unused; sleep: it cannot be put to sleep either'),
});
export const uninhibitInputSchema = z.strictObject({
  id: z.string().max(32).nullish().describe('The request to end; omitted: every one'),
});
export const uninhibitOutputSchema = z.object({
  ended: z.int().nonnegative().describe('Number of requests that ended'),
});
export const profileInputSchema = z.strictObject({
  profile: z.string().min(1).max(64).describe('One of power_profiles in the module session'),
});
export const profileOutputSchema = z.object({ profile: z.string().describe('The profile in use now') });
