import { z } from 'zod';

export const wakeInputSchema = z.object({
  mac: z
    .string()
    .max(17)
    .regex(/^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$|^[0-9a-f]{12}$/i, 'must be like aa:bb:cc:dd:ee:ff')
    .describe('Hardware address of the machine to wake, such as aa:bb:cc:dd:ee:ff'),
  broadcast: z
    .ipv4()
    .nullish()
    .describe(
      'Broadcast address of a network this machine is connected to, or 255.255.255.255; left out: all of these networks',
    ),
  port: z.int().min(1).max(65_535).nullish().describe('UDP port; 9 when left out'),
});

export type WakeInput = z.infer<typeof wakeInputSchema>;

export const wakeOutputSchema = z.object({
  mac: z.string().describe('Hardware address that was called'),
  sent: z
    .array(z.object({ interface: z.string(), broadcast: z.string() }))
    .describe('Where the packet was sent: the interface and the broadcast address'),
});

export type WakeOutput = z.infer<typeof wakeOutputSchema>;
