/**
 * The extensions that are served, and their media types. The library with all types takes 13 MB, so these are listed here; the test
 * compares them with it.
 */
export const servedTypes: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['bmp', 'image/bmp'],
  ['webp', 'image/webp'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  // Registered by RFC 9639. Browsers save audio/x-flac, the earlier name, instead of playing it.
  ['flac', 'audio/flac'],
  ['aac', 'audio/aac'],
  ['ogg', 'audio/ogg'],
  ['m4a', 'audio/mp4'],
  ['mp4', 'video/mp4'],
  ['avi', 'video/x-msvideo'],
  ['mkv', 'video/x-matroska'],
  ['mov', 'video/quicktime'],
  ['wmv', 'video/x-ms-wmv'],
  ['webm', 'video/webm'],
  ['txt', 'text/plain'],
  ['pdf', 'application/pdf'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
]);
