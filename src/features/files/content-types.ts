import { servedTypes } from '../../core/files/served-types.ts';
import { contentTypesText } from './content-types.text.ts';

export type ContentTypeOf = (extension: string) => string | null;

/** The type of files with an extension (in lower case, without its dot); null: nobody has registered one. What is served has the type it is served with. */
export function createContentTypes(): ContentTypeOf {
  const types = new Map<string, string>();
  for (const line of contentTypesText.split('\n')) {
    const [type = '', ...extensions] = line.split(' ');
    for (const extension of extensions) types.set(extension, type);
  }
  return (extension) => servedTypes.get(extension) ?? types.get(extension) ?? null;
}
