/** The code in its original form from user input: any case, with or without hyphens, O for 0, I and L for 1. */
export function plainTypedCode(typed: string): string {
  const plain = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return plain.replace(/.{4}(?=.)/g, '$&-');
}
