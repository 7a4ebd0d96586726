import { createRecordCodec } from '../../programs/records.ts'

/** Question to the drawing program (`pdfium-program.ts`). Pages are counted from 0. */
export type PdfQuery =
  | { ask: 'count'; path: string }
  | { ask: 'draw'; path: string; pages: number[] }

/**
 * Records of the answer: `count` with the number of pages; `page` for each requested page, with pixels as bytes and the
 * width as number; or `refused` with one of `pdfRefusals`, and the page as number.
 */
export const pdfRecords = createRecordCodec(['end', 'failed', 'refused', 'count', 'page'] as const)

export const pdfRefusals = ['locked', 'undrawable'] as const
export type PdfRefusal = (typeof pdfRefusals)[number]
