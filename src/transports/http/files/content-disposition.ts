/** Shown, not saved; with the name for whoever saves it anyway. RFC 6266. */
export function inlineAs(name: string): string {
  return `inline; filename="${plain(name)}"; filename*=UTF-8''${extended(name)}`;
}

/** For clients that know only this one: nothing that has to be escaped, or that some of them decode. */
function plain(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
}

/** RFC 8187. What encodeURIComponent leaves alone and that grammar does not is encoded here. */
function extended(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
