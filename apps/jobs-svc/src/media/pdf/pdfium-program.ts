import { readFile } from 'node:fs/promises'
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium'
import { startThread } from '@reticle/kit/process/thread'
import { answerQuery } from '../../programs/answer-query.ts'
import { pixelsOf } from './page-size.ts'
import { type PdfQuery, type PdfRefusal, pdfRecords } from './records.ts'

/**
 * Process that runs PDFium for one question (`records.ts`). PDFium reads untrusted files, and may crash or hang; only
 * this process is lost with it. A separate thread watches whether the parent process still runs.
 */
startThread('../../programs/watch-input', import.meta.url, { data: null })

/** Refusal of a question, and the page that caused it. */
class Refused extends Error {
  readonly why: PdfRefusal
  readonly page: number | undefined

  constructor(why: PdfRefusal, page?: number) {
    super(why)
    this.why = why
    this.page = page
  }
}

await answerQuery(pdfRecords, async (question: PdfQuery, write) => {
  try {
    const document = await open(question.path)
    if (question.ask === 'count') return await write('count', undefined, document.getPageCount())
    for (const page of question.pages) {
      const { width, data } = await draw(document, page)
      await write('page', data, width)
    }
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown
    await write('refused', Buffer.from(thrown.why), thrown.page)
  }
})

async function open(path: string): Promise<PDFiumDocument> {
  const library = await PDFiumLibrary.init()
  try {
    return await library.loadDocument(await readFile(path))
  } catch (thrown) {
    throw /password|security/i.test(String(thrown)) ? new Refused('locked') : thrown
  }
}

async function draw(document: PDFiumDocument, page: number) {
  try {
    const opened = document.getPage(page)
    const { originalWidth: width, originalHeight: height } = opened.getOriginalSize()
    const size = pixelsOf({ width, height }) // undefined if the page could not be opened
    if (!size) throw new Error(`page ${page} is ${width} x ${height} points`)
    return await opened.render({ ...size, scale: 1 })
  } catch (thrown) {
    process.stderr.write(`${thrown}\n`)
    throw new Refused('undrawable', page)
  }
}
