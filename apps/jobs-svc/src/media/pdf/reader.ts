import type { ProgramLimits } from '../../programs/program.ts'

/** Port of PDF readers (`pdfium.ts` implements it). */

/** PDF on the local disk. */
export interface PdfFile {
  path: string
  /** Name that the user gave the file. Errors contain this name and never the path. */
  name: string
}

export interface DrawnPage {
  /** Counted from 0. */
  page: number
  /** In pixels. */
  width: number
  height: number
  /** RGBA, eight bits each, rows without gaps, on an opaque white background. */
  pixels: Buffer
}

export interface PdfReader {
  /**
   * Counts the pages.
   *
   * @throws UnusableInput, one sentence, for a file that is not a PDF, is damaged beyond repair, requires a password,
   *   or has no pages or more than `mostPages`; DomainError unavailable when another process killed the program
   */
  count: (file: PdfFile, signal: AbortSignal) => Promise<number>
  /**
   * Draws pages one after the other, with back-pressure: one is in memory at a time.
   *
   * @param pages numbers counted from 0
   * @throws UnusableInput for a page that cannot be drawn, or takes too long or too much memory; DomainError
   *   unavailable as above; the abort reason of the signal
   */
  draw: (file: PdfFile, pages: readonly number[], signal: AbortSignal) => AsyncGenerator<DrawnPage>
}

/** Limit of pages per PDF. */
export const mostPages = 10_000
/** Limit in bytes of a PDF, which is read whole: the program can address 2 GiB, and needs the rest for drawing. */
export const mostPdfBytes = 512 * 1024 ** 2

/**
 * Limits of one process, which draws `pagesAtOnce` pages; the largest PDF with the largest page needs a third of the
 * memory.
 */
export const pdfLimits: ProgramLimits = {
  cpuSeconds: 1800,
  memoryBytes: 4 * 1024 ** 3,
  silenceMs: 60_000,
}
