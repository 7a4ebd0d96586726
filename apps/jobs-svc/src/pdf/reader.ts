import type { ProgramLimits } from '../programs/program.ts'

/** The port of PDFs: what whoever draws their pages promises (`pdfium.ts` does it). */

/** A PDF that the caller has put on the disk. */
export interface PdfFile {
  path: string
  /** As the person who sent it knows it. Errors say this name and never the path. */
  name: string
}

export interface DrawnPage {
  /** Counted from 0. */
  page: number
  /** In pixels. */
  width: number
  height: number
  /** RGBA, eight bits each, rows without gaps; on white paper, so that nothing shines through. */
  pixels: Buffer
}

export interface PdfReader {
  /**
   * How many pages there are.
   *
   * @throws UnusableInput, one sentence, for what is no PDF, is damaged beyond repair, wants a password, has no pages or more than
   *   `mostPages`; DomainError unavailable when the program was killed by others
   */
  count: (file: PdfFile, signal: AbortSignal) => Promise<number>
  /**
   * Draws pages, one after the other and no sooner than they are asked for: one is in memory at a time.
   *
   * @param pages counted from 0
   * @throws UnusableInput for a page that cannot be drawn, or takes too long or too much memory; DomainError unavailable as above;
   *   whatever the signal was aborted with
   */
  draw: (file: PdfFile, pages: readonly number[], signal: AbortSignal) => AsyncGenerator<DrawnPage>
}

/** More are refused. */
export const mostPages = 10_000
/** A PDF is read as a whole: its program knows 2 GiB, and needs the rest for what it draws. */
export const mostPdfBytes = 512 * 1024 ** 2

/** What one program may take, which draws `pagesAtOnce` pages; the largest PDF with the largest page takes a third of the memory. */
export const pdfLimits: ProgramLimits = {
  cpuSeconds: 1800,
  memoryBytes: 4 * 1024 ** 3,
  silenceMs: 60_000,
}
