import type { z } from 'zod';
import type { Settings } from '../settings/settings.schema.ts';

/** The arguments an agent passed to a tool, checked by the schema of the tool. */
export type Given = Record<string, unknown>;

/** A tool that does something. It can combine several actions as choices, because fewer tools are easier to choose from. */
export interface AgentTool {
  /** The name for agents, such as `power_action`. */
  name: string;
  title: string;
  /** Short: every agent reads all descriptions at the start. */
  description: string;
  /** `choices` are the values of `action`, if the tool combines several actions. */
  input(facts: { choices: readonly string[]; settings: Settings }): Promise<z.ZodType>;
  /** An object at its root: clients reject anything else. */
  output(): Promise<z.ZodType>;
  /** Cannot be undone: the user of the machine gets a prompt first. */
  destructive: boolean;
  /** Repeating the call has no further effect. */
  idempotent: boolean;
  /** false: only if `mcp.tools` lists it, or in the mode "full". */
  byDefault: boolean;
  /**
   * The text of the prompt, and below it what will run or change, one line each. Every value chosen by the caller is written by `quoted`
   * (src/lib/quoted.ts). A prompt that is too long to be shown whole is a refusal. It is built again before the call is carried out: if it
   * differs then, the user's answer does not count.
   */
  prompt?(given: Given, settings: Settings): string;
  /** Whether the user gets a prompt first; omitted: if it is destructive, or disruptive, off by default and not listed in `mcp.tools`. */
  needsConsent?(settings: Settings): boolean;
  /** Which calls of a tool with a prompt get it; omitted: all. */
  isAsked?(given: Given): boolean;
  /** What these settings lack before it is useful, and the command that sets it; until then agents do not see it. null: nothing. */
  missing?(settings: Settings): string | null;
  /** Agents see it only while one of its actions is available here. */
  onlyWhenAvailable?: boolean;
  everyMs?: number;
  /** The time limit; one minute if omitted. */
  deadlineMs?: number;
  /** Fields of the result that are texts of several lines, such as the output of a program. */
  longTexts?: readonly string[];
  /** What no log or history may contain: typed text, the text of a notification. */
  unlogged?: readonly string[];
}

/** How an action serves a tool. */
export interface AgentUse<R = unknown> {
  tool: AgentTool;
  /** The value of `action` that selects this one; not needed where the tool has no other action. */
  choice?: string;
  /** The input of the action; the schema of the action checks it again. */
  toInput(given: Given): unknown;
  toOutput(result: { message: string; data: R }, given: Given): Given;
}

/**
 * Shows a prompt to the user. Closing, expiry and everything but Allow is `denied`; `less` is the button with that label. `answered` is
 * called before it resolves if the answer was not given on the screen.
 */
export type AskUser = (
  prompt: UserPrompt,
  signal: AbortSignal,
  answered?: (by: Answerer) => void,
) => Promise<UserDecision>;

/**
 * The same on the screen of this machine. Rejects with the reason where the prompt could not be shown: an absent user never counts as an
 * answer. `answered` is called at the answer, before the prompt is taken down.
 */
export type AskOnScreen = (prompt: UserPrompt, signal: AbortSignal, answered: () => void) => Promise<UserDecision>;

/** Who answered elsewhere: a browser that is signed in with the scope admin, or the command line of this machine. */
export interface Answerer {
  at: 'dashboard' | 'command';
  /** For the logs. */
  who: string;
}

export type UserDecision = 'allowed' | 'less' | 'denied';

export interface UserPrompt {
  title: string;
  text: string;
  /** The label of another button, which allows less than was requested; omitted: no such button. */
  less?: string | undefined;
  /** Only the machine itself may allow it: it creates lasting access. A denial counts from anywhere. */
  onMachine?: true;
  /** It comes from an unauthenticated client, and is closed for the prompt or the input of an authenticated one. */
  yields?: true;
}
