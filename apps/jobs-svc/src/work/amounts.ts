import { z } from 'zod'

const amount = z.int().nonnegative().optional().catch(undefined)

/**
 * Amounts of finished work and their totals, in bytes of a file or in items (frames or files). Unknown or fractional
 * amounts are left out.
 */
export const amounts = z
  .object({
    bytes_done: amount,
    bytes_total: amount,
    items_done: amount,
    items_total: amount,
  })
  .catch({})

export type Amounts = z.infer<typeof amounts>

/** Callback for progress: the share done (0 to 1), the current stage, and the amounts. */
export type ProgressCallback = (share: number, stage: string, amounts?: Amounts) => void
