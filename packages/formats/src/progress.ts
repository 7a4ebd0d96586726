/** Returns the completed share, from 0 to 1; 1 when there is nothing to do. */
export const shareOf = (done: number, total: number): number =>
  total > 0 ? Math.min(1, Math.max(0, done / total)) : 1
