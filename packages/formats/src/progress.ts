/** The share of a whole that is done, from 0 to 1; of nothing, all is done. */
export const shareOf = (done: number, total: number): number =>
  total > 0 ? Math.min(1, Math.max(0, done / total)) : 1
