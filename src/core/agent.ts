import type { z } from 'zod';
import type { Settings } from '../settings/settings.schema.ts';

/** What an agent passed to a tool, after the tool's own schema has seen it. */
export type Given = Record<string, unknown>;

/** A tool that does something. Several actions may stand behind one, as its choices: fewer tools are easier to choose from. */
export interface AgentTool {
  /** As agents see it, `power_action`. */
  name: string;
  title: string;
  /** Short: every agent reads all of them before it does anything. */
  description: string;
  /** `choices` are the values that `action` can have, if several actions stand behind the tool. */
  input(facts: { choices: readonly string[]; settings: Settings }): Promise<z.ZodType>;
  /** An object at its root: clients refuse anything else. */
  output(): Promise<z.ZodType>;
  /** Cannot be taken back: the user of the machine is asked first. */
  destructive: boolean;
  /** Doing it twice is the same as doing it once. */
  idempotent: boolean;
  /** false: only where `mcp.tools` names it, or in the mode "full". */
  byDefault: boolean;
  /**
   * What the user is asked, and below it what will run or change, a line each. Every value that the caller chose is written by `quoted` (src/lib/quoted.ts).
   * It is asked for again before the call is carried out: where it has become another question, the answer does not count.
   */
  question?(given: Given, settings: Settings): string;
  /** Whether the user is asked first; left out: where it is destructive, or disruptive, off by default and not listed in `mcp.tools`. */
  needsConsent?(settings: Settings): boolean;
  /** Whether it makes sense with these settings; where it does not, agents do not see it. */
  offered?(settings: Settings): boolean;
  /** Agents see it only while an action behind it is available here, not only in principle. */
  onlyWhenAvailable?: boolean;
  /** The least time between two calls with one token. */
  everyMs?: number;
  /** How long it may take; a minute unless said otherwise. */
  deadlineMs?: number;
  /** Fields of the answer that are texts of several lines, such as the output of a program. */
  longTexts?: readonly string[];
  /** What no record may hold: typed text, the words of a notification. */
  unlogged?: readonly string[];
}

/** How an action serves a tool. */
export interface AgentUse<R = unknown> {
  tool: AgentTool;
  /** The value of `action` that means this one; not needed where no other stands behind the tool. */
  choice?: string;
  /** The action's own input; it is checked again by the action's schema. */
  toInput(given: Given): unknown;
  toOutput(result: { message: string; data: R }, given: Given): Given;
}

/**
 * Asks the user at the screen of this machine. Closing, expiry and anything but Allow is `denied`; `less` is the button with that label. Rejects with the reason where the
 * question could not be put on the screen: there is no answer that means "nobody is here", so that nothing can mistake silence for it.
 */
export type AskUser = (question: UserQuestion, signal: AbortSignal) => Promise<UserAnswer>;

export type UserAnswer = 'allowed' | 'less' | 'denied';

export interface UserQuestion {
  title: string;
  text: string;
  /** What a further button says that allows less than what is asked for; without it there is none. */
  less?: string | undefined;
}
