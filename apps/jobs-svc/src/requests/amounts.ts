import { z } from 'zod'

const amount = z.int().nonnegative().optional().catch(undefined)

/**
 * How much of the work is done, in bytes of a file or in items: frames or files. Amounts that are unknown or not whole numbers
 * are left out.
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

/** Told the share done, 0 to 1, what is being done, and how much of it. */
export type Progress = (share: number, stage: string, amounts?: Amounts) => void
