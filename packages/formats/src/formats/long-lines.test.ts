import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { type Format, shapeTypes } from '../model/dataset.ts'
import { formats } from '../registry.ts'
import { FormatError } from '../report/errors.ts'
import { anyShapes, frames, labels } from '../testing/any-annotations.ts'
import {
  createRun,
  datasetOf,
  exportBytes,
  importBytes,
  membersOf,
  type NamedFiles,
  targetOf,
  zipOf,
} from '../testing/run.ts'

/** The time of an import grows linearly with the length of a line, for any content up to 1 MiB. */

const image = async function* () {
  yield Buffer.from('an image')
}
const pictures = frames.map((frame) => ({ ...frame, image }))
const [shapes = []] = fc.sample(anyShapes(shapeTypes), { numRuns: 1, seed: 3 })

/** Content of a line: `before`, then `piece` repeated to the length, then `after`. */
const runs: readonly { before?: string; piece: string; after?: string }[] = [
  { piece: ' ', after: 'x' },
  { piece: '\t' },
  { before: 'a', piece: ' ', after: 'b' },
  { before: '1,1,', piece: '1', after: 'x,2,3,4,1,1,1' },
  { before: '0 ', piece: '9', after: 'e' },
  { before: '0.', piece: '0', after: ' 1 1 1 1' },
  { piece: '.' },
  { piece: '-' },
  { piece: ',' },
  { piece: '"' },
  { piece: "'" },
  { before: '"', piece: '\\' },
  { piece: '[' },
  { piece: '{' },
  { piece: '=' },
  { piece: '/' },
  { piece: '\0' },
  { piece: 'é' },
  { before: '#', piece: ' #' },
  { before: '<!--', piece: '-' },
  { piece: '<a ' },
  { piece: 'a="' },
  { piece: '&amp;' },
  { piece: 'labels/' },
  { before: 'names: [', piece: "'', " },
  { before: 'a:', piece: '1,1,1:' },
]

type LineShape = (typeof runs)[number]
const lineOf = ({ before = '', piece, after = '' }: LineShape, length: number): string =>
  before + piece.repeat(Math.ceil(length / piece.length)) + after

/** Positions of the long line in a text: as a separate line, and within a word. */
const places: readonly ((text: string, line: string) => string)[] = [
  (text, line) => `${line}\n${text}`,
  (text, line) => `${text}\n${line}\n`,
  (text, line) => text.replace(/(?<=\w\W{1,20}\w)\b/, () => line),
]

/** Files of a format that its export does not write. */
const more: Record<string, NamedFiles> = {
  'YOLO 1.1': { 'data.yaml': 'names:\n  0: car\n  1: "road"\n' },
  'MOT 1.1': { 'seqinfo.ini': '[Sequence]\nimWidth=100\nimHeight=80\n' },
  'Pascal VOC 1.1': { 'ImageSets/Main/car_default.txt': 'a  1\nb -1\n' },
}
/** Archives with other layouts of a format. */
const others: Record<string, NamedFiles> = {
  'YOLO 1.1': {
    'data.yaml': 'names: [car, "road"]\n',
    'labels/train/a.txt': '0 0.5 0.5 0.1 0.1\n',
  },
}

const isText = (content: Uint8Array): boolean => !content.includes(0)

async function cpuOf(format: Format, files: NamedFiles): Promise<number> {
  const bytes = await zipOf(files)
  const before = process.cpuUsage()
  await importBytes(format, bytes, targetOf(labels, frames)).catch(expectBounded)
  await openSet(format, bytes).catch(expectBounded)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const openSet = async ({ importer }: Format, bytes: Buffer) =>
  importer?.openDataset?.(sourceOf(bytes), createRun().run)

function expectBounded(thrown: unknown): void {
  expect(thrown).toBeInstanceOf(FormatError)
  expect(String(thrown).length).toBeLessThan(2000)
}

/** With quadratic time a line that is 8 times as long would take 64 times as long. */
const mostGrowth = 24
/** The longest length is the limit of a line minus the text around the inserted part. */
const lengths = [8192, 65_536, 524_288, 1_048_500]

/**
 * Returns the largest growth from one length to the next. Measures both lengths again if it exceeds the limit, because
 * another process may have interfered.
 */
async function largestGrowth(cost: (length: number) => Promise<number>): Promise<number> {
  let largest = 0
  let shorter = await cost(lengths[0] ?? 0)
  for (const [at, length] of lengths.slice(1).entries()) {
    let longer = await cost(length)
    let least = longer / shorter
    for (let again = 1; again < 4 && least > mostGrowth; again += 1) {
      shorter = await cost(lengths[at] ?? 0)
      longer = await cost(length)
      least = Math.min(least, longer / shorter)
    }
    largest = Math.max(largest, least)
    shorter = longer
  }
  return largest
}

const readable = formats.filter((one) => one.dimension === '2d' && one.importer && one.exporter)

describe.each(readable)('$name', (format) => {
  const exported = exportBytes(format.exporter, datasetOf(labels, pictures, { shapes })).then(
    ({ bytes }) => membersOf(bytes),
  )

  test.each(runs)('reads %j in linear time', { timeout: 600_000 }, async (run) => {
    const sets = [{ ...(await exported), ...more[format.name] }, others[format.name] ?? {}]
    const texts = sets.flatMap((files) =>
      Object.entries(files).flatMap(([name, content]) =>
        isText(Buffer.from(content)) ? [{ files, name, text: String(content) }] : [],
      ),
    )
    for (const [index, { files, name, text }] of kindsOf(texts).entries()) {
      const place = places[(index + runs.indexOf(run)) % places.length] ?? String
      const cost = (length: number) =>
        cpuOf(format, { ...files, [name]: place(text, lineOf(run, length)) })
      expect(await largestGrowth(cost), name).toBeLessThan(mostGrowth)
    }
  })
})

/** Returns one text of each folder and extension; others are alike. */
function kindsOf<T extends { name: string }>(texts: readonly T[]): T[] {
  const kindOf = ({ name }: T) =>
    name.replace(/[^/]*(?=\.\w{1,6}$)/, name.includes('/') ? '' : name)
  return [...new Map(texts.map((one) => [kindOf(one), one])).values()]
}
