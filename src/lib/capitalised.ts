/** A clause as the beginning of a sentence. */
export const capitalised = (clause: string): string => clause.charAt(0).toUpperCase() + clause.slice(1);
