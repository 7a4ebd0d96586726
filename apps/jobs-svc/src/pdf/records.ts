import { codecOf } from '../programs/records.ts'

/** What the program that draws is asked (`pdfium-program.ts`). Pages are counted from 0. */
export type Question =
  | { ask: 'count'; path: string }
  | { ask: 'draw'; path: string; pages: number[] }

/**
 * What it answers: `count` with the number of pages; a `page` for each that was asked for, its bytes the pixels and its number the
 * width; or `refused` with one of `refusals`, the number a page.
 */
export const answers = codecOf(['end', 'failed', 'refused', 'count', 'page'] as const)

export const refusals = ['locked', 'undrawable'] as const
export type Refusal = (typeof refusals)[number]
