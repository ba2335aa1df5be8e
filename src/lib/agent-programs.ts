/** Programs that start "hostler mcp", which needs no secret. */
export const startingPrograms = ['claude-code', 'claude-desktop', 'lm-studio', 'windsurf', 'zed'] as const;

/** Programs that connect to an address, and take the secret from their own file. */
export const connectingPrograms = ['vscode', 'cursor', 'codex', 'gemini'] as const;

/** What `hostler mcp config` knows. */
export const agentPrograms: readonly string[] = [...startingPrograms, ...connectingPrograms];
