import { z } from 'zod'

/** How much of the work is done, in bytes of a file or in items: frames or files. What is not known is left out. */
export const amounts = z.object({
  bytes_done: z.int().optional(),
  bytes_total: z.int().optional(),
  items_done: z.int().optional(),
  items_total: z.int().optional(),
})

export type Amounts = z.infer<typeof amounts>

/** Told the share done, 0 to 1, what is being done, and how much of it. */
export type Progress = (share: number, stage: string, amounts?: Amounts) => void
