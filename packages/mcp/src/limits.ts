/** Each message of a batch is served at once. */
export const maxBatch = 20;
