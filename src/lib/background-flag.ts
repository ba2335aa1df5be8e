/** Serves without a console: Windows opens a window for one. */
export const backgroundFlag = '--background';
export const backgroundArguments = ['serve', backgroundFlag] as const;
