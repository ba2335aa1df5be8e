import { z } from 'zod';

const text = z.string().min(1).max(4096);
const name = z.string().trim().min(1).max(256);

/** What is wrong in a list costs itself only. */
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

/** Keys in lower case: one generation writes them so whatever they are called. */
export const bridgeDirectorySchema = z.object({ name, path: text });
export const bridgeCommandSchema = z
  .object({
    id: name,
    name,
    command: text,
    // One that cannot be read is no command: without its arguments it would do something else.
    workingdir: z.string().max(4096).nullish(),
    arguments: z.array(z.string().max(4096)).max(100).nullish(),
  })
  .transform(({ workingdir, arguments: given, ...rest }) => ({
    ...rest,
    workingDir: workingdir ?? '',
    arguments: given ?? [],
  }));

/** Of generations 5 and 4. Everything else in their files is not looked at. */
export const bridgeSettingsSchema = z.object({
  api: z
    .object({
      token: z.string().max(4096).nullable().catch(null),
      port: z.int().min(1).max(65_535).nullable().catch(null),
    })
    .catch({ token: null, port: null }),
  autostart: z.boolean().catch(false),
  media: z.object({ directories: listOf(bridgeDirectorySchema) }).catch({ directories: [] }),
  commands: z.object({ allowlist: listOf(bridgeCommandSchema) }).catch({ allowlist: [] }),
});

/** The list that generation 3 keeps as a text. */
export const bridgeDirectoriesSchema = listOf(bridgeDirectorySchema);

export type BridgeDirectory = z.infer<typeof bridgeDirectorySchema>;
export type BridgeCommand = z.infer<typeof bridgeCommandSchema>;
