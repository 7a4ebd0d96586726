import { unavailable } from '@reticle/kit'
import type { ProgramFailures, ReadFile } from '../../programs/failures.ts'
import { UnusableInput } from '../../work/errors.ts'
import { mostPages, mostPdfBytes } from './reader.ts'

/**
 * Creates the error for a file that cannot be read as a PDF.
 *
 * @param output output of the program for the log; it may contain paths
 */
const unreadable = ({ name }: ReadFile, output?: string) =>
  new UnusableInput(
    `${name}: no PDF can be read from it: it is damaged, cut off or of another kind`,
    { cause: output },
  )

export const locked = ({ name }: ReadFile) =>
  new UnusableInput(`${name}: the PDF is protected by a password; send it without one`)

export const pageless = ({ name }: ReadFile) => new UnusableInput(`${name}: the PDF has no pages`)

export const tooManyPages = ({ name }: ReadFile, count: number) =>
  new UnusableInput(`${name}: the PDF has ${count} pages, at most ${mostPages} are allowed`)

export const tooLarge = ({ name }: ReadFile, size: number) =>
  new UnusableInput(`${name}: PDFs may have ${mostPdfBytes} bytes, this one has ${size}`)

/**
 * Creates the error for pages that are too large together.
 *
 * @param most limit in bytes
 */
export const tooMuch = ({ name }: ReadFile, most: number) =>
  new UnusableInput(`${name}: the pictures of its pages have more than ${most} bytes`)

/**
 * Creates the error for a page that cannot be drawn.
 *
 * @param page number, counted from 0
 */
export const undrawable = ({ name }: ReadFile, page: number) =>
  new UnusableInput(
    `${name}: page ${page + 1} of the PDF cannot be drawn: it is damaged, or takes too much memory`,
  )

/** Errors of the program that draws pages. */
export const pdfFailures: ProgramFailures = {
  unreadable,
  unstarted: ({ name }, why) =>
    unavailable(`${name}: the program that draws PDFs cannot be started: ${why}`),
  killed: ({ name }) =>
    unavailable(`${name}: the program that draws PDFs was killed, perhaps for want of memory`),
  tooLong: ({ name }) => new UnusableInput(`${name}: drawing the pages of the PDF takes too long`),
  tooMuchMemory: ({ name }) =>
    new UnusableInput(`${name}: drawing the pages of the PDF takes too much memory`),
  broken: ({ name }, cause) =>
    new UnusableInput(`${name}: the PDF breaks the program that draws it`, { cause }),
}
