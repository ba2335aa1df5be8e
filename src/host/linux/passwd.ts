/** The names of accounts in /etc/passwd by their numbers. Several names may share a number: the first counts. */
export function parsePasswd(text: string): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name = '', , number = ''] = line.split(':');
    // Lines that begin with + or - refer to an ancient directory service.
    if (!/^[^#+-]/.test(name) || !/^\d+$/.test(number) || names.has(Number(number))) continue;
    names.set(Number(number), name);
  }
  return names;
}
