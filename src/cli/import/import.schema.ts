import { z } from 'zod';

const text = z.string().min(1).max(4096);
const name = z.string().trim().min(1).max(256);

/** Only the invalid entries of a list are dropped. */
const listOf = <T extends z.ZodType>(each: T) =>
  z
    .array(z.unknown())
    .max(1000)
    .transform((values) =>
      values.flatMap((value) => {
        const result = each.safeParse(value);
        return result.success ? [result.data] : [];
      }),
    )
    .catch([]);

/** Keys in lower case: System Bridge writes its own keys that way. */
const bridgeDirectorySchema = z.object({ name, path: text });
const bridgeCommandSchema = z
  .object({
    id: name,
    name,
    command: text,
    // An unreadable command is dropped: without its arguments it would do something else.
    workingdir: z.string().max(4096).nullish(),
    arguments: z.array(z.string().max(4096)).max(100).nullish(),
  })
  .transform(({ workingdir, arguments: given, ...rest }) => ({
    ...rest,
    workingDir: workingdir ?? '',
    arguments: given ?? [],
  }));

/** Everything else in the file is ignored. */
export const bridgeSettingsSchema = z.object({
  autostart: z.boolean().catch(false),
  media: z.object({ directories: listOf(bridgeDirectorySchema) }).catch({ directories: [] }),
  commands: z.object({ allowlist: listOf(bridgeCommandSchema) }).catch({ allowlist: [] }),
});

export type BridgeDirectory = z.infer<typeof bridgeDirectorySchema>;
export type BridgeCommand = z.infer<typeof bridgeCommandSchema>;
