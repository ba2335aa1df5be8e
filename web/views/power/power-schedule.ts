import type { IconName } from '../../components/icon.tsx';

export interface PowerVerb {
  verb: string;
  title: string;
  /** What the machine does then, after its name. */
  text: string;
  asks: boolean;
  icon: IconName;
}

export const verbs: readonly PowerVerb[] = [
  { verb: 'LOCK', title: 'Lock', text: "locks the user's session", asks: false, icon: 'lock' },
  { verb: 'SLEEP', title: 'Sleep', text: 'goes to sleep; it cannot be reached until woken', asks: true, icon: 'dark' },
  {
    verb: 'HIBERNATE',
    title: 'Hibernate',
    text: 'saves its memory to disk and powers off',
    asks: true,
    icon: 'hibernate',
  },
  {
    verb: 'LOGOUT',
    title: 'Log out',
    text: "ends the user's session; unsaved work is lost",
    asks: true,
    icon: 'signOut',
  },
  { verb: 'RESTART', title: 'Restart', text: 'restarts; unsaved work is lost', asks: true, icon: 'restart' },
  { verb: 'SHUTDOWN', title: 'Shut down', text: 'powers off; unsaved work is lost', asks: true, icon: 'power' },
];
