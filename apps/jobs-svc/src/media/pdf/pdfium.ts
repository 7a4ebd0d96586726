import { ownProgram } from '../../programs/own-program.ts'
import { type ProgramEnvironment, startProgram } from '../../programs/program.ts'
import { type ProgramRecord, readRecords } from '../../programs/records.ts'
import { pdfFailures as failures, locked, pageless, tooManyPages, undrawable } from './failures.ts'
import { mostPagePixels } from './page-size.ts'
import { type DrawnPage, mostPages, type PdfFile, type PdfReader } from './reader.ts'
import { type PdfQuery, pdfRecords } from './records.ts'

/** Pages that one process draws; a limit, because the library keeps memory for pages already drawn. */
export const pagesAtOnce = 100

export interface PdfiumOptions extends ProgramEnvironment {
  /** Arguments of Node.js that start the program; tests replace them. */
  entry?: readonly string[]
}

const defaultEntry = ownProgram('./pdfium-program', import.meta.url)

/**
 * Creates the reader of the npm package @hyzyla/pdfium, in a separate process for each question (`pdfium-program.ts`).
 */
export function pdfiumReader(options: PdfiumOptions): PdfReader {
  return {
    count: async (file, signal) => {
      for await (const { kind, number } of runQuery(
        { ask: 'count', path: file.path },
        file,
        options,
        signal,
      ))
        if (kind === 'count') return checked(number, file)
      throw failures.unreadable(file, 'it is not counted')
    },
    async *draw(file, pages, signal) {
      for (let at = 0; at < pages.length; at += pagesAtOnce)
        yield* drawSome(file, pages.slice(at, at + pagesAtOnce), options, signal)
    },
  }
}

function checked(count: number, file: PdfFile): number {
  if (!(count > 0)) throw pageless(file)
  if (count > mostPages) throw tooManyPages(file, count)
  return count
}

async function* drawSome(
  file: PdfFile,
  pages: number[],
  options: PdfiumOptions,
  signal: AbortSignal,
): AsyncGenerator<DrawnPage> {
  const left = pages.values()
  for await (const answer of runQuery(
    { ask: 'draw', path: file.path, pages },
    file,
    options,
    signal,
  )) {
    const { done, value: page } = left.next()
    if (done) return
    yield toDrawnPage(answer, page, file)
  }
  const { value: missing } = left.next()
  if (missing !== undefined) throw undrawable(file, missing)
}

/** Validates a drawn page, because the process may be under the control of a malicious file. */
function toDrawnPage(
  { kind, number: width, bytes: pixels }: PdfRecord,
  page: number,
  file: PdfFile,
): DrawnPage {
  const height = pixels.length / width / 4
  const isWhole = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0
  if (kind !== 'page' || !isWhole)
    throw failures.unreadable(file, `${kind} of ${width} x ${height}`)
  return { page, width, height, pixels }
}

type PdfRecord = ProgramRecord<'count' | 'page'>

/**
 * Sends a question and yields the answer.
 *
 * @throws the error for a refusal or failure
 */
async function* runQuery(
  question: PdfQuery,
  file: PdfFile,
  { entry = defaultEntry, ...environment }: PdfiumOptions,
  signal: AbortSignal,
): AsyncGenerator<PdfRecord> {
  const args = [...entry, JSON.stringify(question)]
  const program = { command: process.execPath, args, file, failures }
  const running = startProgram(program, environment, signal)
  const unreadable = (why: string) => failures.unreadable(file, why)
  const reading = { codec: pdfRecords, mostBytes: mostPagePixels * 4, unreadable }
  try {
    for await (const { kind, number, bytes } of readRecords(running.pieces(), reading)) {
      if (kind === 'refused') throw refusal(String(bytes), number, file)
      if (kind !== 'count' && kind !== 'page') throw unreadable(String(bytes))
      yield { kind, number, bytes }
    }
  } finally {
    await running.end()
  }
}

const refusal = (why: string, page: number, file: PdfFile) =>
  why === 'locked' ? locked(file) : undrawable(file, page)
