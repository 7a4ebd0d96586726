import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  endlessPdf,
  greedyPdf,
  lockedTrailer,
  type PdfPage,
  writePdf,
} from '@reticle/kit/testing/pdf'
import sharp from 'sharp'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { findProgramEnvironment } from '../../programs/environment.ts'
import { pdfSurroundings } from '../../testing/run.ts'
import { type PdfiumOptions, pagesAtOnce, pdfiumReader } from './pdfium.ts'
import { type DrawnPage, pdfLimits } from './reader.ts'

const folder = await mkdtemp(join(tmpdir(), 'reticle-pdf-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const { limiter } = await findProgramEnvironment()
const never = new AbortController().signal
const range = (to: number) => [...Array(to).keys()]

const started: ChildProcess[] = []
beforeEach(() => {
  started.length = 0
})
const start: NonNullable<PdfiumOptions['start']> = (...given) => {
  const child = spawn(...given)
  started.push(child)
  return child
}
const around = { ...pdfSurroundings, limiter, start }
const reader = pdfiumReader(around)
const isGone = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function file(bytes: Uint8Array, name = 'a.pdf') {
  const path = join(folder, `${started.length}-${Math.random()}`)
  await writeFile(path, bytes)
  return { path, name }
}

/** Replaces text in a file by other text of the same length. */
const saying = (bytes: Buffer, words: string, others: string) =>
  Buffer.from(bytes.toString('latin1').replace(words, others), 'latin1')

async function drawn(pages: readonly PdfPage[], wanted = range(pages.length)) {
  const found: DrawnPage[] = []
  for await (const page of reader.draw(await file(writePdf(pages)), wanted, never)) found.push(page)
  return found
}

const green = [0, 255, 0]
const white = [255, 255, 255]
function pixelAt(page: DrawnPage | undefined, x: number, y: number) {
  const { width = 0, pixels = [] } = page ?? {}
  return [...pixels.slice((y * width + x) * 4, (y * width + x) * 4 + 3)]
}

/** Returns the bounds of the only area with that colour: [left, top, width, height]. */
async function placeOf({ width, height, pixels }: DrawnPage, colour: [number, number, number]) {
  const image = sharp(pixels, { raw: { width, height, channels: 4 } })
  const { data, info } = await image
    .trim({ background: 'white', threshold: 40 })
    .toBuffer({ resolveWithObject: true })
  const middle =
    (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels
  expect([...data.subarray(middle, middle + 3)]).toEqual(colour)
  const { trimOffsetLeft: left = 0, trimOffsetTop: top = 0 } = info
  return [Math.abs(left), Math.abs(top), info.width, info.height]
}

describe('a page', () => {
  test('has 200 dots per inch, and its content at the right position', async () => {
    const box = { x: 9, y: 18, width: 36, height: 27, color: 'red' } as const
    const [page] = await drawn([{ width: 90, height: 72, box }])
    expect(page).toMatchObject({ page: 0, width: 250, height: 200 })
    expect(page && (await placeOf(page, [255, 0, 0]))).toEqual([25, 75, 100, 75])
  })

  test('is rotated as specified, and has an opaque white background', async () => {
    const box = { x: 0, y: 0, width: 18, height: 36, color: 'blue' } as const
    const sizes: [number, number, number, unknown][] = [
      [90, 72, 90, [0, 0, 100, 50]],
      [90, 72, 180, [200, 0, 50, 100]],
      [90, 72, 270, [100, 200, 100, 50]],
    ]
    const pages = await drawn(
      sizes.map(([width, height, rotate]) => ({ width, height, rotate, box })),
    )
    expect(pages.map(({ width, height }) => [width, height])).toEqual([
      [200, 250],
      [250, 200],
      [200, 250],
    ])
    for (const page of pages) {
      expect(await placeOf(page, [0, 0, 255])).toEqual(sizes[page.page]?.[3])
      expect(page.pixels.every((byte, at) => at % 4 !== 3 || byte === 255)).toBe(true)
    }
  })

  test('has letters without coloured edges', async () => {
    const resources = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'
    const content = 'BT /F 20 Tf 5 20 Td (Wavy 8) Tj ET'
    const [page] = await drawn([{ width: 90, height: 60, content, resources }])
    const { pixels } = page ?? { pixels: Buffer.alloc(0) }
    const dark = range(pixels.length / 4).filter((at) => (pixels[at * 4] ?? 255) < 128)
    expect(dark.length).toBeGreaterThan(500)
    const coloured = range(pixels.length / 4).filter(
      (at) => pixels[at * 4] !== pixels[at * 4 + 1] || pixels[at * 4] !== pixels[at * 4 + 2],
    )
    expect(coloured).toEqual([])
  })

  test('that is huge is drawn smaller, completely', async () => {
    const box = { x: 0, y: 0, width: 7200, height: 3600, color: 'green' } as const
    const [page] = await drawn([{ width: 14_400, height: 14_400, box }])
    expect(page).toMatchObject({ width: 8192, height: 8192 })
    const places = [
      [0, 6144],
      [4095, 8191],
      [0, 6143],
      [4096, 8191],
    ] as const
    const [first, last, above, beside] = places.map(([x, y]) => pixelAt(page, x, y))
    expect([first, last]).toEqual([green, green])
    expect([above, beside]).toEqual([white, white])
  }, 60_000)
})

describe('pages', () => {
  const wide = (count: number) => range(count).map((page) => ({ width: 36 + page, height: 7.2 }))
  const widthOf = (page: number) => Math.round(((36 + page) * 200) / 72)

  test('are the requested ones, each once', async () => {
    const pages = await drawn(wide(6), [1, 2, 5])
    expect(pages.map(({ page, width }) => [page, width])).toEqual(
      [1, 2, 5].map((page) => [page, widthOf(page)]),
    )
    expect(await reader.count(await file(writePdf(wide(6))), never)).toBe(6)
  })

  test('are drawn by one process after another, so that memory does not grow with their number', async () => {
    const count = pagesAtOnce + 3
    const pages = await drawn(wide(count))
    expect(pages.map(({ width }) => width)).toEqual(range(count).map(widthOf))
    expect(started.map(isGone)).toEqual([true, true])
  }, 60_000)
})

describe('a file is refused by name', () => {
  const page = { width: 72, height: 72 }
  const whole = writePdf([page, page, page])
  const unreadable = 'a.pdf: no PDF can be read from it: it is damaged, cut off or of another kind'
  test.each<[string, Uint8Array, string]>([
    ['that is empty', Buffer.alloc(0), unreadable],
    ['with nothing behind its head', whole.subarray(0, 30), unreadable],
    ['of noise', Buffer.from(`%PDF-1.7\n${'x1 0 obj <<'.repeat(5000)}`), unreadable],
    [
      'that wants a password',
      writePdf([page], { trailer: lockedTrailer }),
      'a.pdf: the PDF is protected by a password; send it without one',
    ],
    ['without pages', writePdf([]), 'a.pdf: the PDF has no pages'],
    [
      'with too many pages',
      writePdf(Array(10_001).fill(page)),
      'a.pdf: the PDF has 10001 pages, at most 10000 are allowed',
    ],
  ])('%s', async (_, bytes, message) => {
    await expect(reader.count(await file(bytes), never)).rejects.toThrow(message)
    expect(started.map(isGone)).toEqual([true])
  })

  const drawing = async (bytes: Uint8Array, using = reader) => {
    const given = await file(bytes)
    const count = await using.count(given, never)
    for await (const _ of using.draw(given, range(count), never));
  }
  test.each([
    ['of which the end is missing', whole.subarray(0, whole.indexOf('7 0 obj'))],
    ['that has fewer pages than it says', saying(whole, '/Count 3', '/Count 4')],
  ])('%s, with the number of the undrawable page', async (_, bytes) => {
    await expect(drawing(bytes)).rejects.toThrow(
      /^a\.pdf: (page \d of the PDF cannot be drawn: it is damaged|no PDF can be read)/,
    )
  })

  test('with a page that takes all memory', async () => {
    await expect(drawing(greedyPdf())).rejects.toThrow(
      'a.pdf: page 1 of the PDF cannot be drawn: it is damaged, or takes too much memory',
    )
    expect(started.every(isGone)).toBe(true)
  }, 60_000)

  test.runIf(limiter)(
    'with a page that takes more memory than a program is given',
    async () => {
      const limits = { ...pdfLimits, memoryBytes: 250 * 1024 ** 2 }
      const bytes = writePdf([{ width: 14_400, height: 14_400 }])
      await expect(drawing(bytes, pdfiumReader({ ...around, limits }))).rejects.toThrow(
        /^a\.pdf: .*memory/,
      )
    },
    60_000,
  )

  test('with a page that never ends', async () => {
    const limits = { ...pdfLimits, silenceMs: 3000 }
    await expect(drawing(endlessPdf(), pdfiumReader({ ...around, limits }))).rejects.toThrow(
      'a.pdf: drawing the pages of the PDF takes too long',
    )
    expect(started.every(isGone)).toBe(true)
  }, 60_000)
})

test('damage at any position ends in an error with a reason, or in all pages', async () => {
  const whole = writePdf(Array(3).fill({ width: 72, height: 72 }))
  for (const seed of [1, 2, 3, 4, 5]) {
    const broken = whole.map((byte, at) => ((at * 31 + seed * 7) % 97 === 0 ? byte ^ seed : byte))
    const given = await file(broken)
    const pages: number[] = []
    try {
      const count = await reader.count(given, never)
      for await (const { page } of reader.draw(given, range(count), never)) pages.push(page)
      expect(pages).toEqual(range(count))
    } catch (thrown) {
      expect(String(thrown)).toMatch(/^Error: a\.pdf: [^\n]+$/)
    }
  }
}, 60_000)

describe('a program', () => {
  test('is started from its sources, too', async () => {
    const fromSource = pdfiumReader({ limits: pdfLimits, ...(await findProgramEnvironment()) })
    const given = await file(writePdf(Array(2).fill({ width: 72, height: 72 })))
    expect(await fromSource.count(given, never)).toBe(2)
  }, 20_000)

  test.each([
    ['hangs', 'setInterval(() => undefined, 1000)', 'drawing the pages of the PDF takes too long'],
    ['crashes', "process.kill(process.pid, 'SIGSEGV')", 'the PDF breaks the program that draws it'],
    ['gives up', 'process.exit(7)', 'no PDF can be read from it'],
    ['says nothing', '', 'no PDF can be read from it'],
    ['says too much', 'process.stdout.write(Buffer.alloc(64, 0xff))', 'no PDF can be read from it'],
  ])('that %s fails only this call, with a reason', async (_, script, reason) => {
    const limits = { ...pdfLimits, silenceMs: 2000 }
    const standIn = pdfiumReader({ ...around, limits, entry: ['-e', script] })
    await expect(standIn.count(await file(Buffer.alloc(0)), never)).rejects.toThrow(reason)
    expect(started.map(isGone)).toEqual([true])
  })

  test('that was killed from outside is reported as unavailable', async () => {
    const given = await file(endlessPdf())
    const drawing = reader.draw(given, [0], never).next()
    const [program] = started
    if (program?.pid === undefined) throw new Error('no process was started')
    await once(program, 'spawn')
    program.kill('SIGKILL')
    await expect(drawing).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'a.pdf: the program that draws PDFs was killed, perhaps for want of memory',
    })
  })

  test('exits when its reader leaves or aborts', async () => {
    const given = await file(writePdf(Array(3).fill({ width: 720, height: 720 })))
    for await (const { page } of reader.draw(given, range(3), never)) if (page === 0) break
    const stop = new AbortController()
    const drawing = reader.draw(await file(endlessPdf()), [0], stop.signal).next()
    setTimeout(() => stop.abort(new Error('the request was taken away')), 500)
    await expect(drawing).rejects.toThrow('the request was taken away')
    expect(started.map(isGone)).toEqual([true, true])
  })

  test('exits by itself when its parent has ended, even while it hangs', async () => {
    const drawing = reader.draw(await file(endlessPdf()), [0], never).next()
    drawing.catch(() => undefined)
    const [program] = started
    if (!program) throw new Error('no process was started')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(isGone(program)).toBe(false)
    const gone = once(program, 'exit')
    program.stdin?.destroy()
    expect((await gone)[1]).toBe('SIGKILL')
    await expect(drawing).rejects.toThrow()
  }, 60_000)
})
