import type { Reasons } from '../../core/reasons.ts';
import type { Audio } from './audio.schema.ts';

/** `why`: a sentence for each field that may be null, such as `sinks[].port`. */
export function explainAudioNulls(audio: Audio, why: Record<string, string>, reasons: Reasons): Audio {
  const nulls = new Set<string>();
  for (const [name, value] of Object.entries(audio)) {
    if (value === null) nulls.add(name);
    if (!Array.isArray(value)) continue;
    for (const entry of value)
      for (const [field, part] of Object.entries(entry)) if (part === null) nulls.add(`${name}[].${field}`);
  }
  for (const field of nulls) reasons.inherent(field, why[field] ?? 'Unknown');
  return audio;
}
