import type { PlainRule } from '../../lib/plain-rule.ts';

/** The schemas of a tool as agents get them. */
export interface ToolSchemas {
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
}

/** What "npm run generate" derives from the schemas of a tool, so that listing it and most calls need no schema library. */
export interface PlainTool extends ToolSchemas {
  /** Only of tools that read; others are checked by the schemas of their actions. */
  fields?: Readonly<Record<string, PlainField>>;
}

export interface PlainField {
  /** Missing: only the schema can check it. */
  rule?: PlainRule;
  optional?: true;
  default?: unknown;
}

/** Stands for the modules of this machine, or for the choices of a tool. */
export const choicesMark = '<choices>';
