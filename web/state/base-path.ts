/** The path below which a proxy serves this page, such as `/hostler`; empty: none. The scripts of the page lie directly below it. */
export const basePath = /^https?:/.test(import.meta.url) ? new URL('.', import.meta.url).pathname.slice(0, -1) : '';

/** A path of the address bar as views know it: without the base. A page that came without a proxy has none. */
export const viewPath = (pathname: string): string =>
  pathname === basePath || pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) || '/' : pathname;

/** A key in the storage of this browser, which all services of one proxy share. */
export const ownKey = (name: string): string => name + basePath;
