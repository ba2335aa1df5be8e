import { servedTypes } from '../../core/files/served-types.ts';
import { contentTypesText } from './content-types.generated.ts';

export type ContentTypeOf = (extension: string) => string | null;

/** The media type of an extension (in lower case, without its dot); null: unknown. The types of the file server have precedence. */
export function createContentTypes(): ContentTypeOf {
  const types = new Map<string, string>();
  for (const entry of contentTypesText.split(/[|\n]/)) {
    const [type = '', ...extensions] = entry.split(' ');
    for (const extension of extensions) types.set(extension, type);
  }
  return (extension) => servedTypes.get(extension) ?? types.get(extension) ?? null;
}
